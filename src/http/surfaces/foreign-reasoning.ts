import { exactJson, parseExactJson } from '../../text/exact-json.js';
import { jsonBounds, jsonExcess } from '../../text/json-size.js';
import { asList } from '../../text/is-object.js';
import { parsedJson } from '../../text/json-values.js';

const prefix = 'sbx1.';
/** The body's own bounds do not see what the text contains. */
const bounds = jsonBounds(10_000, 10);

/**
 * Reasoning of a maker that the client's dialect does not know, as one opaque text that the client
 * sends back unchanged: the `signature` of a thinking block of Messages, the `encrypted_content` of
 * a reasoning item of Responses. It is the client's own answer, so it is neither secret nor signed.
 * @param details entries of `reasoning_details`
 */
export function sealReasoning(details: readonly unknown[]): string {
  return prefix + Buffer.from(exactJson(details), 'utf8').toString('base64url');
}

/**
 * The entries that `sealReasoning` was given; empty if the text was cut or changed on its way. Null
 * for any other text, which only its maker can read.
 */
export function openReasoning(text: unknown): unknown[] | null {
  if (typeof text !== 'string' || !text.startsWith(prefix)) return null;
  const json = Buffer.from(text.slice(prefix.length), 'base64url');
  const isBounded = jsonExcess(json, bounds) === null;
  const details = isBounded ? parsedJson(json.toString('utf8'), parseExactJson) : null;
  return asList(details);
}
