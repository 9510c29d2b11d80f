import { statedAnswerTokens } from '../../models/max-cost.js';
import type { AnsweredRequest } from '../learning/learn-from-request.js';
import type { RankedCandidate } from '../plan.js';
import type { MeasuredAnswer, NewChoice } from '../../store/contracts/choices.js';
import { isSelection } from '../../surface-labels.js';
import { ownUncertainty } from '../explore.js';

/** A request with the plan that was made for it, and its answer where there is one. */
export interface WeighedRequest extends AnsweredRequest {
  readonly isLogged: boolean;
  readonly snapshot: { isKnownModel(provider: string, model: string): boolean };
  readonly record: AnsweredRequest['record'] & {
    readonly promptTokens: number | null;
    readonly costUsd: number | null;
    readonly summedAs: unknown;
  };
}

/** The best candidates count, as many as the request log stores. */
const maxCandidates = 16;

/** How the costs that were predicted become those of the answer that was given. */
interface Scale {
  readonly prompt: number;
  readonly answer: number;
  /** The longest answer that the client asked for. */
  readonly maxTokens: number;
}

const asPredicted: Scale = { prompt: 1, answer: 1, maxTokens: Infinity };

/**
 * The choice behind an answer, with the costs of the other candidates scaled to its tokens; null if
 * no model answered, or the model that did was not weighed against another one.
 */
export function answeredChoice(request: WeighedRequest): NewChoice | null {
  const { record, plan, surface, call } = request;
  const { provider, model, promptTokens, completionTokens } = record;
  if (plan === null || record.code !== null || isSelection(surface)) return null;
  if (plan.candidates.length < 2 || model === null || !request.isLogged) return null;
  const answered = plan.candidates.find(
    (one) => one.model === model && one.provider === provider && isWeighed(one),
  );
  if (!answered) return null;
  const expectedTokens = answered.why.outputTokens ?? 0;
  const isCounted = completionTokens !== null && completionTokens > 0 && expectedTokens > 0;
  const measured: MeasuredAnswer = {
    costUsd: record.costUsd,
    tokens: isCounted ? completionTokens : 0,
    expectedTokens: isCounted ? expectedTokens : 0,
  };
  const scale: Scale = {
    prompt: promptTokens && plan.promptTokens > 0 ? promptTokens / plan.promptTokens : 1,
    answer: isCounted ? completionTokens / expectedTokens : 1,
    maxTokens: (call && statedAnswerTokens(call.chat)) ?? Infinity,
  };
  const choice = weighed(request, plan.candidates, answered, measured, scale);
  if (choice === null || surface !== 'reported') return choice;
  // model selection has counted it, before the host called the model
  const replaces = openChoice(request);
  return replaces ? { ...choice, replaces } : choice;
}

/** A choice whose answer the gateway does not see, or not yet; null if there was none. */
export function openChoice(request: WeighedRequest): NewChoice | null {
  const { plan } = request;
  if (plan === null || plan.candidates.length < 2 || !isWeighed(plan.candidates[0])) return null;
  return weighed(request, plan.candidates, plan.candidates[0], null, asPredicted);
}

/** Whether its quality was predicted: fallbacks are not weighed, only tried. */
const isWeighed = ({ why }: RankedCandidate): boolean => why.uncertainty !== undefined;

/** Without names that clients invent, unless the model answered: there must be few sums to keep. */
function weighed(
  { snapshot, record }: WeighedRequest,
  candidates: readonly RankedCandidate[],
  chosen: RankedCandidate,
  measured: MeasuredAnswer | null,
  scale: Scale,
): NewChoice | null {
  const isChosenKnown =
    measured === null
      ? snapshot.isKnownModel(chosen.provider ?? '', chosen.model)
      : record.summedAs === null;
  if (!isChosenKnown) return null;
  const names = [nameOf(chosen)];
  const figures: number[] = [];
  addFigures(figures, chosen, scale);
  for (const one of candidates.slice(0, maxCandidates)) {
    if (one === chosen || !isWeighed(one)) continue;
    const name = nameOf(one);
    if (names.includes(name) || !snapshot.isKnownModel(one.provider ?? '', one.model)) continue;
    names.push(name);
    addFigures(figures, one, scale);
  }
  if (names.length < 2) return null;
  const { preferenceId } = record;
  return { preferenceId, names, figures, chosen: 0, measured };
}

const nameOf = ({ provider, model }: RankedCandidate): string => `${provider ?? ''}/${model}`;

/** Adds them as `WeighedCandidates.figures` has them. */
function addFigures(figures: number[], { why }: RankedCandidate, scale: Scale): void {
  const { quality, uncertainty = 0, cost, answerCost, outputTokens = 0 } = why;
  const promptUsd = (cost ?? NaN) - (answerCost ?? NaN);
  const most = outputTokens > 0 ? scale.maxTokens / outputTokens : Infinity;
  const answerUsd = (answerCost ?? NaN) * Math.min(scale.answer, most);
  const own = ownUncertainty(quality, uncertainty);
  figures.push(quality, own, promptUsd * scale.prompt, answerUsd);
}
