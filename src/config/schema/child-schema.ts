import { isObject } from '../../text/is-object.js';
import type { JsonSchema } from './declared-order.js';

/**
 * The schema of the value under a key, or of a list's items (`items`), with what its reference
 * within `root` says; undefined if there is none.
 */
export function childSchema(
  schema: JsonSchema | undefined,
  key: string,
  root: JsonSchema,
): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  const { properties, additionalProperties, items, type } = schema;
  const child =
    isObject(properties) && Object.hasOwn(properties, key)
      ? properties[key]
      : key === 'items' && type === 'array'
        ? items
        : additionalProperties;
  if (!isObject(child) || typeof child.$ref !== 'string')
    return isObject(child) ? child : undefined;
  const target = isObject(root.$defs) ? root.$defs[child.$ref.replace('#/$defs/', '')] : undefined;
  return { ...(target as JsonSchema), ...child };
}
