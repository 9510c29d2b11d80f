import {
  Anchor,
  Button,
  Code,
  Group,
  SegmentedControl,
  Stack,
  Table,
  Text,
  TextInput,
} from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, basePath, dataOf, type Schema } from '../../api/client.js';
import { Empty } from '../../components/empty.js';
import { Failure, Loading } from '../../components/loaded.js';
import { formatSecond } from '../../format/times.js';
import { texts } from '../../texts/texts.js';
import { type ActFilter, filterQuery } from './act-filter.js';
import { ActSelect } from './act-select.js';

const text = texts.settings;
const pageSize = 50;

/** The audit log with its filters. */
export default function AuditLog({ isAdmin }: { isAdmin: boolean }) {
  const [filter, setFilter] = useState<ActFilter>({
    act: null,
    from: '',
    to: '',
    isAll: isAdmin,
  });
  return (
    <Stack gap="md">
      <Filters
        filter={filter}
        isAdmin={isAdmin}
        change={(some) => setFilter({ ...filter, ...some })}
      />
      <Acts filter={filter} />
    </Stack>
  );
}

interface FiltersProps {
  filter: ActFilter;
  isAdmin: boolean;
  change: (some: Partial<ActFilter>) => void;
}

function Filters({ filter, isAdmin, change }: FiltersProps) {
  const csv = new URLSearchParams({ ...filterQuery(filter), format: 'csv' }).toString();
  return (
    <Group align="flex-end" gap="sm">
      {isAdmin ? (
        <SegmentedControl
          aria-label={text.scope}
          data={[
            { value: 'all', label: text.scopeAll },
            { value: 'own', label: text.scopeOwn },
          ]}
          value={filter.isAll ? 'all' : 'own'}
          onChange={(scope) => change({ isAll: scope === 'all' })}
        />
      ) : null}
      <ActSelect value={filter.act} onChange={(act) => change({ act })} />
      <TextInput
        type="date"
        label={text.auditFrom}
        value={filter.from}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={text.auditTo}
        value={filter.to}
        onChange={(event) => change({ to: event.currentTarget.value })}
      />
      <Anchor size="sm" href={`${basePath}/api/v1/audit?${csv}`} download>
        {text.exportCsv}
      </Anchor>
    </Group>
  );
}

const useActs = (filter: ActFilter) =>
  useInfiniteQuery({
    queryKey: ['audit', filter],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/api/v1/audit', {
          params: {
            query: {
              limit: pageSize,
              ...filterQuery(filter),
              ...(pageParam === '' ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });

function Acts({ filter }: { filter: ActFilter }) {
  const query = useActs(filter);
  if (query.error && !query.data)
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const acts = query.data.pages.flatMap(({ items }) => items);
  if (acts.length === 0) return <Empty title={text.noActs} hint={text.noActsHint} />;
  return (
    <Stack gap="sm">
      <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {[text.at, text.act, text.actor, text.target, text.address, text.detailsColumn].map(
                (label) => (
                  <Table.Th key={label}>{label}</Table.Th>
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {acts.map((act) => (
              <ActRow key={act.id} act={act} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {query.hasNextPage ? (
        <Button variant="default" onClick={() => void query.fetchNextPage()}>
          {text.more}
        </Button>
      ) : null}
    </Stack>
  );
}

const ActRow = ({ act }: { act: Schema<'AuditResponse'> }) => (
  <Table.Tr>
    <Table.Td>{formatSecond(act.at)}</Table.Td>
    <Table.Td>
      <Code>{act.act}</Code>
    </Table.Td>
    <Table.Td>{act.actor}</Table.Td>
    <Table.Td>
      <Text size="xs" className="text-plain">
        {act.target ?? ''}
      </Text>
    </Table.Td>
    <Table.Td>{act.address ?? ''}</Table.Td>
    <Table.Td>
      <Text size="xs" className="text-plain">
        {act.details === null || act.details === undefined ? '' : JSON.stringify(act.details)}
      </Text>
    </Table.Td>
  </Table.Tr>
);
