import type { Estimate } from '../../../src/training/custom/bootstrap.js';

/** What stands where there is no figure. */
export const nothing = '–';

type Write = (value: number) => string;

const never = 'never';
/** A true minus, and none before a figure that is written as nothing. */
const minus = (text: string): string => text.replace(/^-(?=.*[1-9])/, '−').replace(/^-/, '');
const plain =
  (digits: number): Write =>
  (value) =>
    Number.isFinite(value) ? minus(value.toFixed(digits)) : value > 0 ? never : nothing;
const withSign: Write = (value) => {
  const text = plain(4)(value);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
};
const inHundredths: Write = (value) =>
  Number.isFinite(value) ? (100 * value).toFixed(0) : plain(0)(value);

const written =
  (write: Write, unit = '') =>
  (estimate: Estimate | undefined): string => {
    if (estimate === undefined || Number.isNaN(estimate.value)) return nothing;
    const [value, low, high] = [write(estimate.value), write(estimate.low), write(estimate.high)];
    const told = `${value}${value === never ? '' : unit}`;
    return value === low && value === high ? told : `${told} (${low} to ${high})`;
  };

/** A figure from 0 to 1 with its interval. */
export const asScore = written(plain(3));

/** A difference with its interval. */
export const asDifference = written(withSign);

/** A share in hundredths with its interval; `never` where it is infinite. */
export const asShare = written(inHundredths, ' %');

/** A difference without interval. */
export const difference = withSign;

/** A score without interval. */
export const score = plain(3);

/** A share in hundredths without interval. */
export function share(value: number): string {
  return Number.isNaN(value) ? nothing : `${inHundredths(value)} %`;
}

/** A whole number, with commas between thousands. */
export function whole(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** USD for a thousand requests, of the mean cost of one. */
export function perThousand(cost: number): string {
  return (cost * 1000).toFixed(2);
}
