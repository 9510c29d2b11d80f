import { pino, type Logger } from 'pino';
import { LogOutput } from './log-output.js';
import type { GatewayError } from '../errors.js';
import type { ObservedRequest } from './observed-request.js';

export interface LogOptions {
  level: string;
  pretty: boolean;
}

/** The outputs of loggers that were made here: a request's line is put there ready-made, which takes 5 µs less than pino does. */
const outputs = new WeakMap<Logger, LogOutput>();

/** The process's logger: JSON lines on standard output, or `pretty` ones for people. Never a prompt, never a key. */
export function createLogger({ level, pretty }: LogOptions, output = new LogOutput()): Logger {
  if (pretty) return pino({ level, base: null }, prettyStream());
  const logger = pino({ level, base: null, timestamp: () => `,"time":"${isoTime()}"` }, output);
  outputs.set(logger, output);
  return logger;
}

let timeMs = 0;
let timeText = '';

/** The time now in ISO form; of the requests that end in one millisecond only the first has it made. */
function isoTime(): string {
  const now = Date.now();
  if (now !== timeMs) timeText = new Date(now).toISOString();
  timeMs = now;
  return timeText;
}

/** Writes the log's lines about requests. */
export interface RequestLogger {
  request(request: ObservedRequest): void;
  /** A fault of the gateway itself, with its cause. */
  failure(request: Pick<ObservedRequest, 'id'>, error: GatewayError): void;
}

/** One line for each request: who asked, what was tried, what it took. */
export function requestLog(logger: Logger): RequestLogger {
  const write = writerOf(logger);
  return {
    request(request) {
      if (!logger.isLevelEnabled('info')) return;
      const line = lineOf(request);
      const { code } = request.record;
      // a stream that broke off had said 200 before
      const broken = code !== null && code !== 'client_closed' && line.status === 200;
      write(line.status >= 500 || broken ? 'warn' : 'info', line);
    },
    failure({ id }, error) {
      logger.error({ requestId: id, err: error.cause ?? error }, 'internal error');
    },
  };
}

/** Writes a request's line; with a host's own logger by its rules, with ours as pino would. */
function writerOf(logger: Logger): (level: 'info' | 'warn', line: object) => void {
  const output = outputs.get(logger);
  if (!output) return (level, line) => logger[level](line, 'request');
  const { values } = logger.levels;
  return (level, line) =>
    output.write(
      `{"level":${values[level] ?? 0},"time":"${isoTime()}",${JSON.stringify(line).slice(1, -1)},"msg":"request"}\n`,
    );
}

/** What did not happen is left out; pino skips what is undefined. */
function lineOf({ record, caller, isIdentified, surface, id, startedAt }: ObservedRequest): {
  status: number;
  [field: string]: unknown;
} {
  const { attempts, model, ttftMs, promptTokens } = record;
  const counted = promptTokens !== null;
  return {
    requestId: id,
    surface: surface ?? undefined,
    account: isIdentified ? caller.name : undefined,
    status: record.status ?? 0,
    code: record.code ?? undefined,
    model: model === null ? undefined : `${record.provider ?? ''}/${model}`,
    attempts: attempts.length,
    tried:
      attempts.length > 1 || (record.code !== null && attempts.length > 0)
        ? triedOf(record)
        : undefined,
    stream: record.stream,
    latencyMs: Math.round(performance.now() - startedAt),
    ttftMs: ttftMs ?? undefined,
    promptTokens: counted ? promptTokens : undefined,
    completionTokens: counted ? record.completionTokens : undefined,
    costUsd: counted ? record.costUsd : undefined,
  };
}

/** Each upstream call, where there was more than one or it failed. */
function triedOf({ attempts }: ObservedRequest['record']): object[] {
  return attempts.map(({ provider, model, outcome, status, latencyMs }) => ({
    model: `${provider}/${model}`,
    outcome,
    status,
    latencyMs,
  }));
}

/** A line for a terminal: time, level, message, then the fields. */
function prettyStream(): { write: (line: string) => void } {
  return {
    write(line) {
      const { level, time, msg, ...fields } = JSON.parse(line) as {
        level: number;
        time: number;
        msg?: string;
        [field: string]: unknown;
      };
      // a name that a client typed must not move the cursor, nor pass for a line of its own
      const words = Object.entries(fields).map(
        ([name, value]) =>
          `${name}=${(typeof value === 'string' ? value : JSON.stringify(value)).replace(/\p{C}/gu, '?')}`,
      );
      process.stdout.write(
        `${new Date(time).toISOString().slice(11, 23)} ${pino.levels.labels[level] ?? String(level)} ${msg ?? ''} ${words.join(' ')}\n`,
      );
    },
  };
}
