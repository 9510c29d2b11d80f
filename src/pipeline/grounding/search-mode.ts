import type { NativeSearch } from '../../providers/adapter.js';
import type { SearchMode, SearchTerms } from './grounding-call.js';

/** What is known of a model when it is decided how it searches. */
export interface SearchAbilities {
  /** Its provider's own search tool; null: none is known. */
  readonly native: NativeSearch | null;
  /** Why its own search may not be used for this caller; null: it may. */
  readonly refusal: string | null;
  /** Whether it calls tools; null: unknown. */
  readonly tools: boolean | null;
}

/** What a request offers its models. */
export interface SearchOffer {
  readonly terms: Pick<SearchTerms, 'mode' | 'engine' | 'required'>;
  readonly hasEngine: boolean;
  /** Whether the request has tools beside search, its own or those of toolkits. */
  readonly hasTools: boolean;
}

/** How a model searches, or why it cannot. */
export type ModeChoice =
  | {
      readonly mode: SearchMode;
      /** Whether a search is required that the model may leave out. */
      readonly isUnforced?: boolean;
    }
  | { readonly reason: string };

/**
 * Decides how one model searches. `auto` prefers its own search, then the gateway's tools, then one
 * search before it answers: that is all that can be asked of a model of which nothing is known. A
 * search that is required is the gateway's where the model cannot be made to search by itself.
 */
export function searchModeOf(abilities: SearchAbilities, offer: SearchOffer): ModeChoice {
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
