import type { Caller } from '../../accounts/caller.js';
import { invalidField } from '../../errors.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import { type CandidateExplanation, explainPlan } from '../../chooser/explain-plan.js';
import type { RankedCandidate } from '../../chooser/plan.js';
import type { PreferenceSettings } from '../../chooser/preference.js';
import { whatIf } from '../../chooser/what-if.js';
import {
  choicesOfPrompts,
  choicesOfRequests,
  requireChoices,
  type SkippedRequest,
  type Taught,
  type TriedChoice,
  type WantedChoices,
} from './preview-choices.js';
import type { Difference, PreviewItem } from './preview-item.js';
import { type PreviewTotals, totalsOf } from './preview-totals.js';

/** What somebody tries out. */
export interface PreviewRequest extends WantedChoices {
  readonly preference: PreferenceSettings & { readonly name?: string | null };
  /** What it is compared with, and whose training counts; absent: requests without a preference. */
  readonly preference_id?: string | null;
}

/** What a preference would choose, beside what is chosen now. */
export interface Preview {
  readonly object: 'preference_preview';
  readonly items: readonly PreviewItem[];
  readonly totals: PreviewTotals;
  /** Requests that it could not be tried on. */
  readonly skipped: readonly SkippedRequest[];
}

/**
 * Tries a preference on requests, examples and messages without storing it.
 * @param explain whether each item names all its candidates
 * @throws GatewayError `not_found` for an unknown preference, `validation_failed`, `forbidden`
 */
export async function previewPreference(
  parts: GatewayParts,
  caller: Caller,
  { preference: asked, preference_id: id = null, ...wanted }: PreviewRequest,
  explain: boolean,
): Promise<Preview> {
  requireChoices(wanted);
  const { current, taught } = await comparedWith(parts, caller, id);
  const { choices, skipped } = await choicesOfRequests(parts, caller, wanted);
  choices.push(...choicesOfPrompts(parts, caller, wanted, taught));
  const { name: _name, ...settings } = asked;
  const { tolerance } = parts.current().training;
  const items = choices.map((choice) => tryOn(choice, { settings, current, tolerance, explain }));
  return { object: 'preference_preview', items, totals: totalsOf(items), skipped };
}

/** The setting of now, and what was taught under it. */
async function comparedWith(
  { state, current }: GatewayParts,
  { accountId }: Caller,
  id: string | null,
): Promise<{ readonly current: PreferenceSettings | null; readonly taught: Taught }> {
  const known = id === null ? null : await state.chooser.preference(accountId, id);
  if (id !== null && known === null) throw invalidField('preference_id', 'not found', 'not_found');
  const online = current().routing.learning.enabled
    ? await state.chooser.learned({ accountId, preferenceId: id ?? '' })
    : null;
  return {
    current: known?.preference ?? null,
    taught: {
      tunings: known?.tunings ?? [],
      onlineLearning: online?.tuning ? { tuning: online.tuning, exploration: 0 } : null,
    },
  };
}

interface Trial {
  readonly settings: PreferenceSettings;
  readonly current: PreferenceSettings | null;
  readonly tolerance: number;
  readonly explain: boolean;
}

function tryOn({ source, candidates, problem }: TriedChoice, trial: Trial): PreviewItem {
  const { ranked, unwanted } = whatIf(candidates, trial.settings, trial);
  const [now] = whatIf(candidates, trial.current, trial).ranked;
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
    ...(trial.explain
      ? {
          candidates: [
            ...explainPlan({ candidates: ranked, excluded: [] }),
            ...ruledOut(unwanted, candidates),
          ],
        }
      : {}),
  };
}

const shown = (candidate: RankedCandidate | undefined): CandidateExplanation | null =>
  candidate === undefined ? null : explainPlan({ candidates: [candidate], excluded: [] })[0]!;

type Unwanted = ReturnType<typeof whatIf>['unwanted'];

function ruledOut(
  unwanted: Unwanted,
  candidates: TriedChoice['candidates'],
): CandidateExplanation[] {
  const reasons = new Map(unwanted.map(({ label, reason }) => [label, reason]));
  const excluded = candidates.flatMap(({ candidate, figures }) => {
    const reason = reasons.get(candidate.label);
    return reason === undefined ? [] : [{ candidate, figures, reason }];
  });
  return explainPlan({ candidates: [], excluded });
}

const maxReasons = 3;

const noneLeft = (unwanted: Unwanted): string =>
  `no model is left: ${unwanted
    .slice(0, maxReasons)
    .map(({ label, reason }) => `${label}: ${reason}`)
    .join('; ')}`;

const less = (a: number | null | undefined, b: number | null | undefined): number | null =>
  typeof a === 'number' && typeof b === 'number' ? a - b : null;

const between = (a: RankedCandidate, b: RankedCandidate): Omit<Difference, 'score'> => ({
  quality: less(a.why.quality, b.why.quality),
  cost: less(a.why.cost, b.why.cost),
  latency: less(a.why.latency, b.why.latency),
});
