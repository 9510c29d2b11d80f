import { isObject, namesIn } from '../../text/is-object.js';

/** A JSON Schema (2020-12), parsed. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

const schemaKeywords = namesIn(`
  items contains additionalProperties propertyNames unevaluatedProperties unevaluatedItems not
  if then else
`);
const listKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const mapKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
/** Keywords about an object as a whole, checked after its properties, each with its `x-reason`. */
const wholeKeywords = [
  ['anyOf'],
  ['oneOf'],
  ['not'],
  ['if', 'then', 'else'],
  ['dependentRequired'],
  ['dependentSchemas'],
];

/**
 * Rewrites a schema so that its properties are checked in their declared order, presence and value
 * together. A validator otherwise checks all `required` properties before any value. With this
 * order it can stop at its first failure, so that hostile input does not produce a list of 100,000
 * failures.
 */
export function inDeclaredOrder(schema: JsonSchema): JsonSchema {
  const node: Record<string, unknown> = { ...schema };
  for (const keyword of schemaKeywords)
    if (isObject(node[keyword])) node[keyword] = inDeclaredOrder(node[keyword]);
  for (const keyword of listKeywords)
    if (Array.isArray(node[keyword])) node[keyword] = node[keyword].map(transformed);
  for (const keyword of mapKeywords)
    if (isObject(node[keyword]))
      node[keyword] = Object.fromEntries(
        Object.entries(node[keyword]).map(([name, schema]) => [name, transformed(schema)]),
      );
  return isObject(node.properties) || Array.isArray(node.required) ? stepwise(node) : node;
}

function stepwise(node: JsonSchema): JsonSchema {
  const {
    properties = {},
    required = [],
    patternProperties,
    additionalProperties,
    allOf = [],
    ...rest
  } = node;
  const declared = isObject(properties) ? properties : {};
  const wanted = new Set(Array.isArray(required) ? (required as string[]) : []);
  const steps: JsonSchema[] = [];
  for (const [name, property] of Object.entries(declared)) {
    if (wanted.delete(name)) steps.push({ required: [name] });
    steps.push({ properties: { [name]: property } });
  }
  for (const name of wanted) steps.push({ required: [name] });
  // the check of undeclared properties; it lists the declared ones as always valid, so that they
  // count as known
  steps.push({
    properties: Object.fromEntries(Object.keys(declared).map((name) => [name, true])),
    ...(patternProperties === undefined ? {} : { patternProperties }),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  });
  steps.push(...(allOf as JsonSchema[]));
  for (const group of wholeKeywords) {
    if (!group.some((keyword) => keyword in rest)) continue;
    steps.push(picked(rest, [...group, 'x-reason']));
    for (const keyword of group) Reflect.deleteProperty(rest, keyword);
  }
  return { ...rest, allOf: steps };
}

const picked = (schema: JsonSchema, keywords: readonly string[]): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));

const transformed = (schema: unknown): unknown =>
  isObject(schema) ? inDeclaredOrder(schema) : schema;
