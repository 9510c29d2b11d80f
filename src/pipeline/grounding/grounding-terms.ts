import { hasBudget } from '../../accounts/caller-limits.js';
import { invalidField } from '../../errors.js';
import { defaultBudgets } from '../../grounding/research/research-effort.js';
import type { CompletionCall } from '../completion-call.js';
import type { GatewayRequest } from '../request.js';
import type {
  GroundingTerms,
  GroundingWish,
  ResearchTerms,
  ResearchWish,
  SearchTerms,
  SearchWish,
} from './grounding-call.js';
import type { GroundingParts } from './grounding-parts.js';

const defaultUses = 3;
const defaultResults = 5;
const defaultToolSteps = 5;

/**
 * A request's wishes within what the configuration allows. Adds a warning to the request for each
 * wish that was lowered.
 * @throws GatewayError the surface's code for an invalid field
 */
export function groundingTerms(
  request: GatewayRequest,
  call: CompletionCall,
  wish: GroundingWish,
): GroundingTerms {
  const { grounding } = request.snapshot;
  const { maxToolSteps } = grounding.limits;
  const search = wish.search && searchTerms(request, call, wish.search);
  const research = wish.research && researchTerms(request, call, wish.research);
  if ((call.chat.n ?? 1) > 1)
    throw invalidField('n', 'must be 1 where the gateway searches or runs tools', call.invalidCode);
  return {
    search,
    research,
    maxToolSteps: allowed(request, 'maxToolSteps', wish.maxToolSteps, [
      defaultToolSteps,
      maxToolSteps,
    ]),
    clientTools: call.chat.tools ?? [],
  };
}

function researchTerms(
  request: GatewayRequest,
  { invalidCode }: CompletionCall,
  wish: ResearchWish,
): ResearchTerms {
  const { search, limits } = request.snapshot.grounding;
  if (!search)
    throw invalidField('research', 'needs a search engine, and none is configured', invalidCode);
  const effort = wish.effort ?? 'medium';
  const usual = defaultBudgets[effort];
  const { maxSeconds, maxCostUsd } = limits.research;
  return {
    effort,
    resume: wish.resume ?? null,
    isCostStated: typeof wish.maxCostUsd === 'number',
    budget: {
      maxSteps: wish.maxSteps ?? usual.maxSteps,
      maxTokens: wish.maxTokens ?? usual.maxTokens,
      maxSeconds: allowed(request, 'research[maxSeconds]', wish.maxSeconds, [
        usual.maxSeconds,
        maxSeconds,
      ]),
      maxCostUsd: allowed(request, 'research[maxCostUsd]', wish.maxCostUsd, [
        usual.maxCostUsd ?? maxCostUsd,
        maxCostUsd,
      ]),
    },
  };
}

/**
 * A search's wishes within what the configuration allows.
 * @throws GatewayError the surface's code for an invalid field
 */
export function searchTerms(
  request: GatewayRequest,
  call: Pick<CompletionCall, 'invalidCode'>,
  wish: SearchWish,
): SearchTerms {
  const { grounding } = request.snapshot;
  const { maxUses, maxResults } = grounding.limits;
  checkEngine(request, call, wish);
  return {
    mode: wish.mode ?? 'auto',
    required: wish.required ?? false,
    engine: wish.engine ?? null,
    maxUses: allowed(request, 'search[maxUses]', wish.maxUses, [defaultUses, maxUses]),
    maxResults: allowed(request, 'search[maxResults]', wish.maxResults, [
      defaultResults,
      maxResults,
    ]),
    allowedDomains: wish.allowedDomains ?? [],
    blockedDomains: wish.blockedDomains ?? [],
    recency: wish.recency ?? null,
    country: wish.location?.country ?? null,
    own: wish.own ?? {},
  };
}

function checkEngine(
  { snapshot: { grounding, budgets }, caller }: GatewayRequest,
  { invalidCode }: Pick<CompletionCall, 'invalidCode'>,
  { engine = null, mode }: SearchWish,
): void {
  const names = [...grounding.enginePrices.keys()];
  if (engine !== null && !names.includes(engine)) {
    const known = names.length === 0 ? 'none is configured' : `there are ${names.join(', ')}`;
    throw invalidField(
      'search[engine]',
      `is no search engine of this gateway; ${known}`,
      invalidCode,
    );
  }
  // a model's own search has a price of its own
  if (!hasBudget(caller) || budgets.allowUnpriced || mode === 'native') return;
  const unpriced = (engine === null ? names : [engine]).find(
    (name) => grounding.enginePrices.get(name) === null,
  );
  if (unpriced !== undefined)
    throw invalidField(
      'search',
      `the key or account has a budget, and the price of ${unpriced} is not known; an operator can set \`pricePerThousand\``,
      invalidCode,
    );
}

/** What a request wishes, or the default; lowered to the maximum, with a warning. */
function allowed(
  request: GatewayRequest,
  field: string,
  wish: number | null | undefined,
  [usual, max]: readonly [number, number],
): number {
  const wanted = wish ?? Math.min(usual, max);
  if (wanted <= max) return wanted;
  request.warnings.push({ field, message: `this gateway allows at most ${max}, which was taken` });
  return max;
}

/** The most that one search costs, if each engine fails and is charged in turn; null: unknown. */
export function searchPrice(
  { enginePrices }: GroundingParts,
  engine: string | null,
): number | null {
  const prices = engine === null ? [...enginePrices.values()] : [enginePrices.get(engine) ?? null];
  return prices.some((price) => price === null)
    ? null
    : prices.reduce<number>((sum, price) => sum + (price ?? 0), 0);
}
