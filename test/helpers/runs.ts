/** Whether this is `npm run test:all`; `vitest.config.ts` says what that means. */
export const isWholeRun = process.env.SIGNALBOX_TEST_ALL === '1';

/**
 * How often a property is tried: `whole` times by `npm run test:all`, a tenth of that by `npm
 * test`.
 */
export const runs = (whole: number): number => (isWholeRun ? whole : Math.ceil(whole / 10));

/** All rows for `npm run test:all`, every tenth for `npm test`. */
export const someOf = <T>(rows: readonly T[]): readonly T[] =>
  isWholeRun ? rows : rows.filter((_, index) => index % 10 === 0);
