import type { Evaluation } from '../run-evaluation.js';
import { paraphraseNote } from '../paraphrase.js';
import type { Stability } from '../protocols/stability.js';
import { curveTable, familyTable, onlineTable } from './family-tables.js';
import { poolTables } from './pool-tables.js';
import { barsOf, summaryTable } from './summary.js';
import type { Table } from './tables.js';
import { nothing, share, whole } from './written.js';

/** All tables of an evaluation, the summary first. @param notes to be known before the summary is read */
export function reportTables(evaluation: Evaluation, notes: readonly string[]): Table[] {
  const { inDistribution, families, stability } = evaluation;
  return [
    summaryTable(barsOf(evaluation), notes),
    ...inDistribution.flatMap(poolTables),
    familyTable(families),
    curveTable(families),
    onlineTable(families),
    stability && stabilityTable(stability),
  ].filter((table) => table !== null);
}

function stabilityTable({ prompts, usual, byCost }: Stability): Table {
  return {
    title: 'The same choice when a prompt is said otherwise',
    notes: [`Of ${whole(prompts)} prompts that the fit did not see; ${paraphraseNote}`],
    head: ['paraphrase', 'usual setting', 'tradeoff cost'],
    rows: Object.keys(usual).map((kind) => [
      kind,
      share(usual[kind]!),
      kind in byCost ? share(byCost[kind]!) : nothing,
    ]),
  };
}
