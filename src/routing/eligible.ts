import { forbiddenReason, type AccessRules } from './access-rules.js';
import type { Appraisal, RoutingRequest } from './plan.js';
import type { PreferenceSettings } from './preference.js';
import type { RequestSize } from './tokens.js';

/**
 * The candidates that can serve a request, in the order given, and those that cannot, each with the
 * reason.
 */
export interface Eligibility {
  eligible: Appraisal[];
  /** `isForbidden`: an access rule excludes it, whatever the request asks. */
  excluded: { known: Appraisal; reason: string; isForbidden: boolean }[];
}

function contextReason(
  { contextLength, maxOutput }: Appraisal,
  { tokens }: RequestSize,
  maxTokens: number,
): string | null {
  if (contextLength === null) return null;
  // providers cap the requested output at what the model can write
  const answer = maxOutput === null ? maxTokens : Math.min(maxTokens, maxOutput);
  if (tokens + answer <= contextLength) return null;
  const needed = answer > 0 ? `about ${tokens} and ${answer} for the answer` : `about ${tokens}`;
  return `its context length is ${contextLength} tokens, but the request needs ${needed}`;
}

function incapableReason(
  request: RoutingRequest,
  size: RequestSize,
  known: Appraisal,
): string | null {
  const tools = request.tools?.length ?? 0;
  if (tools > 0 && known.tools === false)
    return `it does not call tools, but the request offers ${tools}`;
  if (size.images > 0 && known.images === false)
    return `it does not accept images, but the request has ${size.images}`;
  return contextReason(known, size, request.maxTokens ?? 0);
}

/**
 * Why a preference rules a candidate out; null if it does not. Unknown figures never rule one out.
 */
function unwantedReason(
  { candidate, figures: { price, latency } }: Appraisal,
  { allow, exclude, maxPrice, maxLatency }: PreferenceSettings,
): string | null {
  const forbidden =
    allow || exclude
      ? forbiddenReason(candidate, { allow: allow ?? null, deny: exclude ?? null })
      : null;
  if (forbidden !== null) return 'the preference excludes it';
  if (typeof maxPrice === 'number' && price !== null && price > maxPrice)
    return `it costs ${price} USD per million tokens, but the preference allows ${maxPrice}`;
  if (typeof maxLatency === 'number' && latency !== null && latency > maxLatency)
    return `it takes ${latency} s to the first token, but the preference allows ${maxLatency}`;
  return null;
}

/**
 * Separates the candidates that can serve a request from those that cannot. Unknown facts never
 * rule one out.
 */
export function eligible(
  request: RoutingRequest,
  size: RequestSize,
  candidates: readonly Appraisal[],
  rules: AccessRules,
): Eligibility {
  const parted: Eligibility = { eligible: [], excluded: [] };
  for (const known of candidates) {
    const forbidden = forbiddenReason(known.candidate, rules);
    const reason =
      forbidden ??
      (request.preference ? unwantedReason(known, request.preference) : null) ??
      incapableReason(request, size, known);
    if (reason === null) parted.eligible.push(known);
    else parted.excluded.push({ known, reason, isForbidden: forbidden !== null });
  }
  return parted;
}
