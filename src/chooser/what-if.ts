import { isPreferenceReason, unwantedReason } from './eligible.js';
import type { Figures } from './figures.js';
import type { CandidateFigures, RankedCandidate } from './plan.js';
import { type Margins, rankByTradeoff } from './rank-by-tradeoff.js';
import type { PreferenceSettings } from '../store/contracts/preferences.js';

/** A candidate as a choice would weigh it again. */
export interface WeighedAgain extends CandidateFigures {
  /** The name that tells which model it is. */
  readonly knownAs: string;
}

/** The order that a preference would have given, and whom it would have ruled out. */
export interface WhatIf {
  readonly ranked: readonly RankedCandidate[];
  readonly unwanted: readonly { readonly label: string; readonly reason: string }[];
}

/**
 * Orders candidates as a preference would have, from the figures that were predicted of them. There
 * is no conversation to stay in, and nothing is tried for its own sake. Null: without a preference.
 */
export function whatIf(
  candidates: readonly WeighedAgain[],
  preference: PreferenceSettings | null,
  { tolerance }: Pick<Margins, 'tolerance'>,
): WhatIf {
  const wanted: WeighedAgain[] = [];
  const unwanted: WhatIf['unwanted'][number][] = [];
  for (const known of candidates) {
    const reason = preference && unwantedReason(known, preference);
    if (reason === null) wanted.push(known);
    else unwanted.push({ label: known.candidate.label, reason });
  }
  const request = { messages: [], preference };
  return { ranked: rankByTradeoff(request, wanted, { tolerance, affinity: 0 }), unwanted };
}

/** A number of a stored explanation; null for anything else. */
const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function figuresIn(stored: Readonly<Record<string, unknown>>): Figures | null {
  const quality = numberIn(stored['quality']);
  if (quality === null) return null;
  const latency = numberIn(stored['latency']);
  const figures: Figures = { quality, price: numberIn(stored['price']), latency };
  const uncertainty = numberIn(stored['uncertainty']);
  if (uncertainty !== null) figures.uncertainty = uncertainty;
  const { interval, basis } = stored;
  if (Array.isArray(interval) && interval.length === 2)
    figures.interval = [Number(interval[0]), Number(interval[1])];
  if (basis === 'measured' || basis === 'family' || basis === 'guess') figures.basis = basis;
  if (stored['cost'] !== undefined) figures.cost = numberIn(stored['cost']);
  const whole = numberIn(stored['answer_time']);
  if (whole !== null) figures.times = { start: latency ?? whole, whole };
  return figures;
}

function candidateIn(
  stored: Readonly<Record<string, unknown>>,
  nameOf: (provider: string | null, model: string) => string,
): WeighedAgain | null {
  const { label, provider, model, excluded } = stored;
  // what only a preference ruled out another one may allow
  if (typeof excluded === 'string' && !isPreferenceReason(excluded)) return null;
  const figures = figuresIn(stored);
  if (figures === null || typeof label !== 'string' || typeof model !== 'string') return null;
  const owner = typeof provider === 'string' ? provider : null;
  return {
    candidate: { label, provider: owner, model },
    figures,
    knownAs: nameOf(owner, model),
  };
}

/**
 * The candidates of a stored plan, as `explainPlan` explained them, without those that could not
 * serve. Fallbacks are left out: they come last, whatever is preferred.
 * @param nameOf the name that tells which model a provider's model is
 */
export function candidatesOfPlan(
  stored: unknown,
  nameOf: (provider: string | null, model: string) => string,
): WeighedAgain[] {
  if (!Array.isArray(stored)) return [];
  const found = stored.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null
      ? (candidateIn(one as Record<string, unknown>, nameOf) ?? [])
      : [],
  );
  // a cost is expected of every candidate that was weighed, and of no fallback
  const weighed = found.filter(({ figures }) => figures.cost !== undefined);
  return weighed.length > 0 ? weighed : found;
}
