import { type Insertable, type Selectable, sql } from 'kysely';
import { unpackCandidates } from '../../packed-candidates.js';
import type { NewSelection, SelectionRow, SelectionStore } from '../../contracts/requests.js';
import { clean, columnsOf, fieldsOf, fromJson, toJson } from '../columns.js';
import { readPage } from '../pages.js';
import { RepeatedInsert, skipKnown } from '../repeated-insert.js';
import type { Database, SelectionTable } from '../tables.js';
import { transact } from '../transact.js';

const maxGroup = 1_000;

/** The decisions of model selection in SQL. */
export const createSelectionStore = (database: Database): SelectionStore => ({
  async add(rows) {
    if (rows.length === 0) return;
    const byId = new Map(rows.map((row) => [row.id, row]));
    const sorted = [...byId.values()].map(toColumns).sort((a, b) => (a.id < b.id ? -1 : 1));
    await transact(database, (transaction) => insertSelections.run(transaction, sorted));
  },
  group: (accountId, id) => readGroup(database, accountId, clean(id)),
  async some(accountId, ids) {
    if (ids.length === 0) return [];
    const rows = await database
      .selectFrom('selections')
      .select(['id', 'candidates'])
      .where('id', 'in', ids.map(clean))
      .where('account_id', '=', accountId)
      .execute();
    return rows.map(({ id, candidates }) => ({
      id,
      candidates: unpackCandidates(fromJson(candidates)),
    }));
  },
  list: (accountId, page) => {
    const own = database.selectFrom('selections').selectAll().where('account_id', '=', accountId);
    return readPage(own.where('previous_id', 'is', null), 'at', page, fromColumns);
  },
});

const insertSelections = new RepeatedInsert('selections', skipKnown);

/**
 * Follows links by ids, not by rows, because a decision in between may not have been written yet,
 * or may have been deleted. `union` skips ids that were found before, so circles end.
 */
async function readGroup(
  database: Database,
  accountId: string,
  id: string,
): Promise<SelectionRow[]> {
  const first = await firstOf(database, accountId, id);
  const rows = await database
    .withRecursive('linked(id)', (query) =>
      query.selectNoFrom(sql<string>`cast(${first} as text)`.as('id')).union(
        // the embedded database keeps the order of a cross join; in the other order it would read
        // all decisions of the account for each one of the group
        query
          .selectFrom('linked')
          .crossJoin('selections')
          .whereRef('selections.previous_id', '=', 'linked.id')
          .where('selections.account_id', '=', accountId)
          .select('selections.id'),
      ),
    )
    .selectFrom('selections')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', (query) => query.selectFrom('linked').select('linked.id').limit(maxGroup))
    .orderBy('at')
    .orderBy('id')
    .execute();
  return parentsFirst(rows.map(fromColumns));
}

/** Sorts by time, and decisions of the same millisecond after the ones that they continue. */
function parentsFirst(rows: readonly SelectionRow[]): SelectionRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const depths = new Map<string, number>();
  const depthOf = (row: SelectionRow): number => {
    let depth = 0;
    for (
      let above = byId.get(row.previousId ?? '');
      above && depth < rows.length;
      above = byId.get(above.previousId ?? '')
    )
      depth++;
    return depth;
  };
  rows.forEach((row, index) => {
    if (rows[index - 1]?.at === row.at || rows[index + 1]?.at === row.at)
      depths.set(row.id, depthOf(row));
  });
  return [...rows].sort((a, b) => a.at - b.at || (depths.get(a.id) ?? 0) - (depths.get(b.id) ?? 0));
}

/** A group's first decision, at most `maxGroup` links back; the id itself if there is none. */
async function firstOf(database: Database, accountId: string, id: string): Promise<string> {
  const top = await database
    .withRecursive('above(id, height)', (query) =>
      query
        .selectNoFrom([sql<string>`cast(${id} as text)`.as('id'), sql<number>`0`.as('height')])
        .unionAll(
          query
            .selectFrom('above')
            .innerJoin('selections', 'selections.id', 'above.id')
            .where('selections.account_id', '=', accountId)
            .where('selections.previous_id', 'is not', null)
            .where('above.height', '<', maxGroup - 1)
            .select((eb) => [
              eb.ref('selections.previous_id').$notNull().as('id'),
              eb('above.height', '+', 1).as('height'),
            ]),
        ),
    )
    .selectFrom('above')
    .select('id')
    .orderBy('height', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return top.id;
}

function toColumns({ candidates, content, ...row }: NewSelection): Insertable<SelectionTable> {
  return { ...columnsOf(row), at: Math.round(row.at), candidates, content: toJson(content) };
}

const fromColumns = (row: Selectable<SelectionTable>): SelectionRow => ({
  ...fieldsOf<Omit<SelectionRow, 'candidates' | 'content'>>(row),
  candidates: unpackCandidates(fromJson(row.candidates)),
  content: fromJson(row.content),
});
