import type { ReasoningEffort } from '../completion.js';

/** The efforts that published results tell apart. */
export const effortLevels = ['none', 'low', 'medium', 'high', 'xhigh'] as const;
export type EffortLevel = (typeof effortLevels)[number];

/** The level that an effort counts as. */
export function levelOf(effort: ReasoningEffort): EffortLevel {
  if (effort === 'minimal') return 'none';
  return effort === 'max' ? 'xhigh' : effort;
}
