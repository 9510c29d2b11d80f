import type { Rule } from '../acceptance.js';

/** Places of a list of turns that have another form than a provider takes. */
export type TurnsOf = (body: Parameters<Rule['find']>[0]['body']) => readonly {
  readonly role?: string;
}[];

/** The first turn must be the user's. */
export const userBegins = (turnsOf: TurnsOf, refuses: string, source: string): Rule => ({
  refuses,
  source,
  find: ({ body }) => (turnsOf(body)[0]?.role === 'user' ? [] : ['the first turn']),
});

/** The last turn must be the user's. */
export const userEnds = (
  turnsOf: TurnsOf,
  refuses: string,
  source: string,
  models?: RegExp,
): Rule => ({
  refuses,
  source,
  ...(models ? { models } : {}),
  find: ({ body }) => (turnsOf(body).at(-1)?.role === 'user' ? [] : ['the last turn']),
});

/** Two turns in a row must not have one role. */
export const rolesAlternate = (turnsOf: TurnsOf, refuses: string, source: string): Rule => ({
  refuses,
  source,
  find: ({ body }) =>
    turnsOf(body).flatMap(({ role }, index, all) =>
      index > 0 && all[index - 1]?.role === role ? [`turn ${index}`] : [],
    ),
});
