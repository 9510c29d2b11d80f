import { EventStreamCodec } from '@smithy/eventstream-codec';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/**
 * One frame of an AWS event stream with the given headers; a payload that is no text goes as JSON.
 */
export function frame(headers: Record<string, string>, payload: unknown): Buffer {
  const typed = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }]),
  );
  return Buffer.from(
    codec.encode({
      headers: typed,
      body: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload), 'utf8'),
    }),
  );
}

/** An event as Bedrock sends it, padding included. */
export function event(type: string, payload: Record<string, unknown>): Buffer {
  return frame(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    { ...payload, p: 'abcdefghij' },
  );
}

/** An exception inside a stream. */
export function exception(type: string, message: string): Buffer {
  return frame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    { message },
  );
}
