/** The parts of an Ajv error that are read here. */
export interface ValidationError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly schema?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const reasons: Readonly<Record<string, (error: ValidationError) => string>> = {
  type: ({ params }) => `must be ${typeNames(params.type)}`,
  required: () => 'is required',
  dependentRequired: () => 'is required',
  additionalProperties: () => 'is not a known key',
  unevaluatedProperties: () => 'is not a known key',
  propertyNames: () => 'is not an allowed name',
  enum: ({ params }) => `must be one of: ${listed(params.allowedValues)}`,
  const: ({ params }) => `must be ${listed([params.allowedValue])}`,
  minItems: ({ params }) => `must have at least ${counted(params.limit, 'item')}`,
  maxItems: ({ params }) => `must have at most ${counted(params.limit, 'item')}`,
  uniqueItems: () => 'must not contain the same item twice',
  minProperties: ({ params }) => `must have at least ${counted(params.limit, 'entry')}`,
  maxProperties: ({ params }) => `must have at most ${counted(params.limit, 'entry')}`,
  minLength: ({ params }) =>
    params.limit === 1
      ? 'must not be empty'
      : `must have at least ${counted(params.limit, 'character')}`,
  maxLength: ({ params }) => `must have at most ${counted(params.limit, 'character')}`,
  minimum: ({ parentSchema }) => range(parentSchema),
  maximum: ({ parentSchema }) => range(parentSchema),
  exclusiveMinimum: ({ params }) => `must be greater than ${String(params.limit)}`,
  exclusiveMaximum: ({ params }) => `must be less than ${String(params.limit)}`,
  multipleOf: ({ params }) => `must be a multiple of ${String(params.multipleOf)}`,
  pattern: () => 'has the wrong form',
  format: ({ params }) => `must be a valid ${String(params.format)}`,
  oneOf: () => 'matches none of the accepted forms, or more than one',
  anyOf: () => 'matches none of the accepted forms',
  not: () => 'is not allowed',
  'false schema': () => 'is not allowed',
};

/**
 * What the failed keyword demands, in words. A schema's own `x-reason` replaces the text: a
 * sentence for all its keywords, or an object with one for each keyword. Failures about another
 * field (missing or unknown keys) keep their own text.
 */
export function reasonFor(error: ValidationError): string {
  const own = error.parentSchema?.['x-reason'];
  if (error.keyword !== 'required' && error.keyword !== 'additionalProperties') {
    if (typeof own === 'string') return own;
    const forKeyword =
      typeof own === 'object' && own !== null
        ? (Object.entries(own).find(([keyword]) => keyword === error.keyword)?.[1] as unknown)
        : undefined;
    if (typeof forKeyword === 'string') return forKeyword;
  }
  return reasons[error.keyword]?.(error) ?? 'is not valid';
}

/** Values of a schema as a readable list, without `null`, which counts as absent. */
export function listed(values: unknown): string {
  const shown = Array.isArray(values) ? values.filter((value) => value !== null) : [];
  return shown
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ');
}

function typeNames(type: unknown): string {
  const types = Array.isArray(type) ? (type as unknown[]) : String(type).split(',');
  const shown = types.length > 1 ? types.filter((name) => name !== 'null') : types;
  return shown.map((name) => kinds[String(name)] ?? String(name)).join(' or ');
}

function range(schema: ValidationError['parentSchema']): string {
  const { minimum, maximum } = schema ?? {};
  if (typeof minimum === 'number' && typeof maximum === 'number')
    return `must be between ${minimum} and ${maximum}`;
  return typeof minimum === 'number'
    ? `must be at least ${minimum}`
    : `must be at most ${String(maximum)}`;
}

function counted(limit: unknown, noun: string): string {
  return limit === 1
    ? `1 ${noun}`
    : `${String(limit)} ${noun === 'entry' ? 'entries' : `${noun}s`}`;
}
