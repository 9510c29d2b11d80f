import { canonicalName } from '../../models/model-name.js';

/**
 * One thing from which a scope learns. A rating says how good one answer was. An outcome counts the
 * answers of one provider's model to one key on one day (UTC), and how many of them failed.
 */
export interface EvidenceRow {
  readonly source: 'rating' | 'outcome';
  /** Of a rating: the model's name, whatever its provider. Of an outcome: `<provider>/<model>`. */
  readonly model: string;
  /** The request's kinds of task, as parts of a whole; empty: unknown, and of outcomes. */
  readonly kinds: readonly (readonly [kind: number, share: number])[];
  /** Of a rating: 0..1. Of an outcome: the share of the answers that did not fail. */
  readonly score: number;
  /** Of a rating: how much it counts, 1. Of an outcome: how many answers it counts. */
  readonly weight: number;
  /** The id of the key that it came with; null: without a key. */
  readonly key: string | null;
  /** Of a rating: when it came. Of an outcome: when the last was counted. Ms since 1970. */
  readonly at: number;
  /** 0..1: the predicted chance of a good answer, before anything learned moved it; 1 of outcomes. */
  readonly predicted: number;
  /** Identifies the decision or answer, so that the last word of a key counts; '': unknown. */
  readonly subject: string;
}

/** A count of answers as evidence. */
export const outcomeRow = (
  count: Pick<EvidenceRow, 'model' | 'key' | 'score' | 'weight' | 'at'>,
): EvidenceRow => ({ source: 'outcome', kinds: [], predicted: 1, subject: '', ...count });

/** Which evidence is taken back: what matches all of these. Null matches anything. */
export interface Retraction {
  /** What came from this time on, ms since 1970. */
  readonly from: number | null;
  /** What came with these keys. */
  readonly keys: readonly string[] | null;
  readonly model: string | null;
}

/** A retraction and its time, ms since 1970: evidence from before it is not learned later. */
export interface TakenBack extends Retraction {
  readonly until: number;
}

/** What one scope (an account's default, or one of its preferences) has learned. */
export interface LearnedState {
  /** Under this name the kinds of task are numbered; null before the first. */
  readonly router: string | null;
  /** Ratings in the order in which they came. */
  readonly rows: readonly EvidenceRow[];
  /** The last ones. */
  readonly takenBack: readonly TakenBack[];
}

/** The state before anything was learned. */
export const nothingLearned: LearnedState = { router: null, rows: [], takenBack: [] };

const maxNameLength = 200;

/**
 * The name under which a model's ratings are kept; null for a text that cannot be a model's name. A
 * fine-tuned model is kept apart from its base model.
 */
export function ratedName(model: string): string | null {
  if (model.length > maxNameLength) return null;
  const name = model.startsWith('ft:') ? model : canonicalName(model);
  return name === '' ? null : name;
}

/** The name under which a provider's answers are counted; null if it is too long. */
export function servedName(provider: string | null, model: string): string | null {
  const name = `${provider ?? ''}/${model}`;
  return name.length > maxNameLength ? null : name;
}

/** The model's name in the name under which a provider's answers are counted. */
export const modelOfServed = (name: string): string => name.slice(name.indexOf('/') + 1);

/** Ratings fade by half in 30 days, outcomes in one. */
const halfLifeMs = { rating: 30 * 86_400_000, outcome: 86_400_000 } as const;

/** What a row still counts at a time; one from the future counts whole. */
export const leftOf = ({ source, weight, at }: EvidenceRow, now: number): number =>
  weight * 2 ** (-Math.max(0, now - at) / halfLifeMs[source]);

/** The rows of one source. */
export const rowsOf = (
  { rows }: Pick<LearnedState, 'rows'>,
  source: EvidenceRow['source'],
): EvidenceRow[] => rows.filter((row) => row.source === source);

/**
 * What keys agree on: the median of what each says. Of an even number it takes the one of the two
 * middle values that is nearer to 0, and 0 if they differ in sign, so that of two keys neither can
 * move anything against the other. 0 if no key says anything.
 */
export function agreedOn(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[(sorted.length - 1) >> 1] ?? 0,
    high = sorted[sorted.length >> 1] ?? 0;
  if (low < 0 && high > 0) return 0;
  return Math.abs(low) < Math.abs(high) ? low : high;
}

/** What a retraction may name of evidence. */
type Named = Pick<EvidenceRow, 'at' | 'key' | 'model'> & Partial<Pick<EvidenceRow, 'source'>>;

/** The most retractions that are kept, for what arrives late. */
const maxKept = 20;

/** Tells which evidence a retraction means. */
export function isMeantBy({ from, keys, model }: Retraction): (one: Named) => boolean {
  const name = model === null ? null : ratedName(model);
  const nameOf = (one: Named): string =>
    one.source === 'outcome' ? modelOfServed(one.model) : one.model;
  return (one) =>
    (from === null || one.at >= from) &&
    (keys === null || (one.key !== null && keys.includes(one.key))) &&
    (model === null || ratedName(nameOf(one)) === name);
}

/**
 * The state without some of its evidence, as if it had never come. Outcomes are counted by day
 * (UTC): those of a day go if one of them came in the time that is meant.
 * @param now what came before it and arrives later is not learned either, ms since 1970
 */
export function withoutEvidence(state: LearnedState, part: Retraction, now: number): LearnedState {
  const isMeant = isMeantBy(part);
  return {
    ...state,
    rows: state.rows.filter((row) => !isMeant(row)),
    takenBack: [...state.takenBack, { ...part, until: now }].slice(-maxKept),
  };
}

/** Whether evidence was taken back before it arrived. */
export const isTakenBack = ({ takenBack }: LearnedState, one: Named): boolean =>
  takenBack.some((part) => one.at < part.until && isMeantBy(part)(one));
