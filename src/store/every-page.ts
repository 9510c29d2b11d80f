import type { Page, PageRequest } from './contracts/page.js';

const pageSize = 100;

/** All items of a list that is read page by page. */
export async function* everyPage<Item>(
  read: (page: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  for (let cursor: string | null = null; ;) {
    const page: Page<Item> = await read({ limit: pageSize, cursor });
    yield* page.items;
    if (page.next === null) return;
    cursor = page.next;
  }
}
