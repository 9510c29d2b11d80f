import { isObject } from '../../text/is-object.js';
import { definitionOf, type JsonSchema, readSchema } from './compile-schema.js';
import { fieldName } from './failure.js';

/** A field of a value that its schema does not know. */
export interface UnknownField {
  /** As `messages[0][mood]`. */
  readonly field: string;
  readonly key: string;
  /** The fields that the schema knows at that place. */
  readonly knownKeys: readonly string[];
}

/** More are not named. */
const maxUnknown = 20;

/**
 * Finds the fields of a valid value that the schema of that name does not know, up to 20 of them.
 * Null counts as absent; what refers to another schema, or declares no fields, is left alone.
 */
export function unknownFieldsOf(name: string): (value: unknown) => UnknownField[] {
  let root: JsonSchema | undefined;
  return (value) => {
    root ??= readSchema(name);
    const search: Search = { root, path: [], found: [] };
    addUnknown(search, root, value);
    return search.found;
  };
}

interface Search {
  readonly root: JsonSchema;
  /** Where the search is. */
  readonly path: string[];
  readonly found: UnknownField[];
}

function addUnknown(search: Search, schema: JsonSchema, value: unknown): void {
  if (Array.isArray(value)) addUnknownOfItems(search, schema, value);
  else if (isObject(schema['properties']) && schema['additionalProperties'] !== true)
    addUnknownOfObject(search, schema['properties'], value);
}

function addUnknownOfItems(search: Search, schema: JsonSchema, list: readonly unknown[]): void {
  const { root, path, found } = search;
  const items = itemsOf(schema);
  if (items === undefined) return;
  const itemSchema = resolved(root, items);
  for (let index = 0; index < list.length && found.length < maxUnknown; index++) {
    path.push(String(index));
    addUnknown(search, itemSchema, list[index]);
    path.pop();
  }
}

function addUnknownOfObject(search: Search, known: JsonSchema, value: unknown): void {
  const { root, path, found } = search;
  if (typeof value !== 'object' || value === null) return;
  for (const key in value) {
    if (found.length >= maxUnknown) return;
    const part = (value as Record<string, unknown>)[key];
    if (part === null || part === undefined || !Object.hasOwn(value, key)) continue;
    if (!Object.hasOwn(known, key)) {
      found.push({ field: fieldName([...path, key]), key, knownKeys: Object.keys(known) });
    } else if (typeof part === 'object') {
      path.push(key);
      addUnknown(search, resolved(root, known[key]), part);
      path.pop();
    }
  }
}

/** The schema of a list's items, also where the value may be something other than a list. */
function itemsOf({ items, anyOf }: JsonSchema): unknown {
  if (items !== undefined || !Array.isArray(anyOf)) return items;
  return (anyOf as JsonSchema[]).find((branch) => branch['items'] !== undefined)?.['items'];
}

function resolved(root: JsonSchema, part: unknown): JsonSchema {
  if (!isObject(part)) return {};
  return typeof part['$ref'] === 'string' ? definitionOf(part, root) : part;
}
