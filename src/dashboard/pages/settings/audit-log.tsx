import { Group, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Note, optionsOf, SmallButton } from '../../components/elements.js';
import { basePath } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { read, useAccountNames, usePagedList } from '../../api/queries.js';
import { Empty } from '../../components/loaded.js';
import { type Column, PagedTable, column } from '../../components/list-table.js';
import { formatSecond } from '../../format/times.js';
import { texts } from '../../texts/texts.js';
import { type Act, type ActFilter, actWords, filterQuery } from './rules.js';

const text = texts.settings;

/** The audit log with its filters. */
export default function AuditLog({ isAdmin }: { isAdmin: boolean }) {
  const [filter, setFilter] = useState<ActFilter>({ act: null, from: '', to: '', isAll: isAdmin });
  return (
    <Stack gap="md">
      <Filters
        filter={filter}
        isAdmin={isAdmin}
        change={(some) => setFilter({ ...filter, ...some })}
      />
      <Acts filter={filter} isAdmin={isAdmin} />
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
          data={optionsOf({ all: texts.common.allAccounts, own: text.scopeOwn })}
          value={filter.isAll ? 'all' : 'own'}
          onChange={(scope) => change({ isAll: scope === 'all' })}
        />
      ) : null}
      <Select<Act>
        label={texts.common.act}
        placeholder={text.auditAnyAct}
        clearable
        searchable
        data={optionsOf(actWords)}
        value={filter.act}
        onChange={(act) => change({ act })}
      />
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
      <SmallButton component="a" href={`${basePath}/api/v1/audit?${csv}`} download>
        {texts.common.exportCsv}
      </SmallButton>
    </Group>
  );
}

const columnsOf = (
  accounts: ReadonlyMap<string, string>,
): readonly Column<Schema<'AuditResponse'>>[] => [
  column(texts.common.time, ({ at }) => <span className="one-line">{formatSecond(at)}</span>),
  column(texts.common.act, ({ act, details }) => (
    <>
      {actWords[act]}
      <Note miw={120} className="text-plain">
        {[act, wordsOf(details)].filter((words) => words !== '').join(' · ')}
      </Note>
    </>
  )),
  column(text.actor, ({ actor, address }) => (
    <>
      {actor}
      <Note className="text-plain">{address}</Note>
    </>
  )),
  column(text.target, ({ target, actor, actorAccountId }) => (
    <span className="text-plain">
      {target === actorAccountId ? actor : (accounts.get(target ?? '') ?? target)}
    </span>
  )),
];

function Acts({ filter, isAdmin }: { filter: ActFilter; isAdmin: boolean }) {
  const accounts = useAccountNames(isAdmin);
  const list = usePagedList(['audit', filter], (page) =>
    read('/api/v1/audit', { query: { ...page, ...filterQuery(filter) } }),
  );
  return (
    <PagedTable
      list={list}
      label={text.tabs.audit}
      columns={columnsOf(accounts)}
      minWidth={760}
      empty={<Empty title={text.noActs} hint={text.noActsHint} />}
    />
  );
}

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
