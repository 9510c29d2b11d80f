import { type FoundPage, searchDetailType } from '../../completion.js';
import { isObject, asList, textIn } from '../../text/is-object.js';

/** What searches brought, as the fields of a delta or a message; absent rather than empty. */
export type FoundFields = { search_results?: FoundPage[]; search_queries?: string[] };

/** Providers name each page and query again and again; far more than any of them sends. */
const maxPages = 1_000,
  maxQueries = 200;

/** Collects what searches found, each page and each query once. */
export class SearchFindings {
  private readonly pages = new Set<string>();
  private readonly queries = new Set<string>();

  /** @returns what is new, ready to be spread over a delta */
  add(pages: readonly FoundPage[], queries: readonly string[]): FoundFields {
    const newPages = pages.filter(({ url }) => isNew(this.pages, url, maxPages));
    const newQueries = queries.filter((query) => isNew(this.queries, query, maxQueries));
    return {
      ...(newPages.length > 0 ? { search_results: newPages } : {}),
      ...(newQueries.length > 0 ? { search_queries: newQueries } : {}),
    };
  }
}

function isNew(seen: Set<string>, value: string, max: number): boolean {
  if (value === '' || seen.has(value) || seen.size >= max) return false;
  seen.add(value);
  return true;
}

/** Whether searches brought anything. */
export const isFound = (fields: FoundFields): boolean =>
  fields.search_results !== undefined || fields.search_queries !== undefined;

/** The pages of a provider's list, which may be anything; those without an address are dropped. */
export const pagesIn = (
  list: unknown,
  names: { readonly url: string; readonly snippet?: string; readonly date?: string },
): FoundPage[] =>
  asList(list).flatMap((entry) => {
    if (!isObject(entry) || textIn(entry[names.url]) === '') return [];
    const snippet = textIn(entry[names.snippet ?? '']);
    const date = textIn(entry[names.date ?? '']);
    return [
      {
        url: textIn(entry[names.url]),
        title: textIn(entry['title']),
        ...(snippet === '' ? {} : { snippet }),
        ...(date === '' ? {} : { date }),
      },
    ];
  });

/** The `format` of the reasoning details that hold blocks of a provider's own search. */
const blockFormat = 'anthropic-search-v1';

/**
 * A block of a provider's own search as an entry of `reasoning_details`: the provider needs it back
 * where the same turn goes on, after a pause or the result of a tool.
 */
export const searchBlockDetail = (block: object): object => ({
  type: searchDetailType,
  block,
  format: blockFormat,
});

/** The block of such an entry; null for any other entry. */
export function searchBlockOf(detail: unknown): Record<string, unknown> | null {
  if (!isObject(detail) || detail['format'] !== blockFormat) return null;
  return isObject(detail['block']) ? detail['block'] : null;
}
