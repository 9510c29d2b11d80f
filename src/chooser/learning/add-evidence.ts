import { type KindsOfTask, largestShares } from '../figures.js';
import {
  type EvidenceRow,
  isTakenBack,
  type LearnedState,
  leftOf,
  ratedName,
  rowsOf,
} from './evidence.js';

/** A rating as it is given. */
export type NewRating = Omit<EvidenceRow, 'source' | 'kinds' | 'weight'> & {
  readonly kinds: KindsOfTask | null;
};

/** The most rows of a source in a state. */
const maxRows = { rating: 1_000, outcome: 400 } as const;
/** Answers that count of each key and provider's model: a change shows after a few hundred. */
const maxAnswers = 200;
/** Outcomes with fewer answers left are dropped. */
const minAnswers = 0.05;
/** Ratings that count of each key and model, the last ones, so that a model can become better. */
const maxRatings = 200;
const dayMs = 86_400_000;

const isShare = (value: number): boolean => value >= 0 && value <= 1;

/**
 * The state after one more rating. A key that rates the same model of the same decision again
 * replaces what it said before. A rating that cannot be used changes nothing.
 */
export function withRating(state: LearnedState, given: NewRating): LearnedState {
  const model = ratedName(given.model);
  const isUsable =
    isShare(given.score) && isShare(given.predicted) && Number.isSafeInteger(given.at);
  if (model === null || !isUsable || isTakenBack(state, given)) return state;
  const router = given.kinds?.router ?? state.router;
  const known = router === state.router ? state : { ...withoutKinds(state), router };
  const row: EvidenceRow = {
    ...given,
    source: 'rating',
    model,
    weight: 1,
    kinds: sharesOf(given.kinds),
  };
  const others =
    row.subject === '' ? known.rows : known.rows.filter((one) => !isSameWord(one, row));
  const own = others.filter((one) => isOfSame(one, row));
  const oldest = own.length < maxRatings ? null : own[0];
  const kept = others.filter((one) => one !== oldest);
  return { ...known, rows: keptRows([...kept, row], 'rating') };
}

/** The state after more outcomes. What cannot be used, or was taken back, changes nothing. */
export function withOutcomes(state: LearnedState, given: Iterable<EvidenceRow>): LearnedState {
  let { rows } = state;
  for (const { score, weight, at, ...one } of given) {
    const isUsable = isShare(score) && weight > 0 && weight < Infinity && Number.isSafeInteger(at);
    const row: EvidenceRow = { ...one, source: 'outcome', score, weight, at };
    if (isUsable && !isTakenBack(state, row)) rows = withOutcome(rows, row);
  }
  return rows === state.rows ? state : { ...state, rows };
}

/** The time of the last rating, ms since 1970; null: never. */
export function ratedAt(state: LearnedState): number | null {
  const times = rowsOf(state, 'rating').map(({ at }) => at);
  return times.length === 0 ? null : Math.max(...times);
}

/** Two counts of one model's answers to one key as one, at the time of the later. */
export function sumOf(one: EvidenceRow, other: EvidenceRow): EvidenceRow {
  const weight = one.weight + other.weight;
  const score = Math.min(1, (one.weight * one.score + other.weight * other.score) / weight);
  const at = Math.max(one.at, other.at);
  return { ...other, at, score, weight: Math.min(maxAnswers, weight) };
}

const dayOf = (at: number): number => Math.floor(at / dayMs);

/** With one more outcome, added to that of the same day. */
function withOutcome(rows: readonly EvidenceRow[], given: EvidenceRow): readonly EvidenceRow[] {
  const isOwn = (row: EvidenceRow): boolean => isOfSame(row, given);
  const own = rows.filter(isOwn);
  const same = own.find(({ at }) => dayOf(at) === dayOf(given.at));
  const now = Math.max(given.at, same?.at ?? given.at);
  const faded = (row: EvidenceRow): EvidenceRow => ({ ...row, weight: leftOf(row, now) });
  const sum = same ? sumOf(faded(same), faded(given)) : given;
  const all = [...own.filter((row) => row !== same), sum];
  const answers = all.reduce((whole, row) => whole + leftOf(row, now), 0);
  const part = Math.min(1, maxAnswers / answers);
  const kept = all
    .map((row) => ({ ...row, weight: row.weight * part }))
    .filter((row) => leftOf(row, now) >= minAnswers);
  const others = rows.filter(
    (row) => !isOwn(row) && (row.source !== 'outcome' || leftOf(row, now) >= minAnswers),
  );
  return keptRows([...others, ...kept], 'outcome');
}

/**
 * The rows within the bound of a source. Beyond it the oldest goes of the key that has most, so that
 * no key crowds out what others have said.
 */
function keptRows(
  rows: readonly EvidenceRow[],
  source: EvidenceRow['source'],
): readonly EvidenceRow[] {
  const counted = rowsOf({ rows }, source);
  if (counted.length <= maxRows[source]) return rows;
  const counts = new Map<string | null, number>();
  for (const { key } of counted) counts.set(key, (counts.get(key) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const oldest = counted
    .filter(({ key }) => counts.get(key) === most)
    .reduce((first, one) => (one.at < first.at ? one : first));
  return rows.filter((row) => row !== oldest);
}

const isOfSame = (one: EvidenceRow, other: EvidenceRow): boolean =>
  one.source === other.source && one.model === other.model && one.key === other.key;

const isSameWord = (one: EvidenceRow, other: EvidenceRow): boolean =>
  one.subject === other.subject && isOfSame(one, other);

/** Stored shares may hold anything. */
function sharesOf(kinds: KindsOfTask | null): [kind: number, share: number][] {
  const shares = new Map<number, number>();
  for (const [kind, part] of kinds?.shares ?? [])
    if (Number.isInteger(kind) && kind >= 0 && kind < 10_000 && isShare(part))
      shares.set(kind, part);
  return largestShares(shares);
}

/** The state without its kinds of task, which another predictor had numbered. */
function withoutKinds(state: LearnedState): LearnedState {
  return { ...state, router: null, rows: state.rows.map((row) => ({ ...row, kinds: [] })) };
}
