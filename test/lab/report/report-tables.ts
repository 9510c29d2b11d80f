import type { Evaluation } from '../run-evaluation.js';
import { paraphraseNote } from '../paraphrase.js';
import type { Stability } from '../protocols/stability.js';
import { curveTable, familyTable, onlineTable } from './family-tables.js';
import { formatCount, formatShare, noFigure } from './format-figures.js';
import { poolTables } from './pool-tables.js';
import { goalsOf, goalTable } from './goals.js';
import type { Table } from './tables.js';

/** The tables of an evaluation that the model card shows: the goals, and the held-out families. */
export function cardTables(evaluation: Evaluation): Table[] {
  const families = familyTable(evaluation.families);
  return [goalTable(goalsOf(evaluation), []), ...(families ? [families] : [])];
}

/** All tables of an evaluation, the goals first. @param notes what to read before the goals */
export function reportTables(evaluation: Evaluation, notes: readonly string[]): Table[] {
  const { inDistribution, families, stability } = evaluation;
  return [
    goalTable(goalsOf(evaluation), notes),
    ...inDistribution.flatMap(poolTables),
    familyTable(families),
    curveTable(families),
    onlineTable(families),
    stability && stabilityTable(stability),
  ].filter((table) => table !== null);
}

function stabilityTable({ prompts, byDefault, byCost }: Stability): Table {
  return {
    title: 'The same choice for a paraphrase',
    notes: [`Of ${formatCount(prompts)} prompts that the fit did not see. ${paraphraseNote}`],
    head: ['paraphrase', 'without a preference', 'tradeoff cost'],
    rows: Object.keys(byDefault).map((kind) => [
      kind,
      formatShare(byDefault[kind]!),
      kind in byCost ? formatShare(byCost[kind]!) : noFigure,
    ]),
  };
}
