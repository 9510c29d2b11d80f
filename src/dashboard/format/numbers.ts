import type { Schema } from '../api/schema.js';
import { fill, texts } from '../texts/texts.js';

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

const tenth = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** What stands where a value is unknown. */
export const unknownValue = '–';

/** Shows what is known by a format, and else that it is unknown. */
export const ifKnown =
  <Value>(format: (value: Value) => string) =>
  (value: Value | null | undefined): string =>
    value == null ? unknownValue : format(value);

/** A whole number with separators: `12,345`. */
export const formatCount = ifKnown((value: number) => grouped.format(value));

/** Tokens of prompt and answer: `1,200 → 84`. */
export const formatTokens = ({ promptTokens, completionTokens }: TokenCounts): string =>
  promptTokens === null && completionTokens === null
    ? unknownValue
    : `${formatCount(promptTokens)} → ${formatCount(completionTokens)}`;

type TokenCounts = Readonly<Record<'promptTokens' | 'completionTokens', number | null>>;

/** A number in full below 10,000, else in few characters: `2,985`, `1.2M`. */
export const formatCompact = ifKnown((value: number) =>
  (Math.abs(value) < 10_000 ? grouped : compact).format(value),
);

/** A quality or a score from 0 to 1 on the scale that all pages use, from 0 to 100: `93.4`. */
export const formatQuality = ifKnown((value: number) => tenth.format(value * 100));

/** The reason of a choice with its qualities and scores, the numbers without a unit, on that scale. */
export const reasonWords = (reason: string | undefined): string | undefined =>
  reason?.replace(/(?<= )(?:0\.\d+|[01])(?=$|[,;]| ±| of the best)/g, (number) =>
    formatQuality(Number(number)),
  );

/** US dollars with as many digits as the amount needs: `$0.00042`, `$1.35`, `$1,204`. */
export const formatUsd = ifKnown((value: number) => {
  const size = Math.abs(value);
  const digits =
    size === 0 || size >= 1_000 ? 0 : size >= 1 ? 2 : Math.min(8, 2 - exponentOf(size));
  const sign = value < 0 ? '−' : '';
  return `${sign}$${size.toLocaleString('en', { minimumFractionDigits: size === 0 ? 0 : Math.min(digits, 2), maximumFractionDigits: digits })}`;
});

/** `0.034` is `-2`: how many places after the point come before the first digit. */
const exponentOf = (value: number): number => Math.floor(Math.log10(value)) + 1;

/** A share from 0 to 1 as a percentage: `0%`, `4.2%`; one that would be rounded to nothing: `<0.1%`. */
export function formatShare(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined) return unknownValue;
  const [percent, least] = [value * 100, 10 ** -digits];
  return percent > 0 && percent < least / 2
    ? `<${least}%`
    : `${percent.toFixed(percent % 100 === 0 ? 0 : digits)}%`;
}

/**
 * Round values from 0 to the highest one or soon above it, for an axis.
 * @param most of the steps between them
 * @param steps rising; absent: 1 to 5 of each power of ten
 * @param label steps are so large that each value has a label of its own
 */
export function roundTicks(
  highest: number,
  most: number,
  steps: readonly number[] = decimalSteps(highest),
  label: (value: number) => string = String,
): number[] {
  for (const step of steps) {
    const count = Math.ceil(highest / step - 1e-9);
    const ticks = Array.from({ length: count <= most ? count + 1 : 0 }, (_, at) => at * step);
    if (ticks.length > 0 && new Set(ticks.map(label)).size === ticks.length) return ticks;
  }
  return Array.from({ length: most + 1 }, (_, at) => (at * highest) / most);
}

const decimalSteps = (highest: number): number[] =>
  [-2, -1, 0, 1, 2].flatMap((power) =>
    [1, 2, 3, 4, 5].map((step) => step * 10 ** (Math.floor(Math.log10(highest)) + power)),
  );

/** A figure with its unit as an axis says it, without zeros that say nothing: `50 s`, `10%`, `0`. */
export const axisLabel = (figure: string): string =>
  figure
    .replace(/\.0+(?!\d)/, '')
    .replace(/^0 .*$/, '0')
    .replace(/ 0 s$/, '');

const units = ['B', 'kB', 'MB', 'GB'] as const;

/** A size with its unit, in steps of a thousand: `25 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)));
  const value = bytes / 1_000 ** step;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[step] ?? 'B'}`;
}

type Spend = Pick<Schema<'RequestResponse'>, 'costUsd' | 'estimatedUsd' | 'heldUsd'>;
type Priced = Pick<Spend, 'costUsd'> & Pick<TokenCounts, 'promptTokens'>;

/** A cost; of tokens without one, that no price was known when they were used. */
export const formatCost = ({ costUsd, promptTokens }: Priced): string =>
  costUsd === null && promptTokens !== null ? texts.common.noPrice : formatUsd(costUsd);

/** What was spent, with `≈` where a part of it is estimated, and what budgets hold beside it. */
export const formatSpend = ({ estimatedUsd, heldUsd, ...used }: Spend & Priced): string =>
  `${estimatedUsd > 0 ? '≈ ' : ''}${formatCost(used)}${heldUsd > 0 ? fill(texts.common.withHeld, { held: formatUsd(heldUsd) }) : ''}`;

/** The parts of a sum in words, those that are not 0. */
export function spendParts({ costUsd, estimatedUsd, heldUsd }: Spend): string[] {
  const { allEstimated, estimated, held } = texts.common;
  const words = estimatedUsd === costUsd ? allEstimated : estimated;
  return [
    ...(estimatedUsd > 0 ? [fill(words, { usd: formatUsd(estimatedUsd) })] : []),
    ...(heldUsd > 0 ? [fill(held, { usd: formatUsd(heldUsd) })] : []),
  ];
}
