import { fill, texts } from '../texts/texts.js';
import { formatCount, formatUsd } from './numbers.js';

/** What can be limited of a key or an account. */
export const limitNames = [
  'requestsPerMinute',
  'tokensPerMinute',
  'dayBudgetUsd',
  'monthBudgetUsd',
] as const;

/** The name of a limit. */
export type LimitName = (typeof limitNames)[number];

/** The limits of a key or an account; null: none. */
export type Limits = Readonly<Record<LimitName, number | null>>;

const words = texts.keys.limitWords;

/** Limits in few words. */
export function limitWords(limits: Limits): string {
  const said = limitNames.flatMap((name) => {
    const limit = limits[name];
    const format = name.endsWith('Usd') ? formatUsd : formatCount;
    return limit === null ? [] : [fill(words[name], { value: format(limit) })];
  });
  return said.length === 0 ? words.none : said.join(', ');
}
