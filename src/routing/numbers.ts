/** Rounds a figure to three decimals, for explanations. */
export const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

/** The probability for log odds. */
export const sigmoid = (odds: number): number => 1 / (1 + Math.exp(-odds));

/** The log odds of a probability between 0 and 1; infinite at both ends. */
export const logOdds = (chance: number): number => Math.log(chance / (1 - chance));
