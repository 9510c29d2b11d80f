/** What the address says; `''` is absent. */
type Parameters = Readonly<Record<string, string>>;

const hourMs = 3_600_000;

/** How far back the list looks where no time range was dragged out. */
export const spans = {
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': 24 * hourMs,
  '7d': 168 * hourMs,
  '30d': 720 * hourMs,
} as const;

/** The one of some spans that an address names; a day if it names none. */
export const namedIn = <Span extends string>(
  all: Readonly<Record<Span | '24h', number>>,
  name: string | undefined,
): Span | '24h' => (name !== undefined && Object.hasOwn(all, name) ? (name as Span) : '24h');

export const spanOf = (name: string | undefined) => namedIn(spans, name);

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
const plain = [
  'model',
  'provider',
  'key',
  'surface',
  'status',
  'failed',
  'failedBy',
  'code',
  'id',
] as const;

/** The bounds of latency in ms and of cost in USD. */
export const bounds = ['minLatency', 'maxLatency', 'minCost', 'maxCost'] as const;
export type Bound = (typeof bounds)[number];

/** By what the list can be sorted. */
export const orders = ['latency', 'tokens', 'cost'] as const;

/** The filters of the API that an address names. Absent: everything of the caller. */
type RequestQuery = Partial<
  Record<(typeof plain)[number] | 'from' | 'to' | 'account', string> & Record<Bound, number>
>;

/**
 * The query for the API.
 * @param now in ms; a range that ends now has no end, and a request that is named has no range
 */
export function queryOf(parameters: Parameters, isAdmin: boolean, now: number): RequestQuery {
  const query: RequestQuery = {};
  for (const name of plain) {
    const value = parameters[name]?.trim();
    if (value) query[name] = value;
  }
  for (const name of bounds) {
    const bound = Number(parameters[name] ?? 0);
    if (bound > 0) query[name] = bound;
  }
  const { from, to, account = 'all' } = parameters;
  if (isAdmin && account !== 'own') query.account = account;
  if (query.id) return query;
  if (from && to) return { ...query, from, to };
  return { ...query, from: String(now - spans[spanOf(parameters.range)]) };
}

const filterNames = [...plain, ...bounds];

/** Whether a filter besides the time is set. */
export const isFiltered = (parameters: Parameters): boolean =>
  filterNames.some((name) => (parameters[name] ?? '') !== '');

/** What takes all filters away; the account, the order and the time stay. */
export const withoutFilters: Readonly<Record<string, null>> = Object.fromEntries(
  filterNames.map((name) => [name, null]),
);
