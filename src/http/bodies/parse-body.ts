import { isUtf8 } from 'node:buffer';
import { inTurns, nextTurn } from '../../async/turns.js';
import { GatewayError, invalidField } from '../../errors.js';
import {
  countJson,
  type JsonBounds,
  jsonBounds,
  type JsonExcess,
  jsonExcess,
  maxJsonDepth,
  parsedExcess,
} from '../../text/json-size.js';
import { mayHaveLongIntegers, parseFields } from '../../text/exact-json.js';
import { jsonFault } from '../../text/json-fault.js';
import { cutJson, isLargeBody, parsePieces } from '../../text/json-pieces.js';
import { withoutByteOrderMark } from '../../text/json-values.js';

/** The size of the pieces in which a long list is parsed: some 10 ms each for short messages. */
const pieceBytes = 256 * 1024;

/**
 * The bounds of a body. By default, four members per value allow twice the tokens of OpenAI's
 * largest embeddings request, and half of the members that would block the process for 50 ms.
 */
const boundsOf = (maxValues: number): JsonBounds => jsonBounds(maxValues, 4);

/**
 * Parses a JSON body, which some programs of Windows begin with a byte order mark. A large one is
 * counted, decoded and parsed in steps.
 *
 * JSON.parse makes a `__proto__` key an ordinary property, which is harmless because nothing here
 * merges objects by key.
 * Long integers keep their digits, except in the body's own fields.
 * @param maxValues how many objects, lists and texts it may have; counted before it is parsed
 * @throws GatewayError `malformed_json`; `bad_request` for more than the bounds allow
 */
export function parseBody(sent: Buffer, maxValues: number): unknown {
  const body = withoutByteOrderMark(sent);
  if (body.length === 0)
    throw new GatewayError('malformed_json', 'the body is empty; a JSON object is expected');
  if (isLargeBody(body.length)) return parseInSteps(body, maxValues);
  refuseExcess(jsonExcess(body, boundsOf(maxValues)), maxValues);
  checkUtf8(body);
  const text = body.toString('utf8');
  try {
    return parseFields(text);
  } catch (cause) {
    throw malformedJson(text, cause);
  }
}

async function parseInSteps(body: Buffer, maxValues: number): Promise<unknown> {
  await nextTurn();
  refuseExcess(await inTurns(countJson(body, boundsOf(maxValues))), maxValues);
  await nextTurn();
  checkUtf8(body);
  const pieces = await inTurns(cutJson(body, pieceBytes));
  await nextTurn();
  let value: unknown;
  try {
    if (pieces) value = await parsePieces(pieces, nextTurn);
    else {
      const text = body.toString('utf8');
      await nextTurn();
      const isUsual = !mayHaveLongIntegers(text);
      await nextTurn();
      value = isUsual ? JSON.parse(text) : parseFields(text);
    }
  } catch (cause) {
    await nextTurn();
    const text = body.toString('utf8');
    await nextTurn();
    throw malformedJson(text, cause);
  }
  await nextTurn();
  return value;
}

/**
 * A body that the host's own parser has read, if it is within the bounds.
 * @throws GatewayError `bad_request`
 */
export function checkParsed<T>(body: T, maxValues: number): T {
  refuseExcess(parsedExcess(body, boundsOf(maxValues)), maxValues);
  return body;
}

function refuseExcess(excess: JsonExcess | null, maxValues: number): void {
  if (excess === null) return;
  const { values, members, names } = boundsOf(maxValues);
  const reasons = {
    values: `must have at most ${values} objects, lists and texts`,
    members: `must have at most ${members} items and fields`,
    names: `must have at most ${names} different field names`,
    depth: `is nested too deeply: more than ${maxJsonDepth} levels`,
  };
  const setting = excess === 'depth' ? '' : ' (limits.maxJsonValues of the gateway)';
  throw invalidField('body', reasons[excess] + setting, 'bad_request');
}

/** Decoding would silently insert replacement characters. */
function checkUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw new GatewayError('malformed_json', 'the body is not valid UTF-8');
}

/** The error for a body that cannot be parsed: says where, without quoting it as parsers do. */
export function malformedJson(text: string, cause: unknown): GatewayError {
  if (cause instanceof RangeError) return invalidField('body', cause.message, 'bad_request');
  const fault = jsonFault(text);
  const where = fault === null ? '' : `: ${fault}`;
  return new GatewayError('malformed_json', `the body is not valid JSON${where}`, { cause });
}
