import { isObject, type Json } from '../../text/is-object.js';
import { atPointer } from '../../text/json-values.js';
import { decoded } from '../../text/parse-url.js';

type Schema = Record<string, unknown>;

/** A schema that providers accept, or what is wrong with it. */
export type ReadSchema = { readonly schema: Json } | { readonly problem: string };

const maxDepth = 16;
const maxParts = 2_000;
const maxLength = 32_768;

/** What names schemas and keeps their parts (`components` in OpenAPI); the copy needs neither. */
const dropped = [
  'components',
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$comment',
  '$defs',
  'definitions',
];
const withSchema = [
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedProperties', 'unevaluatedItems', 'additionalItems'],
];
const withSchemas = ['properties', 'patternProperties', 'dependentSchemas'];
const withList = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
/** Providers refuse these in the schema of the arguments itself. */
const notAtRoot = [...withList, 'not', 'if', 'then', 'else', 'enum', 'const'];

class SchemaProblem extends Error {}

interface Walk {
  readonly root: Schema;
  /** The references that lead to the current place. */
  readonly within: readonly string[];
  readonly depth: number;
  readonly left: { parts: number; characters: number };
}

/**
 * A copy of the schema of a tool's arguments that models can be told: an object at its root,
 * references replaced by what they mean (one to itself, or to elsewhere, by anything), bounded in
 * depth and length.
 */
export function readToolSchema(written: unknown): ReadSchema {
  try {
    const root = objectOf(written ?? {}, 'it');
    const walk = { root, within: [], depth: 0, left: { parts: maxParts, characters: maxLength } };
    const copy = Object.fromEntries(
      Object.entries(copied(root, walk)).filter(([keyword]) => !notAtRoot.includes(keyword)),
    );
    if (copy.type !== undefined && copy.type !== 'object')
      throw new SchemaProblem('it describes no object');
    const schema = { ...copy, type: 'object', properties: copy.properties ?? {} };
    return { schema };
  } catch (error) {
    // a value may be too deep to be written as JSON
    return { problem: error instanceof SchemaProblem ? error.message : 'it cannot be read' };
  }
}

function copied(schema: Schema, walk: Walk): Schema {
  if (walk.depth > maxDepth) throw new SchemaProblem(`it is deeper than ${maxDepth} levels`);
  if (--walk.left.parts < 0) throw new SchemaProblem(`it has more than ${maxParts} parts`);
  const { $ref, ...own } = schema;
  if ($ref !== undefined) return { ...resolved($ref, walk), ...copied(own, walk) };
  const inner = { ...walk, depth: walk.depth + 1 };
  const entries = Object.entries(schema)
    .filter(([keyword]) => !dropped.includes(keyword))
    .map(([keyword, value]) => [keyword, part(keyword, value, inner)] as const);
  // defines the keys, so that one named __proto__ is a key like any other
  return Object.fromEntries(entries);
}

function part(keyword: string, value: unknown, walk: Walk): unknown {
  if (withSchemas.includes(keyword))
    return Object.fromEntries(
      Object.entries(objectOf(value, keyword)).map(([name, inner]) => [
        name,
        subschema(inner, keyword, walk),
      ]),
    );
  if (withList.includes(keyword) || (keyword === 'items' && Array.isArray(value))) {
    if (!Array.isArray(value)) throw new SchemaProblem(`its \`${keyword}\` is no list`);
    return value.map((inner) => subschema(inner, keyword, walk));
  }
  if (withSchema.includes(keyword)) return subschema(value, keyword, walk);
  if (keyword === 'required' && !isTexts(value))
    throw new SchemaProblem('its `required` is no list of names');
  // several references may lead to one long value
  walk.left.characters -= keyword.length + JSON.stringify(value).length;
  if (walk.left.characters < 0) throw new SchemaProblem(`it has more than ${maxLength} characters`);
  return value;
}

const subschema = (value: unknown, keyword: string, walk: Walk): unknown =>
  typeof value === 'boolean' ? value : copied(objectOf(value, keyword), walk);

function resolved(reference: unknown, walk: Walk): Schema {
  const isLocal = typeof reference === 'string' && /^#(\/|$)/.test(reference);
  if (!isLocal || walk.within.includes(reference)) return {};
  const target = atPointer(walk.root, decoded(reference.slice(1)));
  if (target === undefined) throw new SchemaProblem('one of its references leads nowhere');
  if (typeof target === 'boolean') return {};
  const inner = { ...walk, within: [...walk.within, reference], depth: walk.depth + 1 };
  return copied(objectOf(target, '$ref'), inner);
}

function objectOf(value: unknown, what: string): Schema {
  if (isObject(value)) return value;
  throw new SchemaProblem(what === 'it' ? 'it is no object' : `its \`${what}\` is no schema`);
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');
