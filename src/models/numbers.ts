/** Rounds a figure to three decimals, for explanations. */
export const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

/** Rounds a figure to four decimals: the smallest uncertainties are some ten-thousandths. */
export const tenThousandths = (value: number): number => Math.round(value * 10_000) / 10_000;

/** The probability for log odds. */
export const sigmoid = (odds: number): number => 1 / (1 + Math.exp(-odds));

/** The log odds of a probability between 0 and 1; infinite at both ends. */
export const logOdds = (chance: number): number => Math.log(chance / (1 - chance));

/** Cached texts of 0, 0.001, … 1: a plan of forty candidates writes a hundred. */
const thousandthTexts: string[] = [];

/** A figure rounded to three decimals, as text. */
export function thousandthsText(value: number): string {
  const count = Math.round(value * 1000);
  if (!(count >= 0 && count <= 1000)) return String(count / 1000);
  return (thousandthTexts[count] ??= String(count / 1000));
}

/** The length of a vector, in less than half of the time of `Math.hypot`. */
export const lengthOf = (x: number, y: number): number => Math.sqrt(x * x + y * y);
