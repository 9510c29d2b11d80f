import { added, bounded } from './online-evidence.js';
import {
  type Evidence,
  nothingLearned,
  type OnlineState,
  type RatedModel,
  type Served,
} from './online-state.js';

type Row = readonly unknown[];

/** The first version stored ratings differently: only the outcomes are read from it. */
const version = 2,
  firstVersion = 1;
/** No state written by this program has more. */
const maxWeight = 100;
const rounded = (value: number): number => Number(value.toPrecision(6));

/** A state as JSON, to be stored. */
export function encodeOnline({ router, models, served, ratedAt }: OnlineState): string {
  return JSON.stringify({
    version,
    router,
    ratedAt,
    models: [...models].map(([name, { evidence, ratings, scoreSum, at }]) => [
      name,
      ratings,
      rounded(scoreSum),
      at,
      [...evidence].map(([kind, { weight, sum }]) => [kind, rounded(weight), rounded(sum)]),
    ]),
    served: [...served].map(([name, { answers, faults, at }]) => [
      name,
      rounded(answers),
      rounded(faults),
      at,
    ]),
  });
}

/** Reads a stored state; a text that cannot be read counts as nothing learned. Never throws. */
export function decodeOnline(text: string | null): OnlineState {
  const stored = read(text);
  if (stored?.['version'] === firstVersion)
    return { ...nothingLearned, served: new Map(rowsOf(stored['served']).flatMap(servedOf)) };
  if (stored?.['version'] !== version) return nothingLearned;
  const { router, ratedAt, models, served } = stored;
  return {
    router: typeof router === 'string' ? router : null,
    ratedAt: isTime(ratedAt) ? ratedAt : null,
    models: new Map(rowsOf(models).flatMap(modelOf)),
    served: new Map(rowsOf(served).flatMap(servedOf)),
  };
}

function read(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = text === null ? null : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const rowsOf = (value: unknown): Row[] =>
  Array.isArray(value) ? value.filter((row): row is Row => Array.isArray(row)) : [];
const isTime = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < Infinity;

function modelOf([name, ratings, scoreSum, at, evidence]: Row): [string, RatedModel][] {
  if (typeof name !== 'string' || !isCount(ratings) || !isCount(scoreSum) || !isTime(at)) return [];
  return [
    [
      name,
      { ratings, scoreSum, at, evidence: bounded(new Map(rowsOf(evidence).flatMap(evidenceOf))) },
    ],
  ];
}

function evidenceOf([kind, weight, sum]: Row): [number, Evidence][] {
  return Number.isInteger(kind) && isCount(weight) && weight < maxWeight && typeof sum === 'number'
    ? [[kind as number, added(undefined, weight, sum)]]
    : [];
}

function servedOf([name, answers, faults, at]: Row): [string, Served][] {
  return typeof name === 'string' &&
    isCount(answers) &&
    isCount(faults) &&
    faults <= answers &&
    isTime(at)
    ? [[name, { answers, faults, at }]]
    : [];
}
