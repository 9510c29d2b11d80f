/** What nearly every candidate has. By place, because the names alone would be half of what is stored of a decision. */
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
];
/** Stands in the place of what a candidate does not have: null says that nobody knows it. */
const absent = false;

/** A candidate of a decision, as `explainPlan` tells it. What else it has is stored as well. */
export interface ToldCandidate {
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
}

/** Candidates as the text that is stored of them: JSON, the names of the columns and then a row for each. `unpackCandidates` reads it. */
export function packCandidates(candidates: readonly ToldCandidate[]): string {
  return JSON.stringify([columns, ...candidates.map(packed)]);
}

/** The columns, and behind them what has none. One by one, for a loop over the names takes twice as long. */
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
  ...more
}: ToldCandidate): unknown[] {
  // a label that is made of the two names is not written a third time
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
  ];
  return Object.keys(more).length === 0 ? row : [...row, more];
}

const or = <T>(value: T | undefined): T | typeof absent => (value === undefined ? absent : value);

/** The candidates that a stored text held, once it is parsed. What is not packed is given as it is: until 2026-11 they were stored as they are told. */
export function unpackCandidates(stored: unknown): unknown {
  if (!Array.isArray(stored)) return stored;
  const [names, ...rows] = stored as unknown[];
  return Array.isArray(names) ? rows.map((row) => unpacked(names, row)) : stored;
}

/** By the names that are stored with it, whatever the columns are now. */
function unpacked(names: readonly unknown[], row: unknown): unknown {
  if (!Array.isArray(row)) return row;
  const fields = names
    .map((name, place): [string, unknown] => [String(name), row[place]])
    .filter(([, value]) => value !== absent);
  const told: { provider?: unknown; model?: unknown } = Object.fromEntries(fields);
  return {
    label: labelOf(told.provider, told.model),
    ...told,
    ...(row[names.length] as object | undefined),
  };
}

const labelOf = (provider: unknown, model: unknown): string =>
  `${typeof provider === 'string' ? provider : ''}/${String(model)}`;
