import {
  type EvidenceRow,
  type LearnedState,
  modelOfServed,
  ratedName,
  type Retraction,
} from './evidence.js';

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
