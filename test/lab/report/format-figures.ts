import type { Estimate } from '../../../src/chooser/training/custom/bootstrap.js';

/** Stands for a figure that does not apply. */
export const noFigure = '–';

/** Stands for an infinite cost: no price reaches the score. */
const never = 'never';

type Format = (value: number) => string;

/** Writes a typographic minus, and none before a figure that rounds to zero. */
const withMinus = (text: string): string => text.replace(/^-(?=.*[1-9])/, '−').replace(/^-/, '');

const fixed =
  (digits: number): Format =>
  (value) => {
    if (Number.isFinite(value)) return withMinus(value.toFixed(digits));
    return value > 0 ? never : noFigure;
  };

const percent: Format = (value) =>
  Number.isFinite(value) ? (100 * value).toFixed(0) : fixed(0)(value);

/** A difference without interval, with its sign. */
export const formatDifference: Format = (value) => {
  const text = fixed(4)(value);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
};

const withInterval =
  (format: Format, unit = '') =>
  (estimate: Estimate | undefined): string => {
    if (estimate === undefined || Number.isNaN(estimate.value)) return noFigure;
    const { value, low, high } = estimate;
    const [main, from, to] = [format(value), format(low), format(high)];
    const text = `${main}${main === never ? '' : unit}`;
    return main === from && main === to ? text : `${text} (${from} to ${to})`;
  };

/** A figure from 0 to 1 with its interval. */
export const scoreWithInterval = withInterval(fixed(3));

/** A difference with its interval. */
export const differenceWithInterval = withInterval(formatDifference);

/** A share in percent with its interval; `never` if it is infinite. */
export const shareWithInterval = withInterval(percent, ' %');

/** A score without interval. */
export const formatScore: Format = fixed(3);

/** A share in percent without interval. */
export function formatShare(value: number): string {
  return Number.isNaN(value) ? noFigure : `${percent(value)} %`;
}

/** A whole number with commas between thousands. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** USD for a thousand requests, from the mean cost of one. */
export function costPerThousand(cost: number): string {
  return (cost * 1000).toFixed(2);
}
