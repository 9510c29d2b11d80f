import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';

/** What a list of the API answers with: a page, and the cursor of the next one. */
interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** The part of a query that asks for one page. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

interface PagedListOptions {
  /** False: nothing is asked for. */
  enabled?: boolean;
  /** Shows the items of the key before until those of a new one have come. */
  keepsPrevious?: boolean;
  pageSize?: number;
}

/** A list of the API that is read page by page. */
export interface PagedList<Item> {
  /** Of all pages up to now; null: none has come. */
  readonly items: readonly Item[] | null;
  /** Why nothing is shown; null as long as there are items. */
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly retry: () => void;
  readonly loadMore: () => void;
}

const defaultPageSize = 50;

/** Reads a list page by page; the next one only when its reader asks for it. */
export function usePagedList<Item>(
  key: QueryKey,
  read: (page: PageQuery) => Promise<PageOf<Item>>,
  { enabled = true, keepsPrevious = false, pageSize = defaultPageSize }: PagedListOptions = {},
): PagedList<Item> {
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      read({ limit: pageSize, ...(pageParam === null ? {} : { cursor: pageParam }) }),
    getNextPageParam: ({ next }) => next,
    enabled,
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  });
  return {
    items: query.data?.pages.flatMap(({ items }) => items) ?? null,
    error: query.data ? null : query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    retry: () => void query.refetch(),
    loadMore: () => void query.fetchNextPage(),
  };
}
