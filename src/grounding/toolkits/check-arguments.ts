import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import type { Json } from '../../text/is-object.js';

/** By the text of the schema. Null: the schema cannot be compiled, and nothing is checked. */
const compiled = new LRUCache<string, { readonly validate: ValidateFunction | null }>({ max: 200 });
const maxShown = 3;

/**
 * Why arguments do not fit the schema of a tool, in words for the model; null: they do, or the
 * schema cannot be checked. Patterns are not checked: an untrusted one could take exponential time.
 */
export function argumentProblem(schema: Json, args: Json): string | null {
  const text = JSON.stringify(schema);
  let entry = compiled.get(text);
  if (!entry) compiled.set(text, (entry = { validate: compile(text) }));
  const { validate } = entry;
  if (validate === null || validate(args)) return null;
  const problems = (validate.errors ?? [])
    .slice(0, maxShown)
    .map(({ instancePath, message = 'is wrong' }) => `${fieldOf(instancePath)} ${message}`);
  return `The arguments do not fit the tool's schema: ${problems.join('; ')}.`;
}

const fieldOf = (path: string): string =>
  path === '' ? 'the object' : `\`${path.slice(1).replaceAll('/', '.')}\``;

function compile(text: string): ValidateFunction | null {
  try {
    // one of its own for each schema, because an instance keeps what it compiled
    return new Ajv2020({
      strict: false,
      validateSchema: false,
      validateFormats: false,
      logger: false,
      allErrors: false,
    }).compile(JSON.parse(text, withoutPattern) as object);
  } catch {
    return null;
  }
}

/** Drops the keyword, whose value is a text; a property of that name has a schema. */
const withoutPattern = (key: string, value: unknown): unknown =>
  (key === 'pattern' && typeof value === 'string') || key === 'patternProperties'
    ? undefined
    : value;
