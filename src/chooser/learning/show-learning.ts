import { type EvidenceRow, type LearnedState, modelOfServed } from './evidence.js';
import { type Counts, countsOf, faultsOf, groupedBy, outcomesByModel } from './known-faults.js';
import { thousandths } from '../../models/numbers.js';
import { kindName } from '../outlook/shipped-outlook.js';
import { type LearnedMoves, learnedMoves } from './learned-moves.js';
import { decodeEvidence } from './evidence-codec.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import type { Store } from '../../store/contracts/store.js';

/** What a scope has learned, for display. */
export interface ShownLearning {
  readonly state: LearnedState;
  readonly moves: LearnedMoves;
  /** Ms since 1970; null: nothing was ever learned. */
  readonly updatedAt: number | null;
}

/**
 * Reads what a scope has learned from the database.
 * @param router under this name kinds of task are numbered
 * @param now ms since 1970
 */
export async function showLearning(
  { learnings }: Pick<Store, 'learnings'>,
  scope: LearningScope,
  router: string,
  now: number,
): Promise<ShownLearning> {
  const record = await learnings.find(scope);
  const state = decodeEvidence(record?.state ?? null);
  return {
    state,
    moves: learnedMoves(state, router, now),
    updatedAt: record && record.state !== null ? record.updatedAt : null,
  };
}

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
    updatedAt: updatedAt === null ? null : isoOf(updatedAt),
    models: shownModels(moves),
    keys: [...groupedBy(moves.ratings, ({ key }) => key)]
      .map(([keyId, ofKey]) => ({ keyId, ratings: ofKey.length, updatedAt: lastOf(ofKey) }))
      .sort((a, b) => b.ratings - a.ratings),
    days: shownDays(moves),
    outcomes: [...outcomesByModel(state)]
      .map(([name, rows]) => {
        const slash = name.indexOf('/');
        return {
          provider: name.slice(0, slash) || null,
          model: modelOfServed(name),
          ...shownCounts(rows, now),
          loss: thousandths(faultsOf(rows, now)?.loss ?? 0),
          days: [...rows]
            .sort((a, b) => b.at - a.at)
            .map((row) => ({ day: shownDay(row.at), keyId: row.key, ...shownCounts([row], now) })),
          updatedAt: lastOf(rows),
        };
      })
      .sort((a, b) => b.answers - a.answers),
  };
}

function shownCounts(rows: readonly EvidenceRow[], now: number): Counts {
  const { answers, faults } = countsOf(rows, now);
  return { answers: thousandths(answers), faults: thousandths(faults) };
}

/** What ratings have moved, most rated first. */
const shownModels = (moves: LearnedMoves): object[] =>
  [...groupedBy(moves.ratings, ({ model }) => model)]
    .map(([model, ratings]) => ({
      model,
      ratings: ratings.length,
      score: thousandths(ratings.reduce((sum, { score }) => sum + score, 0) / ratings.length),
      ...shownMoves(moves, model, ratings),
      keys: [...groupedBy(ratings, ({ key }) => key)].map(([keyId, ofKey]) => ({
        keyId,
        ratings: ofKey.length,
      })),
      updatedAt: lastOf(ratings),
    }))
    .sort((a, b) => b.ratings - a.ratings);

/** What came when, of which key and about which model, the last day first. */
const shownDays = ({ ratings }: LearnedMoves): object[] =>
  [...groupedBy(ratings, ({ at, key, model }) => `${shownDay(at)} ${key ?? ''} ${model}`).values()]
    .map((group) => {
      const [{ at, key, model }] = group as [EvidenceRow];
      return { day: shownDay(at), keyId: key, model, ratings: group.length };
    })
    .sort((a, b) => b.day.localeCompare(a.day));

const isoOf = (at: number): string => new Date(at).toISOString();

/** A day of UTC, such as `2027-01-31`. */
const shownDay = (at: number): string => isoOf(at).slice(0, 10);

function shownMoves(
  { models, places }: LearnedMoves,
  name: string,
  ratings: readonly EvidenceRow[],
): object {
  const { odds, spread } = models.get(name)!;
  const own = new Set(ratings.flatMap(({ kinds }) => kinds.map(([kind]) => kind)));
  const [move = 0] = odds;
  return {
    move: thousandths(move),
    spread: thousandths(spread),
    kinds: [...own]
      .filter((kind) => places.has(kind))
      .map((kind) => ({
        kind,
        name: kindName(kind),
        move: thousandths(odds[places.get(kind)!]! - move),
      })),
  };
}

const lastOf = (rows: readonly EvidenceRow[]): string =>
  isoOf(Math.max(...rows.map(({ at }) => at)));
