import { searchDetailType } from '../../completion.js';
import { isObject } from '../../text/is-object.js';

/** The `format` of the reasoning details that hold blocks of a provider's own search. */
const format = 'anthropic-search-v1';

/**
 * A block of a provider's own search as an entry of `reasoning_details`: the provider needs it back
 * where the same turn goes on, after a pause or the result of a tool.
 */
export const searchBlockDetail = (block: object): object => ({
  type: searchDetailType,
  block,
  format,
});

/** The block of such an entry; null for any other entry. */
export function searchBlockOf(detail: unknown): Record<string, unknown> | null {
  if (!isObject(detail) || detail['format'] !== format) return null;
  return isObject(detail['block']) ? detail['block'] : null;
}
