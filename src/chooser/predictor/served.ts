import { dayMs, leftOf, servedHalfLifeMs } from './fading.js';
import { withoutOldest } from './kept-lessons.js';
import { minRatings, shareBound } from './key-shares.js';
import { type OnlineState, type Served, unknownKey } from './online-state.js';
import { isTakenBack, namedBy } from './take-back.js';

/** Counted answers, and what failed of them. */
export interface Counts {
  readonly answers: number;
  /** Failures of the provider. */
  readonly faults: number;
  /** Answers that were refused, or cut off although the client had set no limit. */
  readonly spoilt: number;
}

/** What is known of the failures of one provider's model. */
export interface KnownFaults extends Counts {
  /** 0..1: the part of its quality that the model loses by them. */
  readonly loss: number;
  /** Whether the bounds of the keys make them count for less. */
  readonly isBounded: boolean;
}

/** The number of answers without a fault that every model starts with. */
const priorAnswers = 50;
/** Models with fewer faults count as faultless. */
const minFaults = 0.5;
/** For each key and provider's model, so that a change shows after a few hundred answers. */
const maxAnswers = 200;
/** Rows in a state; and those with fewer answers left are dropped. */
const maxRows = 400;
const minAnswers = 0.05;

/** Counts at a time: they halve every day. */
function fadedServed({ answers, faults, spoilt, at }: Served, now: number): Counts {
  const left = leftOf(at, now, servedHalfLifeMs);
  return { answers: answers * left, faults: faults * left, spoilt: spoilt * left };
}

/** The sum of counts at a time. */
export function sumOfServed(rows: readonly Served[], now: number): Counts {
  let answers = 0,
    faults = 0,
    spoilt = 0;
  for (const row of rows) {
    const faded = fadedServed(row, now);
    answers += faded.answers;
    faults += faded.faults;
    spoilt += faded.spoilt;
  }
  return { answers, faults, spoilt };
}

/** The state after more answers and faults. What cannot be used, or was taken back, changes nothing. */
export function withOutcomes(state: OnlineState, given: Iterable<Served>): OnlineState {
  let served = state.served;
  for (const one of given)
    if (isUsable(one) && !isTakenBack(state, namedBy(one))) served = withRow(served, one);
  return served === state.served ? state : { ...state, served };
}

/** Rows by the provider's model. */
export function servedByName(rows: readonly Served[]): Map<string, Served[]> {
  const groups = new Map<string, Served[]>();
  for (const row of rows) {
    const group = groups.get(row.name);
    if (group) group.push(row);
    else groups.set(row.name, [row]);
  }
  return groups;
}

/** Whether any answer is remembered that failed. @param now ms since 1970 */
export const hasFaults = ({ served }: OnlineState, now: number): boolean =>
  [...servedByName(served).values()].some((rows) => {
    const { faults, spoilt } = sumOfServed(rows, now);
    return faults + spoilt >= minFaults;
  });

/**
 * What one provider's model loses by its failures. One key's answers count for no more than its
 * share, as its ratings do. What any key can bring about alone, with requests that are refused or
 * answers that never end, counts as far as it does without any one of several keys.
 * @param rows of this model
 * @param now ms since 1970
 * @returns null if next to nothing failed that counts
 */
export function faultsOf(rows: readonly Served[], now: number): KnownFaults | null {
  const all = sumOfServed(rows, now);
  if (all.faults + all.spoilt < minFaults) return null;
  const keys = countsByKey(rows, now);
  const bound = shareBound(
    keys.flatMap(([key, { answers }]) => (key === unknownKey ? [] : answers)),
  );
  const said = keys.map(([key, counts]) => bounded(counts, key === unknownKey ? Infinity : bound));
  const loss = partOf(said, 'faults') + agreedPart(said);
  const whole = priorAnswers + all.answers;
  if (loss * whole < minFaults) return null;
  return { ...all, loss, isBounded: loss * whole < (all.faults + all.spoilt) * (1 - 1e-9) };
}

/** The part of answers that were spoilt, as far as it is without any one of several keys. */
function agreedPart(keys: readonly Counts[]): number {
  const speakers = keys.filter(({ answers }) => answers >= minRatings);
  const all = partOf(keys, 'spoilt');
  if (speakers.length < 2) return all;
  return Math.min(
    all,
    ...speakers.map((one) =>
      partOf(
        keys.filter((other) => other !== one),
        'spoilt',
      ),
    ),
  );
}

function partOf(keys: readonly Counts[], what: 'faults' | 'spoilt'): number {
  let answers = priorAnswers,
    sum = 0;
  for (const counts of keys) {
    answers += counts.answers;
    sum += counts[what];
  }
  return sum / answers;
}

function countsByKey(rows: readonly Served[], now: number): [string | null, Counts][] {
  const keys = new Map<string | null, Served[]>();
  for (const row of rows) keys.set(row.key, [...(keys.get(row.key) ?? []), row]);
  return [...keys].map(([key, own]) => [key, sumOfServed(own, now)]);
}

/** The same with no more answers than a bound. */
const bounded = (counts: Counts, most: number): Counts =>
  counts.answers > most ? times(counts, most / counts.answers) : counts;

const times = ({ answers, faults, spoilt }: Counts, by: number): Counts => ({
  answers: answers * by,
  faults: faults * by,
  spoilt: spoilt * by,
});

const isUsable = ({ answers, faults, spoilt, at }: Served): boolean =>
  answers > 0 &&
  answers < Infinity &&
  faults >= 0 &&
  spoilt >= 0 &&
  faults + spoilt <= answers * (1 + 1e-9) &&
  Number.isSafeInteger(at);

const dayOf = (at: number): number => Math.floor(at / dayMs);

/** With one more row, added to that of the same day. */
function withRow(rows: readonly Served[], given: Served): readonly Served[] {
  const isOwn = ({ name, key }: Served): boolean => name === given.name && key === given.key;
  const own = rows.filter(isOwn),
    others = rows.filter((row) => !isOwn(row));
  const same = own.find(({ at }) => dayOf(at) === dayOf(given.at));
  const at = Math.max(given.at, same?.at ?? given.at);
  const sum = { ...given, ...sumOfServed(same ? [same, given] : [given], at), at };
  const all = [...own.filter((row) => row !== same), sum];
  const part = Math.min(1, maxAnswers / sumOfServed(all, at).answers);
  return keptRows([...others, ...all.map((row) => ({ ...row, ...times(row, part) }))], at);
}

/** Without what has faded, and within the limit: beyond it the oldest goes of the key that has most. */
function keptRows(rows: readonly Served[], now: number): readonly Served[] {
  let kept: readonly Served[] = rows.filter((row) => fadedServed(row, now).answers >= minAnswers);
  while (kept.length > maxRows) kept = withoutOldest(kept);
  return kept;
}
