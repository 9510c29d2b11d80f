import { forbiddenReason, type AccessRules } from '../models/access-rules.js';
import type { Appraisal, Candidate, RoutingRequest } from './plan.js';
import type { RequestSize } from '../models/tokens.js';
import type { PreferenceSettings } from '../store/contracts/preferences.js';

/**
 * What excludes a candidate: the gateway cannot call it (`unknown`) or the caller may not use it
 * (`forbidden`), whatever the request asks; the request is too long for it (`length`), or needs
 * something else that it lacks (`unsuitable`).
 */
export type ExclusionCause = 'unknown' | 'forbidden' | 'length' | 'unsuitable';

/** The candidates that can serve a request, as given, and those that cannot, with reasons. */
export interface Eligibility {
  eligible: Appraisal[];
  excluded: { known: Appraisal; reason: string; cause: ExclusionCause }[];
}

/** What decides which candidates may be called at all. */
export interface CallRules extends AccessRules {
  /** Why the gateway cannot call a candidate; null: it can. Absent: the caller calls the model. */
  readonly unknownReason?: (candidate: Candidate) => string | null;
  /** Why a candidate cannot do what the request asks beside answering; null if it can. */
  readonly unfitReason?: (candidate: Candidate) => string | null;
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
  return null;
}

/** Why a candidate may not be used under the name that its provider has for it. */
function deniedReason(
  { candidate, knownAs }: Pick<Appraisal, 'candidate' | 'knownAs'>,
  deny: readonly string[] | null | undefined,
): string | null {
  if (!deny || knownAs === candidate.model) return null;
  return forbiddenReason({ ...candidate, model: knownAs }, { deny });
}

const excludedByPreference = 'the preference excludes it';
const butAllowed = 'but the preference allows';

/** Whether a stored reason says that a preference ruled the candidate out, and nothing else. */
export const isPreferenceReason = (reason: string): boolean =>
  reason === excludedByPreference || reason.includes(`, ${butAllowed} `);

/** Why a preference rules a candidate out; null if it does not. Unknown figures never do. */
export function unwantedReason(
  known: Pick<Appraisal, 'candidate' | 'knownAs' | 'figures'>,
  { allow, exclude, maxPrice, maxLatency }: PreferenceSettings,
): string | null {
  const { price, latency } = known.figures;
  const forbidden =
    allow || exclude
      ? (forbiddenReason(known.candidate, { allow: allow ?? null, deny: exclude ?? null }) ??
        deniedReason(known, exclude))
      : null;
  if (forbidden !== null) return excludedByPreference;
  if (typeof maxPrice === 'number' && price !== null && price > maxPrice)
    return `it costs ${price} USD per million tokens, ${butAllowed} ${maxPrice}`;
  if (typeof maxLatency === 'number' && latency !== null && latency > maxLatency)
    return `it takes ${latency} s to the first token, ${butAllowed} ${maxLatency}`;
  return null;
}

/** Why a candidate cannot serve; null if it can. */
function exclusionOf(
  request: RoutingRequest,
  size: RequestSize,
  known: Appraisal,
  rules: CallRules,
): { reason: string; cause: ExclusionCause } | null {
  const unknown = rules.unknownReason?.(known.candidate) ?? null;
  if (unknown !== null) return { reason: unknown, cause: 'unknown' };
  const forbidden = forbiddenReason(known.candidate, rules) ?? deniedReason(known, rules.deny);
  if (forbidden !== null) return { reason: forbidden, cause: 'forbidden' };
  const unsuitable =
    (request.preference ? unwantedReason(known, request.preference) : null) ??
    incapableReason(request, size, known) ??
    rules.unfitReason?.(known.candidate) ??
    null;
  if (unsuitable !== null) return { reason: unsuitable, cause: 'unsuitable' };
  const tooLong = contextReason(known, size, request.maxTokens ?? 0);
  return tooLong === null ? null : { reason: tooLong, cause: 'length' };
}

/** Separates the candidates that can serve a request from others. Unknown facts exclude none. */
export function eligible(
  request: RoutingRequest,
  size: RequestSize,
  candidates: readonly Appraisal[],
  rules: CallRules,
): Eligibility {
  const parted: Eligibility = { eligible: [], excluded: [] };
  for (const known of candidates) {
    const exclusion = exclusionOf(request, size, known, rules);
    if (exclusion === null) parted.eligible.push(known);
    else parted.excluded.push({ known, reason: exclusion.reason, cause: exclusion.cause });
  }
  return parted;
}
