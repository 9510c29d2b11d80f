/** How a bar of a price is drawn. */
const minShare = 0.02;

/**
 * The length of a price's bar, 0..1: logarithmic, because prices of models differ by factors of a
 * hundred. Null: unknown.
 * @param all the prices that are compared
 */
export function priceShare(price: number | null, all: readonly (number | null)[]): number | null {
  if (price === null) return null;
  const known = all.filter((one): one is number => one !== null && one > 0);
  if (price <= 0 || known.length === 0) return 0;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (high === low) return 1;
  const share = Math.log(price / low) / Math.log(high / low);
  return Math.min(1, Math.max(minShare, share));
}

/** A share of calls that failed; null: there were none. */
export const errorShare = (health: { attempts: number; failures: number } | null): number | null =>
  health === null || health.attempts === 0 ? null : health.failures / health.attempts;

/** The colour that stands for how a provider does. */
export const conditionColors = {
  ok: 'green',
  failing: 'red',
  resting: 'orange',
  untried: 'gray',
} as const;
