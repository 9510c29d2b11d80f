import { isObject } from '../text/is-object.js';
import { type CandidateExplanation, explainPlan } from './explain-plan.js';
import type { CandidateFigures, Exclusion, RankedCandidate } from './plan.js';
import type { PreferenceSettings } from '../store/contracts/preferences.js';
import { isPreferenceReason, unwantedReason } from './eligible.js';
import type { Figures } from './figures.js';
import { type Margins, rankByTradeoff } from './rank-by-tradeoff.js';

/** A choice that a preference is tried on: candidates, or why there are none. */
interface TriedChoice<Source> {
  readonly source: Source;
  readonly candidates: readonly WeighedAgain[];
  readonly problem: string | null;
}

/** What is tried, and what it is compared with. */
interface Trial {
  readonly settings: PreferenceSettings;
  readonly current: PreferenceSettings | null;
  readonly margins: Omit<Margins, 'affinity'>;
  /** Whether each item names all its candidates. */
  readonly explain: boolean;
}

/**
 * Sums items up; a figure counts only where it is known of both winners: costs in sum, quality and
 * latency as means.
 */
const totalsOf = (items: readonly TriedItem[]) => ({
  items: items.length,
  changed: items.filter(({ isChanged }) => isChanged).length,
  undecided: items.filter(({ winner }) => winner === null).length,
  cost: compared(items, ({ cost }) => cost, false),
  quality: compared(items, ({ quality }) => quality, true),
  latency: compared(items, ({ latency }) => latency, true),
  models: winsOf(items),
});

/** A figure under the current setting and under the tried one, and of how many items it is known. */
function compared(
  items: readonly TriedItem[],
  figure: (one: CandidateExplanation) => number | null | undefined,
  isMean: boolean,
) {
  let [current, preview, count] = [0, 0, 0];
  for (const item of items) {
    const now = item.current && figure(item.current);
    const then = item.winner && figure(item.winner);
    if (typeof now !== 'number' || typeof then !== 'number') continue;
    current += now;
    preview += then;
    count++;
  }
  if (count === 0) return null;
  const whole = isMean ? count : 1;
  return { current: current / whole, preview: preview / whole, items: count };
}

/** How often each model wins, those that win most often first. */
function winsOf(items: readonly TriedItem[]) {
  const wins = new Map<string, { label: string; current: number; preview: number }>();
  const count = (one: CandidateExplanation | null, which: 'current' | 'preview'): void => {
    if (one === null) return;
    const win = wins.get(one.label) ?? { label: one.label, current: 0, preview: 0 };
    win[which]++;
    wins.set(one.label, win);
  };
  for (const { current, winner } of items) {
    count(current, 'current');
    count(winner, 'preview');
  }
  return [...wins.values()].sort((a, b) => b.preview - a.preview || b.current - a.current);
}

/** Tries a preference on choices, and sums up what it would change. */
export function applyPreference<Source>(choices: readonly TriedChoice<Source>[], trial: Trial) {
  const items = choices.map((choice) => tryOn(choice, trial));
  return { items, totals: totalsOf(items) };
}

type TriedItem = ReturnType<typeof tryOn>;

/** What a preference would choose in one case, beside what wins under the current one. */
function tryOn<Source>({ source, candidates, problem }: TriedChoice<Source>, trial: Trial) {
  const { ranked, unwanted } = whatIf(candidates, trial.settings, trial.margins);
  const [now] = whatIf(candidates, trial.current, trial.margins).ranked;
  const [first, second] = ranked;
  return {
    ...source,
    reason: first?.why.reason ?? problem ?? noneLeft(unwanted),
    winner: shown(first),
    runnerUp: shown(second),
    current: shown(now),
    isChanged: first?.label !== now?.label,
    lead: first && second ? { score: first.score - second.score, ...between(first, second) } : null,
    change: first && now ? between(first, now) : null,
    ...(trial.explain && { candidates: explainPlan({ candidates: ranked, excluded: unwanted }) }),
  };
}

const shown = (candidate: RankedCandidate | undefined): CandidateExplanation | null =>
  candidate === undefined ? null : explainPlan({ candidates: [candidate], excluded: [] })[0]!;

const maxReasons = 3;

const noneLeft = (unwanted: readonly Exclusion[]): string =>
  `no model is left: ${unwanted
    .slice(0, maxReasons)
    .map(({ candidate, reason }) => `${candidate.label}: ${reason}`)
    .join('; ')}`;

const less = (a: number | null | undefined, b: number | null | undefined): number | null =>
  typeof a === 'number' && typeof b === 'number' ? a - b : null;

const between = (a: RankedCandidate, b: RankedCandidate) => ({
  quality: less(a.why.quality, b.why.quality),
  cost: less(a.why.cost, b.why.cost),
  latency: less(a.why.latency, b.why.latency),
});

/** A candidate of a stored choice, to be ranked again. */
interface WeighedAgain extends CandidateFigures {
  /** The name that tells which model it is. */
  readonly knownAs: string;
}

/**
 * Orders candidates as a preference would have, and names those that it would have ruled out, from
 * the figures that were predicted of them. There is no conversation to stay in, and nothing is tried
 * for its own sake. Null: without a preference.
 */
function whatIf(
  candidates: readonly WeighedAgain[],
  preference: PreferenceSettings | null,
  margins: Trial['margins'],
) {
  const wanted: WeighedAgain[] = [];
  const unwanted: Exclusion[] = [];
  for (const known of candidates) {
    const reason = preference && unwantedReason(known, preference);
    if (reason === null) wanted.push(known);
    else unwanted.push({ candidate: known.candidate, figures: known.figures, reason });
  }
  const request = { messages: [], preference };
  return { ranked: rankByTradeoff(request, wanted, { ...margins, affinity: 0 }), unwanted };
}

/** A number of a stored explanation; null for anything else. */
const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function figuresIn(stored: Readonly<Record<string, unknown>>): Figures | null {
  const quality = numberIn(stored['quality']);
  if (quality === null) return null;
  const latency = numberIn(stored['latency']);
  const figures: Figures = { quality, price: numberIn(stored['price']), latency };
  // plans that were stored before 2026-11-26 have one of the two
  const uncertainty = numberIn(stored['own_uncertainty'] ?? stored['uncertainty']);
  if (uncertainty !== null) figures.uncertainty = uncertainty;
  const { interval, basis } = stored;
  if (Array.isArray(interval) && interval.length === 2)
    figures.interval = [Number(interval[0]), Number(interval[1])];
  if (basis === 'measured' || basis === 'family' || basis === 'guess') figures.basis = basis;
  if (stored['cost'] !== undefined) figures.cost = numberIn(stored['cost']);
  const whole = numberIn(stored['answer_time']);
  const isExpected = stored['answer_time_basis'] === 'expected';
  if (whole !== null) figures.times = { start: latency ?? whole, whole, isExpected };
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
  return { candidate: { label, provider: owner, model }, figures, knownAs: nameOf(owner, model) };
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
    isObject(one) ? (candidateIn(one, nameOf) ?? []) : [],
  );
  // a cost is expected of every candidate that was weighed, and of no fallback
  const weighed = found.filter(({ figures }) => figures.cost !== undefined);
  return weighed.length > 0 ? weighed : found;
}
