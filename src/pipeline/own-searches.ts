import type { ChatRequest } from '../completion.js';
import type { NativeSearch } from '../providers/adapter.js';
import { maxSearches } from '../models/max-cost.js';
import type { Candidate } from '../chooser/plan.js';
import type { GatewaySnapshot } from './engine/snapshot.js';

/** What a candidate's own search can do; null: none is known. */
export const ownSearchOf = (
  { provider, model }: Candidate,
  { providers }: GatewaySnapshot,
): NativeSearch | null => providers.get(provider ?? '')?.adapter.webSearch?.(model) ?? null;

/**
 * Turns a candidate's own search off, because the gateway has searched: the source numbers in the
 * answer would otherwise mean other pages. Unchanged where the provider cannot turn it off.
 */
export const withoutOwnSearch = (
  chat: ChatRequest,
  candidate: Candidate,
  snapshot: GatewaySnapshot,
): ChatRequest =>
  ownSearchOf(candidate, snapshot)?.stoppable
    ? { ...chat, web_search_options: { max_uses: 0 } }
    : chat;

/** How many web searches a candidate may run itself: 0 if not asked for, null if unbounded. */
export function ownSearches(
  chat: ChatRequest,
  candidate: Candidate,
  snapshot: GatewaySnapshot,
): number | null {
  return maxSearches(chat, ownSearchOf(candidate, snapshot)?.bounded ?? false);
}
