/** Which part of a list is wanted. */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number;
  /** `next` of the page before; null: the first page. */
  readonly cursor: string | null;
}

/** A part of a list, newest first unless said otherwise. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; null: this is the last. */
  readonly next: string | null;
}

/** Records changed since a revision. Revisions count up by commit, in each database separately. */
export interface Changes<T> {
  readonly revision: number;
  readonly records: readonly T[];
}

const pageSize = 100;

/** All items of a list that is read page by page, until there is no page. */
export async function* everyPage<Item>(
  read: (page: PageRequest) => Promise<Page<Item> | null>,
): AsyncGenerator<Item> {
  for (let cursor: string | null = null; ;) {
    const page: Page<Item> | null = await read({ limit: pageSize, cursor });
    if (page === null) return;
    yield* page.items;
    if (page.next === null) return;
    cursor = page.next;
  }
}
