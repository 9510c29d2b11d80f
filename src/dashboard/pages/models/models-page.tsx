import { Group, SegmentedControl, Select, Stack, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../api/client.js';
import { Empty } from '../../components/empty.js';
import { Failure, Loading } from '../../components/loaded.js';
import { MoreButton } from '../../components/more-button.js';
import { Page } from '../../components/page.js';
import { useAccount } from '../../session/session.js';
import { texts } from '../../texts/texts.js';
import { ModelsTable } from './models-table.js';
import { ProvidersTable, useProviders } from './providers-table.js';

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
      <Stack gap="xs" component="section">
        <Title order={2} size="h4">
          {text.providers}
        </Title>
        <ProvidersTable isAdmin={isAdmin} />
      </Stack>
      <Stack gap="sm" component="section">
        <Title order={2} size="h4">
          {text.modelsTitle}
        </Title>
        <Filters wanted={wanted} change={(some) => setWanted({ ...wanted, ...some })} />
        <Models wanted={wanted} isAdmin={isAdmin} />
      </Stack>
    </Page>
  );
}

interface FiltersProps {
  wanted: Wanted;
  change: (some: Partial<Wanted>) => void;
}

const optionsOf = <Value extends string>(labels: Record<Value, string>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));

function Filters({ wanted, change }: FiltersProps) {
  const names = useProviders().data?.map(({ name }) => name) ?? [];
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
        aria-label={text.provider}
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

/** Asks for the next page only when the reader wants it. */
function useModels({ search, provider, use, sort }: Wanted) {
  return useInfiniteQuery({
    queryKey: ['models', search, provider, use, sort],
    initialPageParam: '',
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/api/v1/models', {
          params: {
            query: {
              limit: pageSize,
              use,
              sort,
              ...(search === '' ? {} : { search }),
              ...(provider === null ? {} : { provider }),
              ...(pageParam === '' ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

function Models({ wanted, isAdmin }: { wanted: Wanted; isAdmin: boolean }) {
  const [search] = useDebouncedValue(wanted.search, searchWaitMs);
  const query = useModels({ ...wanted, search });
  if (query.error && !query.data)
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Loading lines={6} />;
  const models = query.data.pages.flatMap(({ items }) => items);
  const isUnfiltered = search === '' && wanted.provider === null;
  if (models.length === 0)
    return (
      <Empty
        title={text.none}
        hint={isUnfiltered && wanted.use === 'auto' ? text.noneAuto : text.noneHint}
      />
    );
  return (
    <>
      <ModelsTable models={models} isAdmin={isAdmin} />
      <MoreButton query={query} label={text.more} />
    </>
  );
}
