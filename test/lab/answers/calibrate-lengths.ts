import type { AnswerKind, AnswerLengths } from '../../../src/models/model-tables.js';

/** Answers of one model to the prompts of one kind in one source. */
export interface LengthGroup {
  readonly source: string;
  readonly kind: AnswerKind;
  readonly model: string;
  /** Prompts that were answered. */
  readonly count: number;
  /** Mean level of the prompts, on the scale of abilities. */
  readonly level: number;
  /** Mean visible tokens; null: the source counts reasoning with them. */
  readonly visible: number | null;
  /** Mean visible tokens as our own estimate has them, without any correction. */
  readonly estimated: number;
  /** Steps of difficulty that the model's reasoning shows; null: it does not reason, or not known. */
  readonly steps: number | null;
}

/** A label has its length, whatever models write before it against the request. */
const uncorrectedKinds = new Set<AnswerKind>(['label']);
/** A source with so many prompts of a kind counts half as much as one with very many. */
const halfPrompts = 100;
/** Our own estimate counts as one more source. */
const priorSources = 1;
const maxFactor = 4;
/** Fewer prompts tell nothing about what models reason. */
const minPrompts = 8;

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
};
const rounded = (value: number): number => Math.round(value * 100) / 100;

export function grouped<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * By kind, how much longer answers were than our own estimate: of each source the median model, of
 * the sources the mean by their prompts, drawn to the estimate.
 */
export function fitFactors(groups: readonly LengthGroup[]): AnswerLengths['factors'] {
  const seen = groups.filter(
    ({ visible, kind }) => visible !== null && !uncorrectedKinds.has(kind),
  );
  const entries = [...grouped(seen, ({ kind }) => kind)].map(
    ([kind, ofKind]): [AnswerKind, number] => {
      let sum = 0,
        weights = priorSources;
      for (const ofSource of grouped(ofKind, ({ source }) => source).values()) {
        const prompts = Math.max(...ofSource.map(({ count }) => count));
        const weight = prompts / (prompts + halfPrompts);
        const ratios = ofSource.map(({ visible, estimated }) => Math.log(visible! / estimated));
        sum += weight * median(ratios);
        weights += weight;
      }
      const factor = Math.exp(sum / weights);
      return [kind, rounded(Math.min(maxFactor, Math.max(1 / maxFactor, factor)))];
    },
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The median model's steps and level of each source whose models reason. */
function stepsBySource(groups: readonly LengthGroup[]): { level: number; steps: number }[] {
  const reasoning = groups.filter(({ steps, count }) => steps !== null && count >= minPrompts);
  return [...grouped(reasoning, ({ source }) => source).values()].map((ofSource) => ({
    level: mean(ofSource.map(({ level }) => level)),
    steps: median(ofSource.map(({ steps }) => steps!)),
  }));
}

/** Steps of reasoning for each unit of the level: a line through step 0 at the usual level. */
export function fitSteps(groups: readonly LengthGroup[], usual: number): number {
  const sources = stepsBySource(groups);
  const square = sources.reduce((sum, { level }) => sum + (level - usual) ** 2, 0);
  const product = sources.reduce((sum, { level, steps }) => sum + (level - usual) * steps, 0);
  return square > 0 ? rounded(Math.max(0, product / square)) : 0;
}
