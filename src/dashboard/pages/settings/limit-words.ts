import { formatCount, formatUsd } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';

const text = texts.settings;

/** The limits of an account; null: none. */
export interface ShownLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly dayBudgetUsd: number | null;
  readonly monthBudgetUsd: number | null;
}

/** Limits in few words. */
export function limitWords(limits: ShownLimits): string {
  const { requestsPerMinute, tokensPerMinute, dayBudgetUsd, monthBudgetUsd } = limits;
  const words = [
    requestsPerMinute === null
      ? null
      : fill(text.perMinute, { count: formatCount(requestsPerMinute) }),
    tokensPerMinute === null
      ? null
      : fill(text.tokensMinute, { count: formatCount(tokensPerMinute) }),
    dayBudgetUsd === null ? null : fill(text.perDay, { usd: formatUsd(dayBudgetUsd) }),
    monthBudgetUsd === null ? null : fill(text.perMonth, { usd: formatUsd(monthBudgetUsd) }),
  ].filter((word) => word !== null);
  return words.length === 0 ? text.unlimited : words.join(', ');
}

/** A limit as somebody typed it; null: no limit. */
export const typedLimit = (value: string | number): number | null => {
  const number = Number(value);
  return value === '' || !Number.isFinite(number) || number < 0 ? null : number;
};
