import { type Lesson, type OnlineState, ratedName } from './online-state.js';

/** Which lessons are taken back: those that all of these name. Null: any. */
export interface Retraction {
  /** Those from this time on, ms since 1970. */
  readonly from: number | null;
  /** Those of these keys. */
  readonly keys: readonly string[] | null;
  readonly model: string | null;
}

/**
 * The state without some of its lessons, as if they had never come. Counted answers are taken back
 * as a whole if some were counted in that time; they name no key.
 * @param now what came before it and arrives later is not learned either, ms since 1970
 */
export function withoutLessons(
  state: OnlineState,
  { from, keys, model }: Retraction,
  now: number,
): OnlineState {
  const name = model === null ? null : ratedName(model);
  const isMeant = (lesson: Lesson): boolean =>
    (from === null || lesson.at >= from) &&
    (keys === null || (lesson.key !== null && keys.includes(lesson.key))) &&
    (model === null || lesson.model === name);
  const isCounted = (served: string, at: number): boolean =>
    keys === null &&
    (from === null || at >= from) &&
    (model === null || ratedName(served.slice(served.indexOf('/') + 1)) === name);
  return {
    ...state,
    lessons: state.lessons.filter((lesson) => !isMeant(lesson)),
    served: new Map([...state.served].filter(([served, { at }]) => !isCounted(served, at))),
    takenBack: keys === null && model === null ? { from: from ?? 0, until: now } : state.takenBack,
  };
}
