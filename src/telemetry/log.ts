import { pino, type Logger } from 'pino';
import { LogOutput, readableOutput } from './log-output.js';
import type { GatewayError } from '../errors.js';
import type { ObservedRequest } from './observed-request.js';
import { cut } from './requests/kept-plan.js';

/** The log level and format. */
export interface LogOptions {
  level: string;
  /** Lines for people instead of JSON; null: where standard output is a terminal. */
  pretty: boolean | null;
}

/**
 * Where a gateway writes its log: pino, `console`, or anything with these methods. Fields are plain
 * values; neither they nor messages have prompts or keys.
 */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log that writes nothing: the default of a gateway in a host app. */
export const silentLog: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A host's logger as a log; the console shows the message first. */
export function logOf(logger: Log): Log {
  if (logger !== console) return logger;
  return {
    info: (fields, message) => console.info(message, known(fields)),
    warn: (fields, message) => console.warn(message, known(fields)),
    error: (fields, message) => console.error(message, known(fields)),
  };
}

/** Without undefined fields, which JSON leaves out by itself. */
const known = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Whether a log, which may be pino's, writes lines about requests that succeeded. */
const writesInfo = (log: Log & Partial<Pick<Logger, 'isLevelEnabled'>>): boolean =>
  log !== silentLog && (log.isLevelEnabled?.('info') ?? true);

/** The process's logger on standard output: JSON, or readable if `pretty`. No prompts or keys. */
export function createLogger({ level, pretty }: LogOptions): Logger {
  if (pretty ?? process.stdout.isTTY) return pino({ level, base: null }, readableOutput());
  return pino({ level, base: null, timestamp: () => `,"time":"${isoTime()}"` }, new LogOutput());
}

const secondMs = 1_000;
let second = NaN;
let secondText = '';

/** The current time in ISO 8601. All but the milliseconds is made once a second: that saves 3 µs. */
function isoTime(): string {
  const now = Date.now();
  const ms = now % secondMs;
  if (now - ms !== second) {
    second = now - ms;
    secondText = new Date(second).toISOString().slice(0, -4);
  }
  return `${secondText}${String(ms).padStart(3, '0')}Z`;
}

/** The longest name in a line: a client may have chosen it. */
const maxLabel = 512;

/** Writes the log's lines about requests. */
export type RequestLogger = ReturnType<typeof createRequestLogger>;

/** Logs one line for each request: who asked, model, error, attempts, durations, tokens and cost. */
export function createRequestLogger(logger: Log) {
  return {
    request(request: ObservedRequest): void {
      if (!writesInfo(logger)) return;
      const line = lineOf(request);
      const { code } = request.record;
      // a stream that failed after its status was sent has status 200
      const broken = code !== null && code !== 'client_closed' && line.status === 200;
      logger[line.status >= 500 || broken ? 'warn' : 'info'](line, 'request');
    },
    /** Logs an internal error with its cause. */
    failure({ id }: Pick<ObservedRequest, 'id'>, error: GatewayError): void {
      logger.error({ requestId: id, err: error.cause ?? error }, 'internal error');
    },
    /** Logs a failure that no answer mentions, such as a row that could not be written. */
    warning: (message: string): void => logger.warn({}, message),
  };
}

/** The fields of a request's line; undefined ones are left out. */
function lineOf({ record, caller, isIdentified, surface, id, startedAt, trace }: ObservedRequest): {
  status: number;
  [field: string]: unknown;
} {
  const { attempts, ttftMs, promptTokens } = record;
  const counted = promptTokens !== null;
  return {
    requestId: id,
    surface: surface ?? undefined,
    accountId: isIdentified ? caller.accountId : undefined,
    keyId: caller.keyId ?? undefined,
    caller: isIdentified ? caller.name : undefined,
    conversationId: record.conversationId ?? undefined,
    status: record.status ?? 0,
    code: record.code ?? undefined,
    error: record.detail ?? record.error ?? undefined,
    field: record.field === null ? undefined : cut(record.field, maxLabel),
    model: labelOf(record),
    attempts: attempts.length,
    tried:
      attempts.length > 1 || (record.code !== null && attempts.length > 0)
        ? attempts.map(({ provider, model, outcome, status, error, latencyMs }) => ({
            model: `${provider}/${model}`,
            outcome,
            status,
            error: error ?? undefined,
            latencyMs,
          }))
        : undefined,
    stream: record.stream,
    latencyMs: Math.round(performance.now() - startedAt),
    ttftMs: ttftMs ?? undefined,
    promptTokens: counted ? promptTokens : undefined,
    completionTokens: counted ? record.completionTokens : undefined,
    costUsd: counted ? record.costUsd : (record.costUsd ?? undefined),
    estimatedUsd: record.estimatedUsd || undefined,
    heldUsd: record.heldUsd || undefined,
    trace_id: trace?.traceId,
  };
}

/** `<provider>/<model>`, or the provider alone for a request that was passed through. */
function labelOf({ provider, model }: ObservedRequest['record']): string | undefined {
  if (model === null) return provider ?? undefined;
  return cut(provider === null ? model : `${provider}/${model}`, maxLabel);
}
