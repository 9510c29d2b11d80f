import type { NewRating } from './add-evidence.js';
import { isObject, textIn } from '../../text/is-object.js';
import type { KindsOfTask } from '../figures.js';
import type { RequestRow, SelectionRow } from '../../store/contracts/requests.js';

/** What is known about a rated decision, as it was stored: every part may be missing. */
export interface RatedDecision {
  /** '': made without a preference. */
  readonly preferenceId: string;
  readonly kinds: KindsOfTask | null;
  readonly candidates: readonly unknown[];
}

/** A decision of model selection. */
export function decisionOfSelection({
  preferenceId,
  candidates,
}: SelectionRow): RatedDecision | null {
  if (!Array.isArray(candidates)) return null;
  return { preferenceId: preferenceId ?? '', kinds: kindsOf(candidates[0]), candidates };
}

/** The decision that was made for a completion. */
export function decisionOfRequest({ plan }: RequestRow): RatedDecision | null {
  if (!isObject(plan) || !Array.isArray(plan['candidates'])) return null;
  const { preferenceId, candidates } = plan;
  return {
    preferenceId: textIn(preferenceId),
    kinds: kindsOf(plan),
    candidates: candidates as unknown[],
  };
}

/** How a model did on a decision, as the learner takes it. */
export type ModelScore = Pick<NewRating, 'model' | 'kinds' | 'predicted' | 'score' | 'at'>;

/** The model that is rated, and its score. */
export type ModelRating = Pick<NewRating, 'score' | 'at'> & {
  readonly provider: string | null;
  readonly model: string | null;
};

/**
 * The rating of a model for a decision; null if the model was not a candidate, could not serve the
 * request, or had no predicted quality.
 */
export function ratingOf(
  { kinds, candidates }: RatedDecision,
  { provider, model, score, at }: ModelRating,
): ModelScore | null {
  const rated = candidateNamed(candidates, provider, model);
  const predicted = isStated(rated) ? null : (rated?.['quality_before'] ?? rated?.['quality']);
  return model === null || typeof predicted !== 'number'
    ? null
    : { model, kinds, predicted, score, at };
}

/** The quality predicted for a candidate; null if it was stated, or there is no such candidate. */
export function predictedQuality(
  { candidates }: RatedDecision,
  { provider = null, model = null }: { provider?: string | null; model?: string | null },
): number | null {
  const found = candidateNamed(candidates, provider, model);
  const quality = found?.['quality'];
  return typeof quality === 'number' && found?.['uncertainty'] !== undefined && !isStated(found)
    ? quality
    : null;
}

/**
 * Whether a quality was stated, so that it does not show what would have been predicted. A predicted
 * one says what it is based on, even where its uncertainty is too small to be stored; before that
 * was said, no uncertainty was so small.
 */
const isStated = (candidate: Record<string, unknown> | undefined): boolean =>
  candidate?.['uncertainty'] === 0 && candidate['basis'] === undefined;

const candidateNamed = (
  candidates: readonly unknown[],
  provider: string | null,
  model: string | null,
): Record<string, unknown> | undefined =>
  candidates
    .filter(isObject)
    .find(
      (one) =>
        one['model'] === model &&
        one['excluded'] === undefined &&
        (provider === null || one['provider'] === provider),
    );

/** The provider and model behind a label that model selection answered; null if none has it. */
export function labelledCandidate(
  { candidates }: RatedDecision,
  label: string,
): { readonly provider: string | null; readonly model: string } | null {
  const found = candidates.filter(isObject).find((one) => one['label'] === label);
  if (typeof found?.['model'] !== 'string') return null;
  return {
    provider: typeof found['provider'] === 'string' ? found['provider'] : null,
    model: found['model'],
  };
}

function kindsOf(plan: unknown): KindsOfTask | null {
  const kinds = isObject(plan) ? plan['kinds'] : null;
  if (!isObject(kinds) || typeof kinds['router'] !== 'string' || !Array.isArray(kinds['shares']))
    return null;
  const shares = (kinds['shares'] as unknown[]).filter(
    (pair): pair is [number, number] =>
      Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'number'),
  );
  return { router: kinds['router'], shares };
}
