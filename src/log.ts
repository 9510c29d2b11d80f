import { pino, type Logger } from 'pino';
import { LogOutput } from './log-output.js';
import type { GatewayError } from './errors.js';
import type { RequestContext } from './http/context.js';
import type { RequestLog } from './http/parts.js';

export interface LogOptions {
  level: string;
  pretty: boolean;
}

/** The process's logger: JSON lines on standard output, or `pretty` ones for people. Never a prompt, never a key. */
export function createLogger({ level, pretty }: LogOptions): Logger {
  return pretty ? pino({ level, base: null }, prettyStream()) : pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, new LogOutput());
}

/** One line for each request: who asked, what was tried, what it took. */
export function requestLog(logger: Logger): RequestLog {
  return {
    request(context) {
      if (!logger.isLevelEnabled('info')) return;
      const line = lineOf(context);
      // a stream that broke off had said 200 before
      const broken = context.record.code !== null && context.record.code !== 'client_closed' && line.status === 200;
      if (line.status >= 500 || broken) logger.warn(line, 'request');
      else logger.info(line, 'request');
    },
    failure(context, error: GatewayError) {
      logger.error({ requestId: context.requestId, err: error.cause ?? error }, 'a fault of ours');
    },
  };
}

/** What did not happen is left out; pino skips what is undefined. */
function lineOf({ record, account, surface, requestId, startedAt }: RequestContext): { status: number; [field: string]: unknown } {
  const { attempts, model, ttftMs, promptTokens } = record;
  const counted = promptTokens !== null;
  return {
    requestId,
    surface: surface?.name,
    account: account?.name,
    status: record.status ?? 0,
    code: record.code ?? undefined,
    model: model === null ? undefined : `${record.provider ?? ''}/${model}`,
    attempts: attempts.length,
    tried: attempts.length > 1 || (record.code !== null && attempts.length > 0) ? triedOf(record) : undefined,
    stream: record.stream,
    latencyMs: Math.round(performance.now() - startedAt),
    ttftMs: ttftMs ?? undefined,
    promptTokens: counted ? promptTokens : undefined,
    completionTokens: counted ? record.completionTokens : undefined,
    costUsd: counted ? record.costUsd : undefined,
  };
}

/** Each upstream call, where there was more than one or it failed. */
function triedOf({ attempts }: RequestContext['record']): object[] {
  return attempts.map(({ provider, model, outcome, status, latencyMs }) => ({ model: `${provider}/${model}`, outcome, status, latencyMs }));
}

/** A line for a terminal: time, level, message, then the fields. */
function prettyStream(): { write: (line: string) => void } {
  return {
    write(line) {
      const { level, time, msg, ...fields } = JSON.parse(line) as { level: number; time: number; msg?: string; [field: string]: unknown };
      // a name that a client typed must not move the cursor, nor pass for a line of its own
      const words = Object.entries(fields).map(([name, value]) => `${name}=${(typeof value === 'string' ? value : JSON.stringify(value)).replace(/\p{C}/gu, '?')}`);
      process.stdout.write(`${new Date(time).toISOString().slice(11, 23)} ${pino.levels.labels[level] ?? String(level)} ${msg ?? ''} ${words.join(' ')}\n`);
    },
  };
}
