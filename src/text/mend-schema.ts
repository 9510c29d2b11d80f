import { isObject, namesIn, nameSet, table } from './is-object.js';

type Schema = Record<string, unknown>;
type Check = (value: unknown) => boolean;

/** Types in the words of Python, of databases and of OpenAPI; any other word says nothing. */
const typeNames: Readonly<Record<string, string>> = table({
  ...Object.fromEntries(
    namesIn('string number integer boolean array object null').map((name) => [name, name]),
  ),
  ...{ str: 'string', text: 'string', int: 'integer', long: 'integer', float: 'number' },
  ...{ double: 'number', bool: 'boolean', list: 'array', dict: 'object', none: 'null' },
});

const of = (keywords: string, check: Check): Record<string, Check> =>
  Object.fromEntries(namesIn(keywords).map((keyword) => [keyword, check]));
const isFull: Check = (value) => Array.isArray(value) && value.length > 0;
const maps = nameSet('properties patternProperties $defs definitions dependentSchemas');
const lists = nameSet('anyOf oneOf allOf prefixItems');
const inner = nameSet(`
  items additionalProperties not if then else contains propertyNames unevaluatedItems
  unevaluatedProperties
`);

/** What the keywords of JSON Schema 2020-12 hold. */
const checks: Readonly<Record<string, Check>> = table({
  ...of(
    'description title format pattern $ref $id $schema $comment',
    (value) => typeof value === 'string',
  ),
  ...of(
    `minimum maximum multipleOf exclusiveMinimum exclusiveMaximum minLength maxLength minItems
    maxItems minProperties maxProperties`,
    // a long integer is an object
    (value) => typeof value === 'number' || isObject(value),
  ),
  ...of('required', Array.isArray),
  ...of(`enum ${[...lists].join(' ')}`, isFull),
  ...of([...inner].join(' '), (value) => isObject(value) || typeof value === 'boolean'),
  uniqueItems: (value) => typeof value === 'boolean',
});

/** No body has more; a toolkit's schema may have any number, and is then left out. */
const maxLevels = 1_000;

/**
 * Brings a JSON Schema to the form of 2020-12, which Anthropic, OpenAI, xAI and others check: lists of
 * items and limits of older drafts in the newer words, types in small letters, an empty object for the
 * empty list that PHP writes. What is no schema says nothing. OpenAI and Gemini want the items of each
 * list. In place: a copy of a schema with 150,000 fields held the process for 100 ms.
 */
export function mendSchema(schema: Schema, levels = maxLevels): void {
  if (levels === 0) return;
  const mendInner = (one: Schema): void => mendSchema(one, levels - 1);
  const { $ref: ref } = schema;
  if (typeof ref === 'string') schema['$ref'] = ref.replace(/\/items(?=\/\d)/g, '/prefixItems');
  if ('type' in schema) mendType(schema);
  if (Array.isArray(schema['items'])) {
    schema['prefixItems'] ??= schema['items'];
    schema['items'] = schema['additionalItems'];
    delete schema['additionalItems'];
  }
  mendLimit(schema, 'minimum', 'exclusiveMinimum');
  mendLimit(schema, 'maximum', 'exclusiveMaximum');
  for (const key in schema) {
    const value = schema[key];
    if (maps.has(key)) {
      if (isObject(value)) mendMap(value, mendInner);
      else schema[key] = {};
    } else if (checks[key]?.(value) === false) Reflect.deleteProperty(schema, key);
    else if (inner.has(key) && isObject(value)) mendInner(value);
    else if (lists.has(key)) (value as unknown[]).filter(isObject).forEach(mendInner);
  }
  const { type, items } = schema;
  if (
    items === undefined &&
    (type === 'array' || (isFull(type) && (type as unknown[]).includes('array')))
  )
    schema['items'] = {};
}

function mendMap(map: Schema, mendInner: (one: Schema) => void): void {
  for (const name in map) {
    const schema = map[name];
    if (isObject(schema)) mendInner(schema);
    else if (typeof schema !== 'boolean') map[name] = {};
  }
}

function mendType(schema: Schema): void {
  const { type } = schema;
  // most are right
  if (typeof type === 'string' && typeNames[type] === type) return;
  const known = [type].flat().flatMap((name) => typeNames[String(name).toLowerCase()] ?? []);
  if (known.length === 0) delete schema['type'];
  else schema['type'] = Array.isArray(type) ? known : known[0];
}

/** Draft 4 has true beside a limit that is not taken itself. */
function mendLimit(schema: Schema, limit: string, exclusive: string): void {
  if (schema[exclusive] !== true || schema[limit] === undefined) return;
  schema[exclusive] = schema[limit];
  Reflect.deleteProperty(schema, limit);
}
