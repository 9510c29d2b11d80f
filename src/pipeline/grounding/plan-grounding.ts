import { budgetOwner } from '../../accounts/caller-limits.js';
import { GatewayError, invalidField } from '../../errors.js';
import type { GatewayTool } from '../../grounding/tools/gateway-tool.js';
import type { Candidate } from '../../chooser/plan.js';
import { mediaOf } from '../../models/prompt-media.js';
import type { CompletionCall } from '../completion-call.js';
import type { GatewayRequest } from '../request.js';
import { unboundedReason } from '../unbounded-reason.js';
import type { GroundingWish, PlannedGrounding, SearchTerms, SearchMode } from './grounding-call.js';
import { groundingTerms } from './grounding-terms.js';
import type { NativeSearch } from '../../providers/adapter.js';

/** How many candidates a message lists. */
const maxReasons = 5;

/**
 * Decides what a completion may use beside its model, before any model is called. Sets
 * `request.grounding`, and adds to `request.warnings`.
 * @param candidates all that the request names
 * @throws GatewayError the surface's code for an invalid field
 */
export async function planGrounding(
  request: GatewayRequest,
  call: CompletionCall,
  wish: GroundingWish,
  candidates: readonly Candidate[],
): Promise<PlannedGrounding> {
  const terms = groundingTerms(request, call, wish);
  const tools = await toolsOf(request, call, wish);
  const choices = new Map<string, ModeChoice>();
  const choose = (candidate: Candidate): ModeChoice | null => {
    // research searches for the model
    if (!terms.search || terms.research) return null;
    const known = choices.get(candidate.label);
    if (known) return known;
    const choice = searchModeOf(abilitiesOf(request, call, candidate, terms.search), {
      terms: terms.search,
      hasEngine: request.snapshot.grounding.search !== null,
      hasTools: tools.length > 0 || terms.clientTools.length > 0,
    });
    choices.set(candidate.label, choice);
    return choice;
  };
  const planned: PlannedGrounding = {
    terms,
    tools,
    modeOf: (candidate) => choose(candidate)?.mode ?? null,
    unfitReason: (candidate) => choose(candidate)?.reason ?? null,
    isUnforced: (candidate) => choose(candidate)?.isUnforced ?? false,
  };
  if (terms.search && candidates.length > 0)
    refuseWithoutSearch(request, call, planned, candidates);
  request.grounding = planned;
  return planned;
}

/** Refuses a request whose models cannot search, before other reasons against them are reported. */
function refuseWithoutSearch(
  { snapshot: { grounding } }: GatewayRequest,
  { invalidCode }: CompletionCall,
  planned: PlannedGrounding,
  candidates: readonly Candidate[],
): void {
  if (grounding.search || candidates.some((one) => planned.unfitReason(one) === null)) return;
  const reasons = candidates.map((one) => `${one.label}: ${planned.unfitReason(one)}`);
  const known = reasons.slice(0, maxReasons).join('; ');
  const reason = `no model of the request can search (${known}); an operator can configure an engine (\`search.engines\`)`;
  throw invalidField('search', reason, invalidCode);
}

function abilitiesOf(
  { snapshot, caller }: GatewayRequest,
  { chat }: CompletionCall,
  candidate: Candidate,
  { maxUses }: SearchTerms,
): SearchAbilities {
  const { provider, model } = candidate;
  const adapter = provider === null ? undefined : snapshot.providers.get(provider)?.adapter;
  const native = adapter?.webSearch?.(model) ?? null;
  const facts = snapshot.catalog.lookup(provider, model);
  const owner = snapshot.budgets.allowUnpriced ? null : budgetOwner(caller);
  const own = { media: mediaOf(chat), searches: native?.bounded ? maxUses : null };
  const refusal = native && owner && unboundedReason(candidate, facts, own, owner);
  return { native, refusal, tools: facts.tools };
}

async function toolsOf(
  request: GatewayRequest,
  { invalidCode }: CompletionCall,
  { toolkits, research }: GroundingWish,
): Promise<readonly GatewayTool[]> {
  if (toolkits.length === 0) return [];
  if (research) throw invalidField('toolkits', 'research calls no tools', invalidCode);
  const { cancellation, caller, snapshot } = request;
  try {
    const opened = await cancellation.withSignal((signal) =>
      snapshot.grounding.toolkits.open(toolkits, caller.toolkits, signal),
    );
    for (const message of opened.warnings) request.warnings.push({ field: 'toolkits', message });
    return opened.tools;
  } catch (error) {
    throw inSurfaceCode(error, invalidCode);
  }
}

/** Gives an invalid field the code, and so the status, of the surface. */
function inSurfaceCode(error: unknown, code: CompletionCall['invalidCode']): unknown {
  if (!(error instanceof GatewayError) || error.code !== 'validation_failed') return error;
  return new GatewayError(code, error.message, { field: error.field });
}

/** What the choice of a model's search mode depends on. */
interface SearchAbilities {
  /** Its provider's own search tool; null: none is known. */
  readonly native: NativeSearch | null;
  /** Why its own search may not be used for this caller; null: it may. */
  readonly refusal: string | null;
  /** Whether it calls tools; null: unknown. */
  readonly tools: boolean | null;
}

/** What a request offers its models. */
interface SearchOffer {
  readonly terms: Pick<SearchTerms, 'mode' | 'engine' | 'required'>;
  readonly hasEngine: boolean;
  /** Whether the request has tools beside search, its own or those of toolkits. */
  readonly hasTools: boolean;
}

/** How a model searches, or why it cannot. */
interface ModeChoice {
  readonly mode?: SearchMode;
  /** Whether a search is required, but the model cannot be forced to search. */
  readonly isUnforced?: boolean;
  readonly reason?: string;
}

/**
 * Decides how one model searches. `auto` prefers its own search, then the gateway's tools, then one
 * search before it answers, which works for a model of which nothing is known. If a search is
 * required and the model cannot be forced to use its own, the gateway searches.
 */
function searchModeOf(abilities: SearchAbilities, offer: SearchOffer): ModeChoice {
  const { tools } = abilities;
  const { terms, hasEngine, hasTools } = offer;
  const { mode, engine, required } = terms;
  const reason = whyNotNative(abilities, offer);
  const isUnforced = required && !(abilities.native?.forced || abilities.native?.always);
  if (mode === 'native') return reason === null ? { mode, isUnforced } : { reason };
  const prefersOwn = mode === 'auto' && engine === null && !(isUnforced && hasEngine);
  if (prefersOwn && reason === null) return { mode: 'native', isUnforced };
  if (!hasEngine) {
    const noEngine = 'no search engine is configured';
    return { reason: reason === null ? noEngine : `${reason}, and ${noEngine}` };
  }
  if (mode === 'once') return { mode };
  if (mode === 'tools') return tools === false ? { reason: 'it does not call tools' } : { mode };
  return { mode: tools === true || hasTools ? 'tools' : 'once' };
}

/** Why a model's own search cannot be used; null: it can. */
function whyNotNative(
  { native, refusal }: SearchAbilities,
  { hasTools }: SearchOffer,
): string | null {
  if (native === null) return 'it has no web search of its own';
  if (hasTools && !native.withTools) return 'its own web search takes no tools';
  return refusal;
}
