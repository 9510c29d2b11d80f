import {
  type Lesson,
  modelOfServed,
  type OnlineState,
  ratedName,
  type Retraction,
  type Served,
} from './online-state.js';

/** What a retraction may name of a lesson or a count. */
type Named = Pick<Lesson, 'at' | 'key' | 'model'>;

/** What a retraction may name of counted answers. */
export const namedBy = ({ name, key, at }: Served): Named => ({
  at,
  key,
  model: modelOfServed(name),
});

/** So many of the last retractions are kept, for what arrives late. */
const maxKept = 20;

/** Tells which lessons and counts a retraction means. */
export function isMeantBy({ from, keys, model }: Retraction): (one: Named) => boolean {
  const name = model === null ? null : ratedName(model);
  return (one) =>
    (from === null || one.at >= from) &&
    (keys === null || (one.key !== null && keys.includes(one.key))) &&
    (model === null || ratedName(one.model) === name);
}

/**
 * The state without some of its lessons and counted answers, as if they had never come. Answers are
 * counted by day (UTC): those of a day go if one of them came in the time that is meant.
 * @param now what came before it and arrives later is not learned either, ms since 1970
 */
export function withoutLessons(state: OnlineState, part: Retraction, now: number): OnlineState {
  const isMeant = isMeantBy(part);
  return {
    ...state,
    lessons: state.lessons.filter((lesson) => !isMeant(lesson)),
    served: state.served.filter((row) => !isMeant(namedBy(row))),
    takenBack: [...state.takenBack, { ...part, until: now }].slice(-maxKept),
  };
}

/** Whether a lesson or a count was taken back before it arrived. */
export const isTakenBack = ({ takenBack }: OnlineState, one: Named): boolean =>
  takenBack.some((part) => one.at < part.until && isMeantBy(part)(one));
