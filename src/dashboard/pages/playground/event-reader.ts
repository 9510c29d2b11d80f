import { createParser } from 'eventsource-parser';
import type { Chunk, Failed, TraceEntry } from '../../components/conversation/answer.js';

/** What `streamCompletion` tells, in order: chunks, then the end or a failure. */
export interface StreamListener {
  /** The request was taken; its id names it in the request log. */
  begun(requestId: string | null): void;
  /** `isNumbered`: the stream goes on without its reader until it is cancelled. */
  chunk(chunk: Chunk, isNumbered: boolean): void;
  failed(failed: Failed): void;
}

/** Reads the text of a stream piece by piece, cut anywhere. */
export function eventReader(listener: StreamListener): {
  feed(text: string): void;
  /** The stream is over. A stream that has not said so itself was cut off. */
  end(): void;
} {
  let isOver = false;
  const fail = (failed: Failed): void => {
    if (!isOver) listener.failed(failed);
    isOver = true;
  };
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (event === 'error') fail(failureIn(data) ?? { message: data, trace: [] });
      else if (data === '[DONE]') isOver = true;
      else if (!isOver && data.startsWith('{'))
        listener.chunk(JSON.parse(data) as Chunk, id !== undefined);
    },
  });
  return {
    feed: (text) => parser.feed(text),
    end: () => fail({ message: 'The connection broke off.', trace: [] }),
  };
}

/** The error in the body of an answer or in an event; null: there is none. */
export function failureIn(text: string): Failed | null {
  try {
    const { message, errorTrace } = JSON.parse(text) as {
      message?: string;
      errorTrace?: TraceEntry[];
    };
    return message === undefined ? null : { message, trace: errorTrace ?? [] };
  } catch {
    return null;
  }
}
