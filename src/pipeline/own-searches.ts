import type { ChatRequest } from '../completion.js';
import { maxSearches } from '../routing/max-cost.js';
import type { Candidate } from '../routing/plan.js';
import type { GatewaySnapshot } from './snapshot.js';

/**
 * How often a candidate may search the web by itself for a request: 0 if the request does not ask
 * for it, null if nothing bounds it.
 */
export function ownSearches(
  chat: ChatRequest,
  { provider, model }: Candidate,
  { providers }: GatewaySnapshot,
): number | null {
  const search = providers.get(provider ?? '')?.adapter.webSearch?.(model);
  return maxSearches(chat, search?.bounded ?? false);
}
