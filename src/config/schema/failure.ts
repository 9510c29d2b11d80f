/** The parts of an Ajv error that are read here. */
interface ValidationError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly schema?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/** Why a value does not satisfy its schema: names and the schema's demands, never a value. */
export interface SchemaFailure {
  /** The field as `messages[0][content]`; `body` for the value as a whole. */
  readonly field: string;
  /** Such as `must be an array` or `is required`. */
  readonly reason: string;
  /** The parts of the field's path; empty for the value as a whole. */
  readonly path: readonly string[];
  /** For an unknown key: the keys that the schema knows. */
  readonly knownKeys?: readonly string[];
}

interface Failed {
  readonly error: ValidationError;
  readonly causes: readonly Failed[];
}

/** A path as `messages[0][content]`, or `body`; parts cut at 60 characters, controls as `?`. */
export function fieldName(path: readonly string[]): string {
  const [first, ...rest] = path.map((part) => part.slice(0, 60).replaceAll(/\p{C}/gu, '?'));
  return first === undefined ? 'body' : first + rest.map((part) => `[${part}]`).join('');
}

/**
 * Reads the errors of a validator that stopped at its first failure. They are in post-order, an
 * `anyOf` after the failures of its branches, so the last one is the failure and those before it
 * are its causes.
 */
export function failureOf(errors: readonly ValidationError[]): SchemaFailure {
  const last = errors.at(-1);
  if (last === undefined) return failureAt([], 'is not valid');
  return describe(popTree([...errors]));
}

/** Reads the errors of a validator that did not stop at the first failure, in their order. */
export function failuresOf(errors: readonly ValidationError[]): SchemaFailure[] {
  const stack = [...errors];
  const failures: SchemaFailure[] = [];
  while (stack.length > 0) failures.push(describe(popTree(stack)));
  return failures.reverse();
}

function popTree(stack: ValidationError[]): Failed {
  const error = stack.pop()!;
  const causes: Failed[] = [];
  for (let left = causeCount(error); left > 0 && stack.length > 0; left--)
    causes.unshift(popTree(stack));
  return { error, causes };
}

function causeCount({ keyword, params, schema }: ValidationError): number {
  if (keyword === 'if' || keyword === 'propertyNames') return 1;
  const everyBranchFailed =
    keyword === 'anyOf' || (keyword === 'oneOf' && params.passingSchemas === null);
  return everyBranchFailed && Array.isArray(schema) ? schema.length : 0;
}

function describe(failed: Failed): SchemaFailure {
  const { error, causes } = failed;
  if (error.keyword === 'if' && causes[0] !== undefined) return describe(causes[0]);
  if (error.keyword === 'anyOf' || error.keyword === 'oneOf') return describeUnion(failed);
  const path = pathOf(error);
  const reason = reasonFor(causes[0]?.error ?? error);
  const known =
    error.keyword === 'additionalProperties'
      ? { knownKeys: Object.keys(error.parentSchema?.properties ?? {}) }
      : {};
  return { ...failureAt(path, reason), ...known };
}

const failureAt = (path: readonly string[], reason: string): SchemaFailure => ({
  field: fieldName(path),
  reason,
  path,
});

/** If the value is of one branch's kind, its failure there; otherwise the alternatives. */
function describeUnion({ error, causes }: Failed): SchemaFailure {
  const { instancePath } = error;
  const ofType = causes.filter((cause) => !isOfAnotherType(cause, instancePath));
  const meant = ofType.filter((cause) => !isOfAnotherKind(cause, instancePath));
  if (meant.length === 1) return describe(meant[0]!);
  if (ofType.length === 1) return describe(ofType[0]!);
  const [one] = causes;
  const isOneField = causes.every((cause) => cause.error.instancePath === one?.error.instancePath);
  const hasOwnReason = error.parentSchema?.['x-reason'] !== undefined;
  return hasOwnReason || meant.length > 0 || one === undefined || !isOneField
    ? failureAt(pathOf(error), reasonFor(error))
    : failureAt(pathOf(one.error), alternatives(causes));
}

const isOfAnotherType = ({ error }: Failed, unionPath: string): boolean =>
  error.keyword === 'type' && error.instancePath === unionPath;

/** Whether a constant differs in the value or a property of it, such as a block's `type`. */
function isOfAnotherKind({ error: { keyword, instancePath } }: Failed, unionPath: string): boolean {
  return (
    (keyword === 'const' || keyword === 'enum') &&
    instancePath.split('/').length <= unionPath.split('/').length + 1
  );
}

function alternatives(causes: readonly Failed[]): string {
  const reasons = causes
    .map(({ error }) => reasonFor(error))
    .filter((reason) => reason !== 'must be null');
  const values = causes.flatMap(({ error: { keyword, params } }) => {
    if (keyword === 'const') return [params.allowedValue];
    return keyword === 'enum' && Array.isArray(params.allowedValues)
      ? (params.allowedValues as unknown[])
      : [];
  });
  if (values.length >= causes.length) return `must be one of: ${listed(values)}`;
  const [first = 'is not valid', ...rest] = [...new Set(reasons)];
  return [first, ...rest.map((reason) => reason.replace(/^must be /, ''))].join(' or ');
}

function pathOf({ instancePath, keyword, params }: ValidationError): string[] {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const inner = {
    required: params.missingProperty,
    additionalProperties: params.additionalProperty,
    propertyNames: params.propertyName,
    unevaluatedProperties: params.unevaluatedProperty,
    dependentRequired: params.missingProperty,
  }[keyword];
  return typeof inner === 'string' ? [...path, inner] : path;
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
function reasonFor(error: ValidationError): string {
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
function listed(values: unknown): string {
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
