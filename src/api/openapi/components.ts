import { type JsonSchema, readSchema, schemaNames } from '../../config/schema/compile-schema.js';

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A schema's name in the document: `completions.request` is `CompletionsRequest`. */
const componentName = (name: string): string => name.split(/[.-]/).map(upperFirst).join('');

/** The name of a definition in a file: `message` of `completions.request` is `CompletionsRequestMessage`. */
const definitionName = (name: string, definition: string): string =>
  componentName(name) + upperFirst(definition);

const listName = (name: string): string => `${componentName(name.replace(/\.response$/, ''))}List`;

const component = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** A reference to a schema file, by its name. */
export const ref = (name: string): JsonSchema => component(componentName(name));

/** A reference to the schema of a paged list of what that file describes. */
export const listRef = (name: string): JsonSchema => component(listName(name));

/** JSON content with the schema of that file. */
export const json = (name: string): object => ({ 'application/json': { schema: ref(name) } });

/**
 * All schema files except the configuration's for `components.schemas`, and the lists of them that
 * the paths refer to. Definitions inside of a file are components of their own, because generators
 * of clients do not follow references through `$defs`.
 */
export function componentSchemas(paths: object): Record<string, JsonSchema> {
  const used = JSON.stringify(paths);
  const names = schemaNames().filter((name) => name !== 'config');
  return Object.fromEntries(
    names.flatMap((name): [string, JsonSchema][] => [
      ...schemaComponents(name),
      ...(used.includes(`/${listName(name)}"`)
        ? ([[listName(name), listSchema(name)]] as [string, JsonSchema][])
        : []),
    ]),
  );
}

function schemaComponents(name: string): [string, JsonSchema][] {
  const {
    $defs = {},
    title,
    ...schema
  } = readSchema(name) as JsonSchema & {
    $defs?: Record<string, JsonSchema>;
    title?: string;
  };
  // generators would name a class after the title, and some titles are the same
  const described = { description: title, ...schema };
  return [
    [componentName(name), embedded(described, name)],
    ...Object.entries($defs).map(([definition, inner]): [string, JsonSchema] => [
      definitionName(name, definition),
      embedded(inner, name),
    ]),
  ];
}

const nested = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else']);
const lists = new Set(['anyOf', 'oneOf', 'allOf']);

/** A schema as tools of OpenAPI read it: without `$id`, references to components instead of files. */
function embedded(schema: JsonSchema, owner: string): JsonSchema {
  const { $id: _id, $schema: _schema, 'x-reason': reason, default: preset, ...rest } = schema;
  const inner = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? embedded(value as JsonSchema, owner) : value;
  const known = Object.entries(rest)
    .filter(([key]) => !isCondition(key, schema))
    .map(([key, value]): [string, unknown] => {
      if (key === '$ref') return [key, referenceTo(value as string, owner)];
      if (key === 'properties') return [key, mapValues(value as JsonSchema, inner)];
      if (nested.has(key)) return [key, inner(value)];
      if (key === 'const' && typeof value === 'boolean') return ['type', 'boolean'];
      return [key, lists.has(key) ? (value as unknown[]).map(inner) : value];
    });
  const description = describedRules(schema, reason, preset);
  return {
    ...(description === '' ? {} : { description }),
    ...Object.fromEntries(known.filter(([key]) => key !== 'description')),
    ...openContent(schema),
  };
}

/** Generators need to be told that a list, or an object without known fields, holds anything. */
function openContent(schema: JsonSchema): JsonSchema {
  const types = [schema['type']].flat();
  const isOpen = !('properties' in schema) && !('additionalProperties' in schema);
  return {
    ...(types.includes('array') && !('items' in schema) ? { items: {} } : {}),
    ...(types.includes('object') && isOpen ? { additionalProperties: true } : {}),
  };
}

const mapValues = (values: JsonSchema, change: (value: unknown) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));

/**
 * Whether a keyword only adds a condition between properties. Generators take `anyOf` beside
 * `properties` for the whole shape, so the description says it instead.
 */
const isCondition = (key: string, schema: JsonSchema): boolean =>
  key === 'anyOf' && 'properties' in schema;

/**
 * A schema's description with what its keywords cannot tell generators: a condition; a constant
 * true or false, of which openapi-python-client makes invalid Python; and the default, which
 * openapi-typescript takes for a field that is always there.
 */
function describedRules(schema: JsonSchema, reason: unknown, preset: unknown): string {
  const { description, const: constant } = schema as { description?: string; const?: unknown };
  const { anyOf: condition } = (typeof reason === 'object' ? reason : {}) as { anyOf?: string };
  return [
    description,
    condition === undefined ? undefined : `It ${condition}.`,
    typeof constant === 'boolean' ? `Always \`${constant}\`, if present.` : undefined,
    preset === undefined ? undefined : `Default: \`${JSON.stringify(preset)}\`.`,
  ]
    .filter((text) => text !== undefined)
    .join(' ');
}

function referenceTo(reference: string, owner: string): string {
  const [file = '', pointer = ''] = reference.split('#');
  const name = file === '' ? owner : file.replace('.schema.json', '');
  const definition = /^\/\$defs\/(\w+)$/.exec(pointer)?.[1];
  return `#/components/schemas/${definition === undefined ? componentName(name) : definitionName(name, definition)}`;
}

function listSchema(name: string): JsonSchema {
  const properties = {
    object: { type: 'string', const: 'list' },
    items: { type: 'array', items: ref(name) },
    next: {
      type: ['string', 'null'],
      description: 'The `cursor` of the next page; null on the last page.',
    },
  };
  return { type: 'object', required: ['object', 'items', 'next'], properties };
}
