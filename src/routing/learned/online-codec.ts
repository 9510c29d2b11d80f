import { type Belief, nothingLearned, type OnlineState, priors, type RatedBelief, type RatedModel, type Served } from './online-state.js';

type Row = readonly unknown[];

const version = 1;
const rounded = (value: number): number => Number(value.toPrecision(6));
const pair = ({ mean, variance }: Belief): number[] => [rounded(mean), rounded(variance)];

/** A state as JSON, for storing. */
export function encodeOnline({ router, strictness, models, served, ratedAt }: OnlineState): string {
  return JSON.stringify({
    version, router, ratedAt, strictness: [...pair(strictness), strictness.at],
    models: [...models].map(([name, { offset, kinds, ratings, scoreSum, at }]) => [name, ...pair(offset), ratings, rounded(scoreSum), at, [...kinds].map(([kind, belief]) => [kind, ...pair(belief)])]),
    served: [...served].map(([name, { answers, faults, at }]) => [name, rounded(answers), rounded(faults), at]),
  });
}

/** The state that was stored; what cannot be read as one has taught nothing. Never throws. */
export function decodeOnline(text: string | null): OnlineState {
  const stored = read(text);
  if (stored?.['version'] !== version) return nothingLearned;
  const { router, ratedAt, strictness, models, served } = stored;
  return {
    router: typeof router === 'string' ? router : null,
    ratedAt: isTime(ratedAt) ? ratedAt : null,
    strictness: strictnessOf(strictness),
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

const rowsOf = (value: unknown): Row[] => (Array.isArray(value) ? value.filter((row): row is Row => Array.isArray(row)) : []);
const isTime = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value < Infinity;

function beliefOf(mean: unknown, variance: unknown, prior: Belief): Belief | null {
  const isBelief = typeof mean === 'number' && Math.abs(mean) < 100 && typeof variance === 'number' && variance > 0 && variance <= prior.variance;
  return isBelief ? { mean, variance } : null;
}

function strictnessOf(value: unknown): RatedBelief {
  const [mean, variance, at] = Array.isArray(value) ? (value as Row) : [];
  const belief = beliefOf(mean, variance, priors.strictness);
  return belief && isTime(at) ? { ...belief, at } : nothingLearned.strictness;
}

function modelOf([name, mean, variance, ratings, scoreSum, at, kinds]: Row): [string, RatedModel][] {
  const offset = beliefOf(mean, variance, priors.offset);
  if (typeof name !== 'string' || !offset || !isCount(ratings) || !isCount(scoreSum) || !isTime(at)) return [];
  return [[name, { offset, ratings, scoreSum, at, kinds: new Map(rowsOf(kinds).flatMap(kindOf)) }]];
}

function kindOf([kind, mean, variance]: Row): [number, Belief][] {
  const belief = beliefOf(mean, variance, priors.kind);
  return Number.isInteger(kind) && belief ? [[kind as number, belief]] : [];
}

function servedOf([name, answers, faults, at]: Row): [string, Served][] {
  return typeof name === 'string' && isCount(answers) && isCount(faults) && faults <= answers && isTime(at) ? [[name, { answers, faults, at }]] : [];
}
