import { textAt } from './json.js';
import { postStream, type SseFrame, type StreamOptions, type StreamReply } from './sse.js';

/** The events of a stream, without pings. */
export const eventsOf = (frames: readonly SseFrame[]): SseFrame[] =>
  frames.filter(({ data }) => data !== undefined);

/** The text of a native stream's events. */
export const textOf = (frames: readonly SseFrame[]): string =>
  eventsOf(frames)
    .filter(({ event, data }) => event === undefined && data?.startsWith('{'))
    .map(({ data }) => textAt(JSON.parse(data ?? ''), 'text'))
    .join('');

/** The id of the last event that has one. */
export const lastIdOf = (frames: readonly SseFrame[]): string | undefined =>
  frames.findLast(({ id }) => id !== undefined)?.id;

/** Reads a stream with GET. */
export const getStream = (url: string, options: StreamOptions): Promise<StreamReply> =>
  postStream(url, undefined, { ...options, method: 'GET' });

/** Asks for the rest of a native stream. */
export const resume = (
  base: string,
  id: string,
  { lastId, ...options }: StreamOptions & { lastId?: string | undefined },
): Promise<StreamReply> =>
  getStream(`${base}/api/v1/completions/${id}/stream`, {
    ...options,
    headers: { ...options.headers, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
  });
