import { Group, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { Note, optionsOf, SmallButton } from '../../components/elements.js';
import { basePath } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { read, useAccountNames, usePagedList } from '../../api/queries.js';
import { Empty } from '../../components/loaded.js';
import { type Column, PagedTable, column } from '../../components/list-table.js';
import { useParameters, useTyped } from '../../components/search-parameters.js';
import { formatSecond } from '../../format/times.js';
import { texts } from '../../texts/texts.js';
import { type Act, type ActFilter, actWords, filterQuery } from './rules.js';

const text = texts.settings;
const acts = Object.keys(actWords) as Act[];

/** The audit log with its filters, which stand in the address. */
export default function AuditLog({ isAdmin }: { isAdmin: boolean }) {
  const [{ act, account, from = '', to = '' }] = useParameters();
  const isAll = isAdmin && account !== 'own';
  const filter = { act: acts.find((one) => one === act) ?? null, from, to, isAll };
  return (
    <Stack gap="md">
      <Filters filter={filter} isAdmin={isAdmin} />
      <Acts filter={filter} isAdmin={isAdmin} />
    </Stack>
  );
}

function Filters({ filter, isAdmin }: { filter: ActFilter; isAdmin: boolean }) {
  const [, change] = useParameters();
  const [from, to] = [useTyped('from'), useTyped('to')];
  const csv = new URLSearchParams({ ...filterQuery(filter), format: 'csv' }).toString();
  return (
    <Group align="flex-end" gap="sm">
      {isAdmin ? (
        <SegmentedControl
          aria-label={text.scope}
          data={optionsOf({ all: texts.common.allAccounts, own: text.scopeOwn })}
          value={filter.isAll ? 'all' : 'own'}
          onChange={(scope) => change({ account: scope === 'all' ? null : scope })}
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
      <TextInput type="date" label={text.auditFrom} {...from.field} />
      <TextInput type="date" label={text.auditTo} {...to.field} />
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
