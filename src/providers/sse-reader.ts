import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { EventReader } from '../completion.js';

/** In characters. A stream without line ends must not fill the memory. */
const maxEventLength = 32 * 1024 * 1024;

/**
 * Reads server-sent events of providers whose answers are translated. The internal dialect has its
 * own, faster reader.
 * @param onEvent called for each event with its name (undefined if none was sent) and its joined
 *   data lines
 * @param onClose called when the provider closes the stream; throws if the answer is incomplete
 */
export function sseReader(
  onEvent: (event: string | undefined, data: string) => void,
  onClose: () => void,
): EventReader {
  const decoder = new StringDecoder('utf8');
  const parser = createParser({
    onEvent: (message) => {
      // an event without data only keeps the connection alive
      if (/\S/.test(message.data)) onEvent(message.event, message.data);
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
    maxBufferSize: maxEventLength,
  });
  let isStarted = false;
  return {
    push(bytes) {
      const text = decoder.write(bytes);
      // the decoder keeps a byte order mark, and the parser does not recognise it once decoded
      parser.feed(isStarted || text.charCodeAt(0) !== 0xfeff ? text : text.slice(1));
      isStarted ||= text !== '';
    },
    close() {
      // some providers omit the empty line after their last event
      parser.feed(`${decoder.end()}\n\n`);
      onClose();
    },
  };
}
