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
 * The stored text of candidates: JSON, the names of the columns and then a row for each candidate.
 * `unpackCandidates` reads it.
 */
export function packCandidates(candidates: readonly ExplainedCandidate[]): string {
  return JSON.stringify([columns, ...candidates.map(packed)]);
}

/**
 * The columns, followed by an object of other fields. Written out, because a loop over the names
 * takes twice as long.
 */
function packed({
  label,
  provider,
  model,
  quality,
  price,
  latency,
  score,
  uncertainty,
  cost,
  output_tokens,
  reason,
  interval,
  basis,
  task_kinds,
  answer_time,
  ...more
}: ExplainedCandidate): unknown[] {
  // a label that consists of the two names is not stored
  const row = [
    label === labelOf(provider, model) ? absent : label,
    provider,
    model,
    or(quality),
    or(price),
    or(latency),
    or(score),
    or(uncertainty),
    or(cost),
    or(output_tokens),
    or(reason),
    or(interval),
    or(basis),
    or(task_kinds),
    or(answer_time),
  ];
  return Object.keys(more).length === 0 ? row : [...row, more];
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
  const fields = names
    .map((name, place): [string, unknown] => [String(name), row[place]])
    .filter(([, value]) => value !== absent);
  const candidate: { provider?: unknown; model?: unknown } = Object.fromEntries(fields);
  return {
    label: labelOf(candidate.provider, candidate.model),
    ...candidate,
    ...(row[names.length] as object | undefined),
  };
}

const labelOf = (provider: unknown, model: unknown): string =>
  `${typeof provider === 'string' ? provider : ''}/${String(model)}`;
