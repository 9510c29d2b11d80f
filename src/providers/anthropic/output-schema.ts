import { isObject, namesIn } from '../../text/is-object.js';

type Schema = Record<string, unknown>;

/** Anthropic refuses these keywords in the schema of an answer, but accepts them in a tool's. */
const refusedKeywords = new Set(
  namesIn(`
  minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
  minItems maxItems uniqueItems contains minContains maxContains minProperties maxProperties
`),
);
const knownFormats = new Set(
  namesIn(`
  date-time time date duration email hostname uri ipv4 ipv6 uuid
`),
);
/** Keywords whose values map names to schemas. */
const maps = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

const isRefused = (key: string, value: unknown): boolean =>
  refusedKeywords.has(key) || (key === 'format' && !knownFormats.has(String(value)));

function translateValue(key: string, value: unknown): unknown {
  if (key === 'enum' || key === 'const' || key === 'default' || key === 'examples') return value;
  if (maps.has(key) && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        isObject(inner) ? toOutputSchema(inner) : inner,
      ]),
    );
  if (Array.isArray(value))
    return value.map((inner: unknown) => (isObject(inner) ? toOutputSchema(inner) : inner));
  return isObject(value) ? toOutputSchema(value) : value;
}

/**
 * Translates a JSON schema for `output_config.format`: objects are closed, and limits that
 * Anthropic cannot enforce move into the description, where the model reads them. Does not change
 * the given schema.
 */
export function toOutputSchema(schema: Schema): Schema {
  const result: Schema = {};
  const limits: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (isRefused(key, value)) limits.push(`${key}: ${JSON.stringify(value)}`);
    else result[key] = translateValue(key, value);
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
