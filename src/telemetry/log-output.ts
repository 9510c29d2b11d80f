import { writeSync } from 'node:fs';

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
 * `info`, the message, then the fields. A request's line begins with the most important ones:
 * status, model, duration, tokens, cost and caller.
 */
export const readableOutput = (): { write: (line: string) => void } => ({
  write: (line) =>
    void process.stdout.write(`${readable(JSON.parse(line) as LogLine, timeOfDay)}\n`),
});

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

/** Fields that a reader at a terminal does not need beside the others. */
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

const standardOutput = 1;
const batchBytes = 128 * 1024;
const flushIntervalMs = 200;
/** The most bytes that one UTF-16 unit takes in UTF-8. */
const maxBytesPerUnit = 3;

/**
 * Collects log lines and writes them in batches: at the latest after 200 ms, and when the process
 * exits. Lines are encoded into one buffer at once: strings that wait for their write would survive
 * young garbage collections, which was most of the cost of logging (25 µs a line). If the reader is
 * too slow, lines are dropped and counted in a later line; requests never wait.
 *
 * Not `pino.destination({ sync: false })` (sonic-boom 4.2): it keeps the lines as strings or one
 * buffer each, and its flush at exit sleeps and retries for as long as the reader stalls, so that a
 * stuck log collector would keep the process from ending.
 */
export class LogOutput {
  private readonly batch = Buffer.allocUnsafe(batchBytes);
  private filled = 0;
  private lost = 0;

  constructor() {
    setInterval(() => this.flush(), flushIntervalMs).unref();
    process.once('exit', () => this.flush());
  }

  /** Adds a line, which ends in a line break. */
  write(line: string): void {
    const most = line.length * maxBytesPerUnit;
    // a long line is measured, which takes time
    const maxBytes = most > batchBytes ? Buffer.byteLength(line) : most;
    if (this.filled + maxBytes > batchBytes / 2) this.flush();
    if (this.filled + maxBytes <= batchBytes) this.filled += this.batch.write(line, this.filled);
    else this.lost++;
  }

  /** Writes the collected lines, as many as the reader accepts now. */
  flush(): void {
    let written = 0;
    try {
      while (written < this.filled)
        written += writeSync(standardOutput, this.batch, written, this.filled - written);
    } catch (error) {
      // a full pipe accepts the rest later; a closed one never will
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') written = this.filled;
    }
    this.batch.copyWithin(0, written, this.filled);
    this.filled -= written;
    if (this.lost > 0 && this.filled === 0) this.reportLoss();
  }

  private reportLoss(): void {
    const line = `{"level":40,"time":"${new Date().toISOString()}","lost":${this.lost},"msg":"log lines were lost: the reader of standard output is too slow"}\n`;
    this.lost = 0;
    this.filled = this.batch.write(line, 0);
  }
}
