type Schema = Record<string, unknown>;

/** Anthropic refuses these in a schema that an answer must follow, though not in a tool's. */
const refusedKeywords = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
]);
const knownFormats = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
const maps = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRefused = (key: string, value: unknown): boolean =>
  refusedKeywords.has(key) || (key === 'format' && !knownFormats.has(String(value)));

function translateValue(key: string, value: unknown): unknown {
  if (key === 'enum' || key === 'const' || key === 'default' || key === 'examples') return value;
  if (maps.has(key) && isSchema(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        isSchema(inner) ? toOutputSchema(inner) : inner,
      ]),
    );
  if (Array.isArray(value))
    return value.map((inner: unknown) => (isSchema(inner) ? toOutputSchema(inner) : inner));
  return isSchema(value) ? toOutputSchema(value) : value;
}

/**
 * A JSON schema as `output_config.format` takes it: objects are closed, and limits that Anthropic cannot enforce move into the
 * description, where the model still reads them. The given schema is not changed.
 */
export function toOutputSchema(schema: Schema): Schema {
  const result: Schema = {};
  const limits: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (isRefused(key, value)) limits.push(`${key}: ${JSON.stringify(value)}`);
    else result[key] = translateValue(key, value);
  }
  // an object without named properties stays open, so that it is refused rather than emptied
  if (isSchema(schema['properties']) && !isSchema(schema['additionalProperties']))
    result['additionalProperties'] = false;
  if (limits.length > 0)
    result['description'] = [schema['description'], `(${limits.join(', ')})`]
      .filter(Boolean)
      .join(' ');
  return result;
}
