/** A line of the log, as pino writes it. */
interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/** Names of pino's levels; `info` needs none. */
const levelNames: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: '',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

/**
 * Writes the log's lines for people, on standard output: the time of day, the level where it is not
 * `info`, the message, then the fields. A request's line begins with what is looked for most:
 * status, model, duration, tokens and cost, and who asked.
 */
export function readableOutput(): { write: (line: string) => void } {
  return {
    write: (line) =>
      void process.stdout.write(`${readable(JSON.parse(line) as LogLine, timeOfDay)}\n`),
  };
}

const timeOfDay = (timeMs: number): string => {
  const date = new Date(timeMs);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
};

/** A line of the log for people, without a line break and without control characters. */
export function readable(
  { level, time, msg = '', ...fields }: LogLine,
  clock: (timeMs: number) => string,
): string {
  const { facts, rest } =
    msg === 'request' ? requestFacts(fields) : { facts: [], rest: Object.entries(fields) };
  const named = rest.map(([name, value]) => `${name}=${valueText(value)}`);
  const words = [clock(time), levelNames[level] ?? String(level), msg, ...facts, ...named];
  // control characters in a client's names could move the cursor or start a new line
  return words
    .filter((word) => word !== '')
    .join(' ')
    .replace(/\p{C}/gu, '?');
}

/** Fields that tell a reader at a terminal nothing that the others do not. */
const omitted: ReadonlySet<string> = new Set(['surface', 'accountId', 'keyId', 'stream']);

/** The most important fields of a request as words, and the others. */
function requestFacts(fields: Readonly<Record<string, unknown>>): {
  facts: string[];
  rest: [string, unknown][];
} {
  const { status, code, model, latencyMs, promptTokens, completionTokens, ...more } = fields;
  const { costUsd, caller, error, attempts, ...others } = more;
  const facts = [
    [valueText(status), code === undefined ? '' : valueText(code)].filter(Boolean).join(' '),
    model === undefined ? '' : valueText(model),
    `${valueText(latencyMs)} ms`,
    promptTokens === undefined
      ? ''
      : `${valueText(promptTokens)}+${valueText(completionTokens)} tokens`,
    typeof costUsd === 'number' ? `${String(Number(costUsd.toPrecision(3)))} USD` : '',
    caller === undefined ? '' : `by ${valueText(caller)}`,
  ];
  const calls = typeof attempts === 'number' && attempts > 1 ? { attempts } : {};
  return {
    facts: [
      facts.filter((fact) => fact !== '').join(', '),
      ...(error === undefined ? [] : [`(${valueText(error)})`]),
    ],
    rest: Object.entries({ ...calls, ...others }).filter(([name]) => !omitted.has(name)),
  };
}

function valueText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
