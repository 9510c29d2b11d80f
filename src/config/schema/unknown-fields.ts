import { type JsonSchema, readSchema } from './compile-schema.js';
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
    const found: UnknownField[] = [];
    addUnknown(found, { root, schema: root, path: [] }, value);
    return found;
  };
}

interface Place {
  readonly root: JsonSchema;
  readonly schema: JsonSchema;
  readonly path: readonly string[];
}

function addUnknown(found: UnknownField[], place: Place, value: unknown): void {
  if (found.length >= maxUnknown) return;
  const { root, schema, path } = place;
  const inner = (key: string, part: unknown): Place => ({
    root,
    schema: resolved(root, part),
    path: [...path, key],
  });
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined) return;
    for (const [index, item] of value.entries())
      addUnknown(found, inner(String(index), items), item);
  } else if (isSchema(schema['properties']) && schema['additionalProperties'] !== true) {
    const known = schema['properties'];
    for (const [key, part] of Object.entries(value ?? {})) {
      if (part === null || part === undefined) continue;
      if (Object.hasOwn(known, key)) addUnknown(found, inner(key, known[key]), part);
      else if (found.length < maxUnknown)
        found.push({ field: fieldName([...path, key]), key, knownKeys: Object.keys(known) });
    }
  }
}

/** The schema of a list's items, also where the value may be something other than a list. */
function itemsOf({ items, anyOf }: JsonSchema): unknown {
  if (items !== undefined || !Array.isArray(anyOf)) return items;
  return (anyOf as JsonSchema[]).find((branch) => branch['items'] !== undefined)?.['items'];
}

function resolved(root: JsonSchema, part: unknown): JsonSchema {
  if (!isSchema(part)) return {};
  const { $ref: reference } = part;
  if (typeof reference !== 'string') return part;
  const name = /^#\/\$defs\/(\w+)$/.exec(reference)?.[1];
  const { $defs: definitions } = root;
  const definition = name !== undefined && isSchema(definitions) ? definitions[name] : undefined;
  return isSchema(definition) ? definition : {};
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
