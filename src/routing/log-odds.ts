/** The chance of log odds. */
export const sigmoid = (odds: number): number => 1 / (1 + Math.exp(-odds));

/** The log odds of a chance between 0 and 1; infinite at the ends. */
export const logOdds = (chance: number): number => Math.log(chance / (1 - chance));
