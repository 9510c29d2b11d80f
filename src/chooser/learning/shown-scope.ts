import { modelOfServed, type Served } from '../predictor/online-state.js';
import { faultsOf, servedByName, sumOfServed } from '../predictor/served.js';
import { thousandths } from '../../models/numbers.js';
import type { ShownLearning } from './show-learning.js';
import { shownDay, shownDays, shownKey, shownKeys, shownModels } from './shown-models.js';

/** What the configuration says of a scope's learning. */
export interface LearningSettings {
  readonly preferenceId: string;
  readonly enabled: boolean;
  /** Whether signals that need no rating are taken in. */
  readonly implicit: boolean;
  readonly exploration: number;
}

/** What a scope has learned, as the API and the command line show it. */
export function shownLearning(
  { preferenceId, enabled, implicit, exploration }: LearningSettings,
  { state, moves, updatedAt }: ShownLearning,
): object {
  const now = Date.now();
  return {
    object: 'learning',
    preference_id: preferenceId === '' ? null : preferenceId,
    enabled,
    implicit: enabled && implicit,
    exploration,
    updatedAt: updatedAt === null ? null : new Date(updatedAt).toISOString(),
    models: shownModels(moves),
    keys: shownKeys(moves),
    days: shownDays(moves),
    outcomes: [...servedByName(state.served)]
      .map(([name, rows]) => shownServed(name, rows, now))
      .sort((a, b) => b.answers - a.answers),
  };
}

interface ShownCounts {
  readonly answers: number;
  readonly faults: number;
}

function shownServed(
  name: string,
  rows: readonly Served[],
  now: number,
): ShownCounts & Record<string, unknown> {
  const slash = name.indexOf('/');
  return {
    provider: name.slice(0, slash) || null,
    model: modelOfServed(name),
    ...shownCounts(rows, now),
    loss: thousandths(faultsOf(rows, now)?.loss ?? 0),
    days: [...rows]
      .sort((a, b) => b.at - a.at)
      .map((row) => ({
        day: shownDay(row.at),
        keyId: shownKey(row.key),
        ...shownCounts([row], now),
      })),
    updatedAt: new Date(Math.max(...rows.map(({ at }) => at))).toISOString(),
  };
}

/** Refused and cut off answers are faults too. */
function shownCounts(rows: readonly Served[], now: number): ShownCounts {
  const { answers, faults, spoilt } = sumOfServed(rows, now);
  return { answers: thousandths(answers), faults: thousandths(faults + spoilt) };
}
