import type { FullAnswer, Meaning } from '../steps.js';

/**
 * One event as it travels. `open` carries no content, `finish` the reason and usage, `end` is the
 * dialect's own end marker.
 */
export interface Frame {
  kind: 'open' | 'content' | 'finish' | 'end';
  bytes: Buffer;
}

/** The gateway's request: the path with its query, and the JSON body. */
export interface Asked {
  path: string;
  body: Record<string, unknown>;
}

export interface DialectError {
  status: number;
  body: unknown;
}

/** The wire format of one provider. */
export interface Dialect {
  readonly name: string;
  readonly streamType: string;
  /** @param path without its query */
  matches(path: string): boolean;
  wantsStream(asked: Asked): boolean;
  frames(answer: FullAnswer, asked: Asked): Frame[];
  json(answer: FullAnswer, asked: Asked): unknown;
  /** The body of an error status. */
  error(meaning: Meaning, message: string): DialectError;
  /** The same inside a stream whose status was 200. */
  errorFrame(meaning: Meaning, message: string): Buffer;
}

/** The status that most providers use. */
export const usualStatus: Record<Meaning, number> = {
  overloaded: 503,
  rate_limited: 429,
  auth: 401,
  bad_request: 400,
  not_found: 404,
  server_error: 500,
  content_filter: 400,
};

/** One server-sent event; the name only where the dialect sends one. */
export function sse(data: unknown, event?: string, newline = '\n'): Buffer {
  const line = typeof data === 'string' ? data : JSON.stringify(data);
  return Buffer.from(
    `${event === undefined ? '' : `event: ${event}${newline}`}data: ${line}${newline}${newline}`,
  );
}

/** An argument text in two pieces, as streams bring it. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}
