import { Anchor, Group, SegmentedControl, Stack, Text, TextInput, Select } from '@mantine/core';
import { useState } from 'react';
import { api, basePath, dataOf, type Schema } from '../../api/client.js';
import { usePagedList } from '../../api/paged-list.js';
import { Empty, Paged } from '../../components/loaded.js';
import { type Column, ListTable } from '../../components/list-table.js';
import { formatSecond } from '../../format/times.js';
import { texts } from '../../texts/texts.js';
import { type ActFilter, actWords, filterQuery, type Act } from './act-filter.js';

const text = texts.settings;

interface ActSelectProps {
  value: Act | null;
  onChange: (act: Act | null) => void;
}

const options = (Object.keys(actWords) as Act[]).map((act) => ({
  value: act,
  label: actWords[act],
}));

/** Chooses one act, or all. */
const ActSelect = ({ value, onChange }: ActSelectProps) => (
  <Select<Act>
    label={text.auditAct}
    placeholder={text.auditAnyAct}
    clearable
    searchable
    data={options}
    value={value}
    onChange={onChange}
  />
);

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

const columns: readonly Column<Schema<'AuditResponse'>>[] = [
  { label: text.at, cell: ({ at }) => <span className="one-line">{formatSecond(at)}</span> },
  {
    label: text.act,
    cell: ({ act, details }) => (
      <>
        {actWords[act]}
        <Small value={[act, wordsOf(details)].filter((words) => words !== '').join(' · ')} />
      </>
    ),
  },
  {
    label: text.actor,
    cell: ({ actor, address }) => (
      <>
        {actor}
        <Small value={address ?? ''} />
      </>
    ),
  },
  { label: text.target, cell: ({ target }) => target && <Small value={target} /> },
];

function Acts({ filter }: { filter: ActFilter }) {
  const list = usePagedList(['audit', filter], (page) =>
    dataOf(api.GET('/api/v1/audit', { params: { query: { ...page, ...filterQuery(filter) } } })),
  );
  return (
    <Paged list={list} more={text.more}>
      {(acts) =>
        acts.length === 0 ? (
          <Empty title={text.noActs} hint={text.noActsHint} />
        ) : (
          <ListTable
            label={text.tabs.audit}
            columns={columns}
            rows={acts}
            keyOf={({ id }) => id}
            minWidth={760}
          />
        )
      }
    </Paged>
  );
}

const Small = ({ value }: { value: string }) =>
  value === '' ? null : (
    <Text size="xs" miw={120} c="dimmed" className="text-plain">
      {value}
    </Text>
  );

/** `name: value` of each detail that has a value. */
function wordsOf(details: unknown): string {
  if (Array.isArray(details)) return details.join(', ');
  if (details === null || details === undefined) return '';
  if (typeof details !== 'object')
    return typeof details === 'string' ? details : JSON.stringify(details);
  return Object.entries(details)
    .map(([name, value]) => [name, isTime(name, value) ? formatSecond(value) : wordsOf(value)])
    .filter(([, words]) => words !== '')
    .map((pair) => pair.join(': '))
    .join('; ');
}

const isTime = (name: string, value: unknown): value is number =>
  name.endsWith('At') && typeof value === 'number';
