import { pino, type Logger } from 'pino';
import type { GatewayError } from './errors.js';
import type { RequestContext } from './http/context.js';
import type { RequestLog } from './http/parts.js';

export interface LogOptions {
  level: string;
  pretty: boolean;
}

/** The process's logger: JSON lines on standard output, or `pretty` ones for people. Never a prompt, never a key. */
export function createLogger({ level, pretty }: LogOptions): Logger {
  return pretty ? pino({ level, base: null }, prettyStream()) : pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}

/** One line for each request: who asked, what was tried, what it took. */
export function requestLog(logger: Logger): RequestLog {
  return {
    request(context) {
      if (!logger.isLevelEnabled('info')) return;
      const line = lineOf(context);
      if (line.status >= 500) logger.warn(line, 'request');
      else logger.info(line, 'request');
    },
    failure(context, error: GatewayError) {
      logger.error({ requestId: context.requestId, err: error.cause ?? error }, 'a fault of ours');
    },
  };
}

function lineOf(context: RequestContext): { status: number; [field: string]: unknown } {
  const { record, account, surface, requestId, startedAt } = context;
  return {
    requestId,
    surface: surface?.name,
    account: account?.name,
    status: record.status ?? 0,
    ...(record.code ? { code: record.code } : {}),
    ...(record.model === null ? {} : { model: `${record.provider ?? ''}/${record.model}` }),
    ...(record.attempts.length > 0 ? { attempts: record.attempts.map(({ provider, model, outcome, status, latencyMs }) => ({ model: `${provider}/${model}`, outcome, status, latencyMs })) } : {}),
    stream: record.stream,
    latencyMs: Math.round(performance.now() - startedAt),
    ...(record.ttftMs === null ? {} : { ttftMs: record.ttftMs }),
    ...(record.promptTokens === null ? {} : { promptTokens: record.promptTokens, completionTokens: record.completionTokens, costUsd: record.costUsd }),
  };
}

/** A line for a terminal: time, level, message, then the fields. */
function prettyStream(): { write: (line: string) => void } {
  return {
    write(line) {
      const { level, time, msg, ...fields } = JSON.parse(line) as { level: number; time: number; msg?: string; [field: string]: unknown };
      const words = Object.entries(fields).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
      process.stdout.write(`${new Date(time).toISOString().slice(11, 23)} ${pino.levels.labels[level] ?? String(level)} ${msg ?? ''} ${words.join(' ')}\n`);
    },
  };
}
