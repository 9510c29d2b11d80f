import type { LimitOwner } from '../accounts/caller-limits.js';
import { isUnpricedModel } from '../providers/unpriced-fields.js';
import { maxCostUsd } from '../models/max-cost.js';
import type { ModelFacts } from '../models/model-facts.js';
import type { Candidate } from '../chooser/plan.js';
import type { PromptMedia } from '../models/prompt-media.js';

const remedy = '`budgets.allowUnpriced` allows it without charging for that';
const settingOf = ({ label }: Candidate, setting: string): string =>
  `\`models.${label}.${setting}\``;

/** Why a caller with a budget may not use a model whose price is not known. */
export const unpricedReason = (candidate: Candidate, owner: LimitOwner): string =>
  `its price is not known, and this ${owner} has a budget: set ${settingOf(candidate, 'inputPrice')} and \`outputPrice\`, or \`budgets.allowUnpriced\``;

/** Why a caller with a budget may not use a field of a request. */
export const unpricedFieldReason = (owner: LimitOwner): string =>
  `it may cost more than tokens, and this ${owner} has a budget; ${remedy}`;

/** What a request asks for beside text. */
interface AskedBesideText {
  readonly media: PromptMedia;
  /** As `ownSearches` returns. */
  readonly searches: number | null;
}

/**
 * Why the cost of a chat with a model has no known bound, for a caller with a budget, and what the
 * operator can do; null if it has one.
 */
export function unboundedReason(
  candidate: Candidate,
  facts: ModelFacts,
  { media, searches }: AskedBesideText,
  owner: LimitOwner,
): string | null {
  if (maxCostUsd({ promptTokens: 1, completionTokens: 1 }, facts) === null)
    return unpricedReason(candidate, owner);
  const isUnpriced = [candidate.model, facts.knownAs].some(isUnpricedModel);
  if (facts.hasOtherCharges || facts.requestPrice !== null || isUnpriced)
    return `it charges for more than text, and this ${owner} has a budget; ${remedy}`;
  if (media.unbounded > 0 && facts.contextLength === null)
    return `the tokens of a file have no known bound, and this ${owner} has a budget: set ${settingOf(candidate, 'contextLength')}, or \`budgets.allowUnpriced\``;
  if (media.sound && facts.audioInputPrice === null)
    return `its price of sound is not known, and this ${owner} has a budget; ${remedy}`;
  return searches === 0 ? null : unboundedSearch(candidate, facts, searches, owner);
}

function unboundedSearch(
  candidate: Candidate,
  { searchPrice }: ModelFacts,
  searches: number | null,
  owner: LimitOwner,
): string | null {
  if (searches === null)
    return `the number of its own web searches has no known bound, and this ${owner} has a budget; ${remedy}`;
  return searchPrice === null
    ? `its price of a web search is not known, and this ${owner} has a budget: set ${settingOf(candidate, 'searchPrice')}, or \`budgets.allowUnpriced\``
    : null;
}
