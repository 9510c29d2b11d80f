import { type Json, textIn } from './text/is-object.js';

/**
 * What a model's own web search is asked for: OpenAI's field of the chat API, and extensions of the
 * gateway's own. An adapter sends what its provider can express, and leaves out the rest.
 */
export interface NativeSearchOptions {
  /** `low`, `medium`, `high`. */
  search_context_size?: string | null;
  user_location?: { type: 'approximate'; approximate: SearchLocation } | null;
  /** Extension: the maximum number of searches; 0 only where `NativeSearch.stoppable` says so. */
  max_uses?: number | null;
  /** Extension: only pages of these domains and their subdomains. */
  allowed_domains?: readonly string[] | null;
  /** Extension: no page of these domains and their subdomains. */
  blocked_domains?: readonly string[] | null;
  /** Extension: only pages of the last day, week, … */
  recency?: SearchRecency | null;
  /** Extension: search even where the model would not; see `NativeSearch.forced`. */
  required?: boolean | null;
  [field: string]: unknown;
}

export type SearchRecency = 'day' | 'week' | 'month' | 'year';

/** Where the user is, for results that depend on it. */
export interface SearchLocation {
  /** ISO 3166-1, two letters. */
  country?: string;
  region?: string;
  city?: string;
  /** IANA's name. */
  timezone?: string;
}

/** What of a place is text, which may hold anything. */
export const placeIn = (place: Json): SearchLocation =>
  Object.fromEntries(
    ['country', 'region', 'city', 'timezone'].flatMap((field) => {
      const part = textIn(place[field]);
      return part === '' ? [] : [[field, part]];
    }),
  );

/** A page that a search found. */
export interface FoundPage {
  url: string;
  /** '' where the provider tells none. */
  title: string;
  snippet?: string;
  /** As the provider writes it: a date, or words such as `6 days ago`. */
  date?: string;
}
