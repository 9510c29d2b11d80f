import type { Candidate, Ranker } from '../../../src/chooser/plan.js';
import type { Table } from '../report/tables.js';
import type { ScaleRow } from '../scale/scale-rows.js';
import { choose } from './chooser.js';

/** Models of 2025 that labelled most texts, with list prices in USD per million tokens. */
const models: readonly (readonly [model: string, input: number, output: number])[] = [
  ['gemini-2.5-pro', 1.25, 10],
  ['o3', 2, 8],
  ['o4-mini', 1.1, 4.4],
  ['gpt-4.1', 2, 8],
  ['gpt-4.1-mini', 0.4, 1.6],
  ['gpt-4.1-nano', 0.1, 0.4],
  ['llama-4-maverick', 0.27, 0.85],
  ['llama-4-scout', 0.11, 0.34],
  ['llama-3.3-70b-instruct', 0.59, 0.79],
  ['grok-3', 3, 15],
  ['grok-3-mini', 0.3, 0.5],
];
/** The models as candidates. */
export const classifiers: readonly Candidate[] = models.map(([model, input, output]) => ({
  label: model,
  provider: null,
  model,
  price: { input, output },
}));

/** How `cost` does on classification, where small models are as good as large ones. */
export interface ClassificationResult {
  readonly texts: number;
  /** The share of right labels by default, by `cost`, and of the best single model. */
  readonly byDefault: number;
  readonly byCost: number;
  readonly bestSingle: number;
  /** The share of the expected bill that `cost` saves against the default. */
  readonly saved: number;
}

/** Judges `cost` on the texts that all models of the pool have labelled. */
export function judgeClassification(
  ranker: Ranker,
  rows: readonly ScaleRow[],
): ClassificationResult {
  const right = new Map<string, number>();
  let texts = 0,
    byDefault = 0,
    byCost = 0,
    usualBill = 0,
    bill = 0;
  for (const { text, answers } of rows) {
    const scores = new Map(answers.map(({ model, score }) => [model.split('/').at(-1)!, score]));
    if (classifiers.some(({ model }) => !scores.has(model))) continue;
    const first = choose(ranker, classifiers, text)[0]!,
      cheap = choose(ranker, classifiers, text, 'cost')[0]!;
    texts++;
    byDefault += scores.get(first.model)!;
    byCost += scores.get(cheap.model)!;
    usualBill += first.why.cost!;
    bill += cheap.why.cost!;
    for (const { model } of classifiers)
      right.set(model, (right.get(model) ?? 0) + scores.get(model)!);
  }
  return {
    texts,
    byDefault: byDefault / texts,
    byCost: byCost / texts,
    bestSingle: Math.max(...right.values()) / texts,
    saved: 1 - bill / usualBill,
  };
}

const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)} %`;

/** Results as a table. */
export const classificationTable = (
  title: string,
  results: readonly ClassificationResult[],
  notes: readonly string[] = [],
): Table => ({
  title,
  notes,
  head: ['texts', 'default', 'cost', 'best single', 'saved by cost, of the bill'],
  rows: results.map(({ texts, byDefault, byCost, bestSingle, saved }) => [
    `${texts}`,
    percent(byDefault, 1),
    percent(byCost, 1),
    percent(bestSingle, 1),
    percent(saved),
  ]),
});
