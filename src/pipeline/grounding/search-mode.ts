import type { NativeSearch } from '../../providers/adapter.js';
import type { SearchMode, SearchTerms } from './grounding-call.js';

/** What is known of a model when it is decided how it searches. */
export interface SearchAbilities {
  /** Its provider's own search tool; null: none is known. */
  readonly native: NativeSearch | null;
  /** Whether it calls tools; null: unknown. */
  readonly tools: boolean | null;
}

/** What a request offers its models. */
export interface SearchOffer {
  readonly terms: Pick<SearchTerms, 'mode' | 'engine'>;
  readonly hasEngine: boolean;
  /** Whether the request has tools beside search, its own or those of toolkits. */
  readonly hasTools: boolean;
}

/** How a model searches, or why it cannot. */
export type ModeChoice = { readonly mode: SearchMode } | { readonly reason: string };

/**
 * Decides how one model searches. `auto` prefers its own search, then the gateway's tools, then one
 * search before it answers: that is all that can be asked of a model of which nothing is known.
 */
export function searchModeOf(
  { native, tools }: SearchAbilities,
  { terms: { mode, engine }, hasEngine, hasTools }: SearchOffer,
): ModeChoice {
  const canNative = native !== null && (native.withTools || !hasTools);
  if (mode === 'native')
    return canNative
      ? { mode }
      : {
          reason: native ? 'its own web search takes no tools' : 'it has no web search of its own',
        };
  if (mode === 'auto' && canNative && engine === null) return { mode: 'native' };
  if (!hasEngine)
    return { reason: 'it has no web search of its own, and no search engine is configured' };
  if (mode === 'once') return { mode };
  if (mode === 'tools') return tools === false ? { reason: 'it does not call tools' } : { mode };
  return { mode: tools === true || hasTools ? 'tools' : 'once' };
}
