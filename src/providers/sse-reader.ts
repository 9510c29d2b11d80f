import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { EventReader } from '../completion.js';

/** The largest single event that is accepted from a provider, in characters: a stream without line ends must not fill the memory. */
const maxEventLength = 32 * 1024 * 1024;

/**
 * A reader for providers whose answers are server-sent events of JSON and that are translated anyway.
 * The internal dialect has its own, faster one.
 * @param onEvent called for each event with its name (undefined where none was sent) and its data lines, joined
 * @param onClose called when the provider closes the stream; throws where the answer was not whole
 */
export function sseReader(
  onEvent: (event: string | undefined, data: string) => void,
  onClose: () => void,
): EventReader {
  const decoder = new StringDecoder('utf8');
  const parser = createParser({
    onEvent: (message) => {
      // an event without data is a sign of life
      if (/\S/.test(message.data)) onEvent(message.event, message.data);
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
    maxBufferSize: maxEventLength,
  });
  let begun = false;
  return {
    push(bytes) {
      const text = decoder.write(bytes);
      // the decoder leaves a byte order mark in, and the parser does not know it in this form
      parser.feed(begun || text.charCodeAt(0) !== 0xfeff ? text : text.slice(1));
      begun ||= text !== '';
    },
    close() {
      // some providers leave out the empty line after their last event
      parser.feed(`${decoder.end()}\n\n`);
      onClose();
    },
  };
}
