/**
 * Fields that nearly every candidate has. Stored by position, because the names would be half of a
 * decision's size.
 */
const columns = [
  'label',
  'provider',
  'model',
  'quality',
  'price',
  'latency',
  'score',
  'uncertainty',
  'cost',
  'output_tokens',
  'reason',
  'interval',
  'basis',
  'task_kinds',
  'answer_time',
];
const known: ReadonlySet<string> = new Set(columns);
/** Marks a field that a candidate does not have; null means that the value is unknown. */
const absent = false;

/** A candidate of a decision, as `explainPlan` makes it. Other fields are stored too. */
export interface ExplainedCandidate {
  readonly label: string;
  readonly provider: string | null;
  readonly model: string;
  readonly quality?: number | null;
  readonly price?: number | null;
  readonly latency?: number | null;
  readonly score?: number | null;
  readonly uncertainty?: number;
  readonly cost?: number | null;
  readonly output_tokens?: number;
  readonly reason?: string;
  readonly interval?: readonly number[];
  readonly basis?: string;
  readonly task_kinds?: readonly string[];
  readonly answer_time?: number | null;
}

/**
 * The stored text of candidates: JSON, the names of the columns, then a row for each candidate. The
 * last name is an object of the fields that are the same for all of them, which have no column.
 * `unpackCandidates` reads it.
 * @param more further fields of the first candidate
 */
export function packCandidates(
  candidates: readonly ExplainedCandidate[],
  more: Readonly<Record<string, unknown>> | null = null,
): string {
  const rows = candidates.map(packed);
  const [first] = rows;
  if (first === undefined) return '[[]]';
  if (more !== null) first[columns.length] = { ...(first[columns.length] as object), ...more };
  const names: unknown[] = [];
  const shared: Record<string, unknown> = {};
  const kept: number[] = [];
  for (let place = 0; place < columns.length; place++) {
    const name = columns[place]!;
    if (!isShared(rows, place)) {
      kept.push(place);
      names.push(name);
    } else if (first[place] !== absent) shared[name] = first[place];
  }
  names.push(shared);
  return JSON.stringify([names, ...rows.map((row) => inColumns(row, kept))]);
}

function isShared(rows: readonly (readonly unknown[])[], place: number): boolean {
  const value = rows[0]![place];
  for (const row of rows) if (!isSame(row[place], value)) return false;
  return true;
}

/** Lists are compared by their entries: candidates of one request have the same kinds of task. */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (Array.isArray(a) &&
    Array.isArray(b) &&
    a.length === b.length &&
    a.every((one, at) => one === b[at]));

/** The row in the columns that are kept, and the other fields after the place of the shared ones. */
function inColumns(row: readonly unknown[], kept: readonly number[]): unknown[] {
  const shown = kept.map((place) => row[place]);
  if (row.length > columns.length) shown.push(absent, row[columns.length]);
  return shown;
}

/**
 * The columns, followed by an object of other fields. Written out, because a loop over the names, and
 * taking the rest of an object, take twice as long.
 */
function packed(candidate: ExplainedCandidate): unknown[] {
  const { label, provider, model, interval } = candidate;
  const row: unknown[] = [
    // a label that consists of the two names is not stored
    label === labelOf(provider, model) ? absent : label,
    provider,
    model,
    or(candidate.quality),
    or(candidate.price),
    or(candidate.latency),
    or(candidate.score),
    or(candidate.uncertainty),
    or(candidate.cost),
    or(candidate.output_tokens),
    or(candidate.reason),
    or(interval),
    or(candidate.basis),
    or(candidate.task_kinds),
    or(candidate.answer_time),
  ];
  const more = othersOf(candidate);
  if (more !== null) row.push(more);
  return row;
}

function othersOf(candidate: ExplainedCandidate): Record<string, unknown> | null {
  let others: Record<string, unknown> | null = null;
  for (const name in candidate)
    if (!known.has(name)) (others ??= {})[name] = candidate[name as keyof ExplainedCandidate];
  return others;
}

const or = <T>(value: T | undefined): T | typeof absent => (value === undefined ? absent : value);

/**
 * The candidates of a stored and parsed text. What is not packed is returned as it is: until
 * 2026-11 candidates were stored as objects.
 */
export function unpackCandidates(stored: unknown): unknown {
  if (!Array.isArray(stored)) return stored;
  const [names, ...rows] = stored as unknown[];
  return Array.isArray(names) ? rows.map((row) => unpacked(names, row)) : stored;
}

/** Uses the names that are stored with the row, whatever the columns are now. */
function unpacked(names: readonly unknown[], row: unknown): unknown {
  if (!Array.isArray(row)) return row;
  const shared = names.find((name) => typeof name === 'object');
  const fields = names
    .map((name, place): [string, unknown] => [String(name), row[place]])
    .filter(([, value], place) => typeof names[place] !== 'object' && value !== absent);
  const own: Record<string, unknown> = Object.fromEntries(fields);
  const candidate: Record<string, unknown> = { ...(shared as object | undefined), ...own };
  return {
    label: labelOf(candidate['provider'], candidate['model']),
    ...candidate,
    ...(row[names.length] as object | undefined),
  };
}

const labelOf = (provider: unknown, model: unknown): string =>
  `${typeof provider === 'string' ? provider : ''}/${String(model)}`;
