import { exactJson } from '../../text/exact-json.js';
import { type Fields, isObject, nameSet } from '../../text/is-object.js';
import { mapSchema } from '../json.js';

/** Anthropic refuses these keywords in the schema of an answer, but accepts them in a tool's. */
const refusedKeywords = nameSet(`
  minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
  minItems maxItems uniqueItems contains minContains maxContains minProperties maxProperties
`);
const knownFormats = nameSet('date-time time date duration email hostname uri ipv4 ipv6 uuid');

const isRefused = (key: string, value: unknown): boolean =>
  refusedKeywords.has(key) || (key === 'format' && !knownFormats.has(String(value)));

/**
 * Translates a JSON schema for `output_config.format`: objects are closed, and limits that
 * Anthropic cannot enforce move into the description, where the model reads them. Does not change
 * the given schema.
 */
export const toOutputSchema = (schema: Fields): Fields => mapSchema(schema, withDescribedLimits);

function withDescribedLimits(schema: Fields): Fields {
  const result: Fields = {};
  const limits: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (isRefused(key, value)) limits.push(`${key}: ${exactJson(value)}`);
    else result[key] = value;
  }
  // an object without properties stays open: Anthropic then refuses it, where a closed one would be
  // empty
  if (isObject(schema['properties']) && !isObject(schema['additionalProperties']))
    result['additionalProperties'] = false;
  if (limits.length > 0)
    result['description'] = [schema['description'], `(${limits.join(', ')})`]
      .filter(Boolean)
      .join(' ');
  return result;
}
