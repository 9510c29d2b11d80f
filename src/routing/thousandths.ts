/** A figure to three decimals, as people read it. */
export const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
