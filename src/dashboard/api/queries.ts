import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQuery,
  type UseQueryOptions,
} from '@tanstack/react-query';
import type { paths } from './api-types.js';
import { api, dataOf } from './client.js';

type Readable = {
  [Path in keyof paths]: paths[Path] extends { get: object } ? Path : never;
}[keyof paths];
type Get<Path extends Readable> = paths[Path] extends { get: infer Operation } ? Operation : never;

type Parameters<Path extends Readable> =
  Get<Path> extends { parameters: infer All }
    ? Partial<Pick<All, keyof All & ('path' | 'query')>>
    : never;

type Answer<Path extends Readable> =
  Get<Path> extends {
    responses: { 200: { content: { 'application/json': infer Data } } };
  }
    ? NonNullable<Data>
    : never;

/** What `GET` of a path answers. @throws ApiFailure if it is no success */
export function read<Path extends Readable>(
  path: Path,
  params: Parameters<Path> = {} as Parameters<Path>,
): Promise<Answer<Path>> {
  const get = api.GET as (path: Path, asked: object) => Promise<{ data?: Answer<Path> }>;
  return dataOf(get(path, { params }));
}

/** Reads a path for the page, and again when its parameters change. */
export const useRead = <Path extends Readable>(
  path: Path,
  params?: Parameters<Path>,
  options: Pick<
    UseQueryOptions<Answer<Path>>,
    'refetchInterval' | 'staleTime' | 'enabled' | 'placeholderData'
  > = {},
) =>
  useQuery<Answer<Path>>({
    queryKey: [path, params],
    queryFn: () => read(path, params),
    ...options,
  });

/** What a list of the API answers with: a page, and the cursor of the next one. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** The part of a query that asks for one page. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

interface PagedListOptions {
  /** Shows the items of the key before until those of a new one have come. */
  keepsPrevious?: boolean;
  /** In ms; false: what was read stays. */
  refetchInterval?: number | false;
  pageSize?: number;
}

/** A list of the API that is read page by page: the items of all pages up to now. */
export type PagedList<Item> = UseInfiniteQueryResult<Item[]>;

const defaultPageSize = 50;

/** The same function for all renderings, so that the items are put together once. */
const itemsOf = <Item>({ pages }: { pages: readonly PageOf<Item>[] }): Item[] =>
  pages.flatMap(({ items }) => items);

/** Reads a list page by page; the next one only when its reader asks for it. */
export const usePagedList = <Item>(
  key: QueryKey,
  readPage: (page: PageQuery) => Promise<PageOf<Item>>,
  { keepsPrevious = false, pageSize = defaultPageSize, ...options }: PagedListOptions = {},
): PagedList<Item> =>
  useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => readPage({ limit: pageSize, cursor: pageParam }),
    getNextPageParam: ({ next }) => next,
    select: itemsOf<Item>,
    placeholderData: keepsPrevious ? keepPreviousData : undefined,
    ...options,
  });

/** Of lists to choose from, which change rarely. */
const rarelyChanged = { staleTime: 60_000 };

/** The labels of the chat models that can be called. */
export const useModelLabels = (): readonly string[] => {
  const { data } = useRead('/v1/models', {}, rarelyChanged);
  // aliases and `auto` have no slash, and stand for models
  return data?.data.flatMap(({ id }) => (id.includes('/') ? [id] : [])) ?? [];
};

/**
 * The names and ids of the newest keys that a search finds, and of the chosen one: the caller's, for
 * administrators those of all accounts.
 */
export function useKeys(isAdmin: boolean, search: string, chosen: string | null) {
  const one = useRead(
    '/api/v1/keys/{id}',
    { path: { id: chosen ?? '' } },
    { ...rarelyChanged, enabled: chosen !== null },
  ).data;
  const searched = search === '' || search === one?.name ? {} : { search };
  const query = { limit: 100, ...(isAdmin ? { account: 'all' } : {}), ...searched };
  const kept = { ...rarelyChanged, placeholderData: keepPreviousData };
  const found = useRead('/api/v1/keys', { query }, kept).data?.items ?? [];
  return one && !found.some(({ id }) => id === one.id) ? [...found, one] : found;
}

/** Reads a list page by page, to its end or to so many items. */
export async function readAll<Item>(
  readPage: (page: PageQuery) => Promise<PageOf<Item>>,
  limit: number,
  most = Infinity,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null && items.length < most;) {
    const page: PageOf<Item> = await readPage({ limit, cursor });
    items.push(...page.items);
    cursor = page.next;
  }
  return items;
}

/** No more accounts are read for their names. */
const maxNames = 1_000;

/** The mail addresses of the newest accounts by their ids, for administrators. */
export function useAccountNames(isAdmin: boolean): ReadonlyMap<string, string> {
  const { data = [] } = useQuery({
    queryKey: ['account-names'],
    queryFn: () => readAll((query) => read('/api/v1/accounts', { query }), 100, maxNames),
    ...rarelyChanged,
    enabled: isAdmin,
  });
  return new Map(data.map(({ id, email }) => [id, email ?? id]));
}
