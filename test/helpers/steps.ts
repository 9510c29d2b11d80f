import type { OutgoingHttpHeaders } from 'node:http';

/**
 * Token counts in neutral words: `prompt` includes cached and cache-written tokens, `completion`
 * includes reasoning.
 */
export interface StepUsage {
  prompt: number;
  completion: number;
  cached?: number;
  cacheWritten?: number;
  reasoning?: number;
}

export interface StepToolCall {
  /** Absent: `call_1`, `call_2`, … */
  id?: string;
  name: string;
  /** An object, or the argument text as it is (broken JSON, say). */
  arguments: Record<string, unknown> | string;
}

export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** How a body is cut into writes: each byte, each event, pieces of n bytes, or all at once. */
export type Cut = 'whole' | 'events' | 'bytes' | number;

/** An answer in terms that every dialect has. `{}` is a short greeting with usage. */
export interface Answer {
  /** The end of the answer's id, where its dialect has one. Default `test`. */
  id?: string;
  /**
   * One streamed event for each; joined where the answer is not streamed. Default `['Hel', 'lo']`,
   * or none if there are tool calls.
   */
  text?: string[];
  reasoning?: string[];
  toolCalls?: StepToolCall[];
  /** Default `tool_calls` where there are any, else `stop`. */
  finish?: Finish;
  /** Default 10 in, 5 out; null: none is reported. */
  usage?: StepUsage | null;
  /** Wait before the status line, in ms. */
  delayMs?: number;
  /** Wait between two writes, in ms. */
  betweenMs?: number;
  /** Default `events`. */
  cut?: Cut;
  /** Extra response headers. */
  headers?: OutgoingHttpHeaders;
  /** Of a fault `afterContent` or `halfFrame`: how many events with content come before it. Default 1. */
  contents?: number;
}

/** An error, independent of the dialect. */
export type Meaning =
  | 'overloaded'
  | 'rate_limited'
  | 'auth'
  | 'bad_request'
  | 'not_found'
  | 'server_error'
  | 'content_filter';

/** A fault of a provider. Those that extend Answer name the answer that it interrupts. */
export type Fault =
  /**
   * Absent `body`: the dialect's own error body. A string or Buffer is sent as it is. `unended`: the
   * body does not end after it, whether it goes on in blanks or not.
   */
  | {
      status: number;
      headers?: OutgoingHttpHeaders;
      body?: unknown;
      delayMs?: number;
      unended?: 'silent' | 'dripping';
    }
  | ({ hang: 'beforeHeaders' | 'afterHeaders' | 'afterFirstEvent' | 'afterContent' } & Answer)
  | ({ reset: 'beforeHeaders' | 'afterHeaders' | 'afterContent' | 'halfFrame' } & Answer)
  /**
   * `true`: the content and then a clean end of the body; `afterFinish`: only the end marker itself
   * is missing.
   */
  | ({ endWithoutMarker: true | 'afterFinish' } & Answer)
  | { garbage: true }
  | ({ errorUnder200: 'first' | 'afterContent'; meaning?: Meaning } & Answer)
  /** A wait after each byte, in ms. */
  | ({ slowBytes: number } & Answer)
  /**
   * A body as it is; `events` may give its cuts, else `writes: 'events'` cuts after empty lines.
   */
  | {
      raw: Buffer;
      contentType: string;
      writes?: Cut;
      events?: Buffer[];
      status?: number;
      headers?: OutgoingHttpHeaders;
    }
  /** 400 where a stream was asked for, a JSON answer otherwise. */
  | ({ refuseStream: true } & Answer);

export type Step = Answer | Fault;

/** An answer with every default filled in, as the dialects take it. */
export interface FullAnswer {
  id: string;
  text: string[];
  reasoning: string[];
  toolCalls: { id: string; name: string; arguments: string }[];
  finish: Finish;
  usage: Required<StepUsage> | null;
}

/** Fills in the defaults of an answer. */
export function fullAnswer(answer: Answer): FullAnswer {
  const toolCalls = (answer.toolCalls ?? []).map((call, i) => ({
    id: call.id ?? `call_${i + 1}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));
  const usage = answer.usage === undefined ? { prompt: 10, completion: 5 } : answer.usage;
  return {
    id: answer.id ?? 'test',
    text: answer.text ?? (toolCalls.length > 0 ? [] : ['Hel', 'lo']),
    reasoning: answer.reasoning ?? [],
    toolCalls,
    finish: answer.finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: usage && { cached: 0, cacheWritten: 0, reasoning: 0, ...usage },
  };
}

/** What a status most often means. */
export function meaningOf(status: number): Meaning {
  if (status === 401 || status === 402 || status === 403) return 'auth';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status === 503 || status === 529) return 'overloaded';
  return status >= 500 ? 'server_error' : 'bad_request';
}
