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
