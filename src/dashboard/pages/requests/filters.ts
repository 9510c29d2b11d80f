import type { Parameters } from '../../components/search-parameters.js';

const hourMs = 3_600_000;

/** How far back the list looks where no time range was dragged out. */
export const spans = {
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': 24 * hourMs,
  '7d': 168 * hourMs,
  '30d': 720 * hourMs,
} as const;

type Span = keyof typeof spans;

export const spanOf = (name: string | undefined): Span =>
  name !== undefined && Object.hasOwn(spans, name) ? (name as Span) : '24h';

/** The API takes no more. */
export const maxModels = 50;

/** The models that the address names. */
export const modelsOf = ({ model = '' }: Parameters): string[] => [
  ...new Set(
    model
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** The filters that go to the API as they are. */
const plain = ['model', 'key', 'surface', 'status', 'failed', 'code'] as const;

/** The filters of the API that an address names. Absent: everything of the caller. */
type RequestQuery = Partial<Record<(typeof plain)[number] | 'from' | 'to', string>> & {
  account?: string;
  minLatency?: number;
};

/**
 * The query for the API.
 * @param now in ms; a range that ends now has no end
 */
export function queryOf(parameters: Parameters, isAdmin: boolean, now: number): RequestQuery {
  const query: RequestQuery = {};
  for (const name of plain) {
    const value = parameters[name]?.trim();
    if (value) query[name] = value;
  }
  const minLatency = Number(parameters.minLatency ?? 0);
  if (minLatency > 0) query.minLatency = minLatency;
  if (isAdmin && parameters.account !== 'own') query.account = 'all';
  const { from, to } = parameters;
  if (from && to) return { ...query, from, to };
  return { ...query, from: String(now - spans[spanOf(parameters.range)]) };
}

/** Whether a filter besides the time is set. */
export const isFiltered = (parameters: Parameters): boolean =>
  [...plain, 'minLatency'].some((name) => (parameters[name] ?? '') !== '');

/** What takes all filters away; the account and the time stay. */
export const withoutFilters: Readonly<Record<string, null>> = Object.fromEntries(
  [...plain, 'minLatency'].map((name) => [name, null]),
);
