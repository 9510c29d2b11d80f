import { Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { read, usePagedList } from '../../api/queries.js';
import { Empty, Paged } from '../../components/loaded.js';
import { Page, Panel } from '../../components/page.js';
import { useAccount } from '../../session/session.js';
import { texts } from '../../texts/texts.js';
import { ModelsTable } from './models-table.js';
import { PricePanel } from './price-panel.js';
import { ProvidersTable, useProviders } from './providers-table.js';
import { optionsOf } from '../../components/elements.js';

const text = texts.models;
const pageSize = 40;
const searchWaitMs = 250;

interface Wanted {
  search: string;
  provider: string | null;
  use: 'auto' | 'all';
  sort: keyof typeof text.sorts;
}

/** The page `/models`: providers with their health, and models with prices and abilities. */
export default function ModelsPage() {
  const isAdmin = useAccount().role === 'admin';
  const [wanted, setWanted] = useState<Wanted>({
    search: '',
    provider: null,
    use: 'auto',
    sort: 'quality',
  });
  return (
    <Page title={text.title} lead={text.lead}>
      <Panel title={text.providers}>
        <ProvidersTable isAdmin={isAdmin} />
      </Panel>
      <Panel title={texts.common.models}>
        <Filters wanted={wanted} change={(some) => setWanted({ ...wanted, ...some })} />
        <Models wanted={wanted} isAdmin={isAdmin} />
      </Panel>
      {isAdmin ? <PricePanel /> : null}
    </Page>
  );
}

function Filters({ wanted, change }: { wanted: Wanted; change: (some: Partial<Wanted>) => void }) {
  const names = useProviders().data?.items.map(({ name }) => name) ?? [];
  return (
    <Group gap="sm" align="flex-end">
      <SegmentedControl<Wanted['use']>
        aria-label={text.usesLabel}
        data={optionsOf(text.uses)}
        value={wanted.use}
        onChange={(use) => change({ use })}
      />
      <TextInput
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={wanted.search}
        onChange={(event) => change({ search: event.currentTarget.value })}
      />
      <Select
        aria-label={texts.common.provider}
        placeholder={text.allProviders}
        clearable
        data={names}
        value={wanted.provider}
        onChange={(provider) => change({ provider })}
      />
      <Select<Wanted['sort']>
        aria-label={text.sort}
        allowDeselect={false}
        data={optionsOf(text.sorts)}
        value={wanted.sort}
        onChange={(sort) => (sort === null ? undefined : change({ sort }))}
      />
    </Group>
  );
}

const useModels = ({ search, provider, use, sort }: Wanted) =>
  usePagedList(
    ['models', search, provider, use, sort],
    (page) =>
      read('/api/v1/models', {
        query: {
          ...page,
          use,
          sort,
          ...(search === '' ? {} : { search }),
          ...(provider === null ? {} : { provider }),
        },
      }),
    { keepsPrevious: true, pageSize },
  );

function Models({ wanted, isAdmin }: { wanted: Wanted; isAdmin: boolean }) {
  const [search] = useDebouncedValue(wanted.search, searchWaitMs);
  const list = useModels({ ...wanted, search });
  const isUnfiltered = search === '' && wanted.provider === null;
  return (
    <Paged list={list} lines={6}>
      {(models) =>
        models.length === 0 ? (
          <Empty
            title={text.none}
            hint={isUnfiltered && wanted.use === 'auto' ? text.noneAuto : text.noneHint}
          />
        ) : (
          <ModelsTable models={models} isAdmin={isAdmin} />
        )
      }
    </Paged>
  );
}
