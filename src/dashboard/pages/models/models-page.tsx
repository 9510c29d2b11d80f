import { Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { read, usePagedList } from '../../api/queries.js';
import { Empty, Paged, useSearch } from '../../components/loaded.js';
import { Page, Panel } from '../../components/page.js';
import { useParameters } from '../../components/search-parameters.js';
import { useAccount } from '../../session/session.js';
import { texts } from '../../texts/texts.js';
import { ModelsTable } from './models-table.js';
import { PricePanel } from './price-panel.js';
import { ProvidersTable, useProviders } from './providers-table.js';
import { optionsOf } from '../../components/elements.js';

const text = texts.models;
const pageSize = 40;

/** The page `/models`: providers with their health, and models with prices and abilities. */
export default function ModelsPage() {
  const isAdmin = useAccount().role === 'admin';
  return (
    <Page title={text.title} lead={text.lead}>
      <Panel title={text.providers}>
        <ProvidersTable isAdmin={isAdmin} />
      </Panel>
      <Panel title={texts.common.models}>
        <Filters />
        <Models isAdmin={isAdmin} />
      </Panel>
      {isAdmin ? <PricePanel /> : null}
    </Page>
  );
}

/** What the address asks for, and what changes it. */
function useWanted() {
  const [{ search = '', provider = null, ...named }, change] = useParameters();
  const use = named.use === 'all' ? 'all' : 'auto';
  const sorts = Object.keys(text.sorts) as (keyof typeof text.sorts)[];
  const sort = sorts.find((one) => one === named.sort) ?? 'quality';
  return { search, provider, use, sort, change } as const;
}

function Filters() {
  const { provider, use, sort, change } = useWanted();
  const { field } = useSearch();
  const names = useProviders().data?.items.map(({ name }) => name) ?? [];
  return (
    <Group gap="sm" align="flex-end">
      <SegmentedControl
        aria-label={text.usesLabel}
        data={optionsOf(text.uses)}
        value={use}
        onChange={(chosen) => change({ use: chosen === 'auto' ? null : chosen })}
      />
      <TextInput aria-label={text.search} placeholder={text.search} {...field} />
      <Select
        aria-label={texts.common.provider}
        placeholder={text.allProviders}
        clearable
        data={[...new Set([...names, ...(provider === null ? [] : [provider])])]}
        value={provider}
        onChange={(chosen) => change({ provider: chosen })}
      />
      <Select
        aria-label={text.sort}
        allowDeselect={false}
        data={optionsOf(text.sorts)}
        value={sort}
        onChange={(chosen) => change({ sort: chosen === 'quality' ? null : chosen })}
      />
    </Group>
  );
}

function Models({ isAdmin }: { isAdmin: boolean }) {
  const { search, provider, use, sort } = useWanted();
  const asked = { use, sort, search: search || undefined, provider: provider ?? undefined };
  const list = usePagedList(
    ['models', asked],
    (page) => read('/api/v1/models', { query: { ...page, ...asked } }),
    { keepsPrevious: true, pageSize },
  );
  const isUnfiltered = search === '' && provider === null;
  return (
    <Paged list={list} lines={6}>
      {(models) =>
        models.length === 0 ? (
          <Empty
            title={text.none}
            hint={isUnfiltered && use === 'auto' ? text.noneAuto : text.noneHint}
          />
        ) : (
          <ModelsTable models={models} isAdmin={isAdmin} />
        )
      }
    </Paged>
  );
}
