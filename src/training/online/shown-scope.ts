import { fadedServed } from '../../routing/predictor/online-learner.js';
import type { Served } from '../../routing/predictor/online-state.js';
import { thousandths } from '../../routing/numbers.js';
import type { ShownLearning } from './show-learning.js';
import { shownDays, shownKeys, shownModels } from './shown-models.js';

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
    outcomes: [...state.served]
      .sort(([, a], [, b]) => b.answers - a.answers)
      .map(([name, served]) => shownServed(name, served, now)),
  };
}

function shownServed(name: string, served: Served, now: number): object {
  const slash = name.indexOf('/');
  const { answers, faults } = fadedServed(served, now);
  return {
    provider: name.slice(0, slash) || null,
    model: name.slice(slash + 1),
    answers: thousandths(answers),
    faults: thousandths(faults),
    updatedAt: new Date(served.at).toISOString(),
  };
}
