import { readModelTableRows } from '../model-table-rows.js';
import type { Placed } from './judge-order.js';

/** Published tables of today's models, by `<source>/<category>/<metric>`; each model once. */
export function readTables(folder: string): ReadonlyMap<string, readonly Placed[]> {
  const rows = readModelTableRows(folder);
  const tables = new Map<string, Map<string, number>>();
  for (const { source, category, metric, model_canonical: written = '', value, effort } of rows) {
    if (effort !== '') continue;
    const name = `${source}/${category}/${metric}`;
    const table = tables.get(name) ?? new Map<string, number>();
    tables.set(name, table);
    const model = written.split('/').at(-1)!;
    if (!table.has(model)) table.set(model, Number(value));
  }
  return new Map(
    [...tables].map(([name, table]) => [
      name,
      [...table].map(([model, value]) => ({ model, value })),
    ]),
  );
}
