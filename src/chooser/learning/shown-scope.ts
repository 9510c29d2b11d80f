import { type EvidenceRow, modelOfServed } from './evidence.js';
import { countsOf, faultsOf, outcomesByModel } from './known-faults.js';
import { thousandths } from '../../models/numbers.js';
import type { ShownLearning } from './show-learning.js';
import { shownDay, shownDays, shownKeys, shownModels } from './shown-models.js';

/** What the configuration says of a scope's learning. */
export interface LearningSettings {
  readonly preferenceId: string;
  readonly enabled: boolean;
  readonly exploration: number;
}

/** What a scope has learned, as the API and the command line show it. */
export function shownLearning(
  { preferenceId, enabled, exploration }: LearningSettings,
  { state, moves, updatedAt }: ShownLearning,
): object {
  const now = Date.now();
  return {
    object: 'learning',
    preference_id: preferenceId === '' ? null : preferenceId,
    enabled,
    exploration,
    updatedAt: updatedAt === null ? null : new Date(updatedAt).toISOString(),
    models: shownModels(moves),
    keys: shownKeys(moves),
    days: shownDays(moves),
    outcomes: [...outcomesByModel(state)]
      .map(([name, rows]) => shownOutcomes(name, rows, now))
      .sort((a, b) => b.answers - a.answers),
  };
}

interface ShownCounts {
  readonly answers: number;
  readonly faults: number;
}

function shownOutcomes(
  name: string,
  rows: readonly EvidenceRow[],
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
        keyId: row.key,
        ...shownCounts([row], now),
      })),
    updatedAt: new Date(Math.max(...rows.map(({ at }) => at))).toISOString(),
  };
}

function shownCounts(rows: readonly EvidenceRow[], now: number): ShownCounts {
  const { answers, faults } = countsOf(rows, now);
  return { answers: thousandths(answers), faults: thousandths(faults) };
}
