import { escapeJson } from '../../completion.js';

/**
 * JSON in ASCII only, so that it is its own byte string and can be mixed with a provider's frames.
 */
export function byteJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, (character) => escapeJson(character));
}

/** Text as a byte string, on one line. */
export function byteLine(text: string): string {
  return Buffer.from(text.replace(/[\r\n]+/g, ' '), 'utf8').toString('latin1');
}
