/** Which part of a list a client asks for, as its query says. */
interface AskedPage {
  /** The id of the item that it has last. */
  readonly after: unknown;
  /** The id of the item that it has first. */
  readonly before?: unknown;
  readonly limit: number;
}

/**
 * A page of a list, in the shape that Anthropic's and OpenAI's lists have. An id that is not in the
 * list is passed over.
 */
export function listedPage<Item extends { readonly id?: unknown }>(
  items: readonly Item[],
  { after, before, limit: count }: AskedPage,
) {
  const placeOf = (id: unknown): number =>
    id === undefined ? -1 : items.findIndex((item) => item.id === id);
  const end = placeOf(before);
  const start = end < 0 ? placeOf(after) + 1 : Math.max(0, end - count);
  const data = items.slice(start, end < 0 ? start + count : end);
  return {
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: end < 0 ? start + count < items.length : start > 0,
  };
}
