import { agreedOn, type EvidenceRow, leftOf, type LearnedState, rowsOf } from './evidence.js';

/** Answers, and how many of them failed. */
export interface Counts {
  readonly answers: number;
  /** Failures of the provider, refusals, and answers that were cut off without a client's bound. */
  readonly faults: number;
}

/** What is known of the failures of one provider's model. */
export interface KnownFaults extends Counts {
  /** 0..1: the part of its quality that the model loses by them. */
  readonly loss: number;
  /** Whether failures count for less because the keys do not agree on them. */
  readonly isBounded: boolean;
}

/** The number of answers without a fault that every model starts with. */
const priorAnswers = 50;
/** Models with fewer faults count as faultless. */
const minFaults = 0.5;
/** A key with fewer answers of a model does not count. */
const minAnswers = 5;

/** The sum of outcomes at a time: they halve every day. */
export function countsOf(rows: readonly EvidenceRow[], now: number): Counts {
  let answers = 0,
    faults = 0;
  for (const row of rows) {
    const left = leftOf(row, now);
    answers += left;
    faults += left * (1 - row.score);
  }
  return { answers, faults };
}

/** Evidence by what it has in common, in its order. */
export function groupedBy<K>(
  rows: readonly EvidenceRow[],
  of: (row: EvidenceRow) => K,
): Map<K, EvidenceRow[]> {
  const groups = new Map<K, EvidenceRow[]>();
  for (const row of rows) {
    const group = groups.get(of(row));
    if (group) group.push(row);
    else groups.set(of(row), [row]);
  }
  return groups;
}

/** Outcomes by the provider's model. */
export const outcomesByModel = (state: Pick<LearnedState, 'rows'>): Map<string, EvidenceRow[]> =>
  groupedBy(rowsOf(state, 'outcome'), ({ model }) => model);

/** Whether any answer is remembered that failed. @param now ms since 1970 */
export const hasFaults = (state: LearnedState, now: number): boolean =>
  [...outcomesByModel(state).values()].some((rows) => countsOf(rows, now).faults >= minFaults);

/**
 * What one provider's model loses by its failures: the share of failed answers on which its keys
 * agree. So a single key whose requests are refused or never end does not change choices for other
 * keys.
 * @param rows the outcomes of this model
 * @param now ms since 1970
 * @returns null if too few failures count
 */
export function faultsOf(rows: readonly EvidenceRow[], now: number): KnownFaults | null {
  const all = countsOf(rows, now);
  if (all.faults < minFaults) return null;
  const keys = [...groupedBy(rows, ({ key }) => key).values()]
    .map((ofKey) => countsOf(ofKey, now))
    .filter(({ answers }) => answers >= minAnswers);
  const rates = keys.map(({ answers, faults }) => faults / answers);
  const rate = keys.length < 2 ? all.faults / all.answers : agreedOn(rates);
  const counted = rate * all.answers;
  if (counted < minFaults) return null;
  return {
    ...all,
    loss: counted / (priorAnswers + all.answers),
    isBounded: counted < all.faults * (1 - 1e-9),
  };
}
