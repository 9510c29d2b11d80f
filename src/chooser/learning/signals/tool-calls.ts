import type { ToolCall, ToolDefinition } from '../../../completion.js';

/** Longer arguments, and more of their values, are not checked. */
const maxLength = 65_536;
const maxValues = 2_000;

type Schema = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether a call cannot be carried out: of a tool that was not offered, or with arguments that are
 * not JSON or do not fit the tool's schema. What the check does not know counts as fitting.
 */
export function isBadCall(call: ToolCall, tools: readonly ToolDefinition[]): boolean {
  // providers have calls of other types, whatever ours says
  if (!isRecord(call.function)) return false;
  const { name, arguments: text } = call.function;
  const tool = tools.find((one) => one.function.name === name);
  if (!tool) return true;
  if (typeof text !== 'string' || text.length > maxLength) return false;
  let given: unknown;
  try {
    // a call without arguments often has none at all
    given = text.trim() === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    return true;
  }
  return !fits(given, tool.function.parameters ?? {}, { left: maxValues });
}

/** Types, required and forbidden properties, and lists of values; patterns are not tried. */
function fits(value: unknown, schema: Schema, budget: { left: number }): boolean {
  if (budget.left-- <= 0) return true;
  const { type, required, properties, items } = schema;
  if (type !== undefined && !hasType(value, type)) return false;
  if (Array.isArray(schema['enum']) && !isListed(value, schema['enum'])) return false;
  if (Array.isArray(value))
    return !isRecord(items) || value.every((item) => fits(item, items, budget));
  if (!isRecord(value)) return true;
  if (Array.isArray(required) && required.some((name) => !Object.hasOwn(value, String(name))))
    return false;
  const known = isRecord(properties) ? properties : {};
  return Object.entries(value).every(([name, one]) => {
    const inner = Object.hasOwn(known, name) ? known[name] : undefined;
    if (inner === undefined) return schema['additionalProperties'] !== false || hasPatterns(schema);
    return !isRecord(inner) || fits(one, inner, budget);
  });
}

const hasPatterns = (schema: Schema): boolean => schema['patternProperties'] !== undefined;

const isListed = (value: unknown, listed: readonly unknown[]): boolean =>
  (typeof value === 'object' && value !== null) || listed.includes(value);

function hasType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => hasType(value, one));
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

const errorText =
  /^\s*(?:<error>|error\b|exception\b|traceback\b|invalid (?:argument|parameter)|failed to\b)/i;
/** A longer result is read as text only. */
const maxResult = 16_384;

/** Whether the result of a tool says that the call failed. */
export function isErrorResult(text: string): boolean {
  if (errorText.test(text)) return true;
  if (text.length > maxResult || !/^\s*\{/.test(text)) return false;
  try {
    const result: unknown = JSON.parse(text);
    return isRecord(result) && saysError(result);
  } catch {
    return false;
  }
}

const saysError = ({ error, isError, is_error: snake, status, success, ok }: Schema): boolean =>
  (error !== undefined && error !== null && error !== false && error !== '') ||
  isError === true ||
  snake === true ||
  status === 'error' ||
  success === false ||
  ok === false;
