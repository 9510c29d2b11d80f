import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { packageFile } from '../../package-files.js';
import { isObject } from '../../text/is-object.js';
import { inDeclaredOrder, type JsonSchema } from './declared-order.js';
import { failureOf, failuresOf, type SchemaFailure } from './failure.js';

export type { JsonSchema } from './declared-order.js';
export { fieldName, type SchemaFailure } from './failure.js';

/** A compiled schema for values of type `T`. Safe to share: it keeps no checked values. */
export interface Validator<T> {
  /** Whether the value satisfies the schema. Stops at the first failure. */
  accepts(value: unknown): value is T;
  /**
   * The first failure in the order in which the schema declares its properties, or null. A valid
   * value costs as much as `accepts`; an invalid one needs a second pass up to the failure.
   */
  firstFailure(value: unknown): SchemaFailure | null;
  /**
   * Up to `limit` failures in the same order, at most one for each field. Checks the whole value,
   * so use it only for values of limited size, and for schemas without `anyOf` and `oneOf`, whose
   * branches would each report failures.
   */
  failures(value: unknown, limit: number): SchemaFailure[];
}

const folder = packageFile('schemas');
const suffix = '.schema.json';

// strictRequired is off, because conditions require properties that are declared outside them
const strict: Options = {
  strict: true,
  strictTypes: true,
  strictTuples: true,
  strictRequired: false,
  allowUnionTypes: true,
  messages: false,
};
// not strict: the reordered copy is split into pieces that strict mode would refuse; the original
// was checked
const explaining: Options = { strict: false, strictNumbers: true, verbose: true, messages: false };

let packaged: SchemaSet | undefined;

/** The names of all schemas, as `readSchema` and `compileSchema` take them. */
export const schemaNames = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length))
    .sort();

/** The parsed `schemas/<name>.schema.json`, a new copy. @throws Error if there is no such file */
export const readSchema = (name: string): JsonSchema =>
  JSON.parse(readFileSync(join(folder, name + suffix), 'utf8')) as JsonSchema;

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
  return isObject(child) ? { ...definitionOf(child, root), ...child } : undefined;
}

/** What a schema's reference within `root` says; empty where it has none, or one to another file. */
export function definitionOf({ $ref: reference }: JsonSchema, root: JsonSchema): JsonSchema {
  const name = typeof reference === 'string' ? reference.replace(/^#\/\$defs\//, '') : '';
  const definition = isObject(root.$defs) ? root.$defs[name] : undefined;
  return isObject(definition) ? definition : {};
}

/**
 * The validator of `schemas/<name>.schema.json`. It is compiled at its first use, because compiling
 * all schemas took half of the start. An invalid schema is a bug that the tests find.
 * @throws Error if there is no such schema
 */
export function compileSchema<T>(name: string): Validator<T> {
  packaged ??= new SchemaSet(
    Object.fromEntries(schemaNames().map((file) => [file, readSchema(file)])),
    { isTrusted: true },
  );
  if (!packaged.has(name)) throw new Error(`There is no schema named ${name}`);
  const schemas = packaged;
  let validator: Validator<T> | undefined;
  const made = (): Validator<T> => (validator ??= schemas.compile<T>(name));
  return {
    accepts: (value): value is T => made().accepts(value),
    firstFailure: (value) => made().firstFailure(value),
    failures: (value, limit) => made().failures(value, limit),
  };
}

/** Schemas by name; they may refer to each other (`content.schema.json#/$defs/block`). */
export class SchemaSet {
  private readonly strict: Ajv2020;
  private stepwise: Ajv2020 | undefined;
  private exhaustive: Ajv2020 | undefined;

  /** @param isTrusted skips the check by the meta-schema, whose compilation takes 30 ms */
  constructor(
    private readonly schemas: Readonly<Record<string, JsonSchema>>,
    private readonly options: { readonly isTrusted?: boolean } = {},
  ) {
    this.strict = this.createAjv(strict, (schema) => schema);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.schemas, name);
  }

  /** @throws Error if there is no such schema, or it violates Ajv's strict rules */
  compile<T>(name: string): Validator<T> {
    const accepts = compiled<T>(this.strict, name);
    return {
      accepts,
      firstFailure: (value) => (accepts(value) ? null : this.firstFailure(name, value)),
      failures: (value, limit) => (accepts(value) ? [] : this.failures(name, value, limit)),
    };
  }

  private firstFailure(name: string, value: unknown): SchemaFailure {
    const explain = compiled((this.stepwise ??= this.createAjv(explaining, inDeclaredOrder)), name);
    explain(value);
    const failure = failureOf(explain.errors ?? []);
    explain.errors = null; // verbose errors hold the caller's values
    return failure;
  }

  private failures(name: string, value: unknown, limit: number): SchemaFailure[] {
    const explain = compiled(
      (this.exhaustive ??= this.createAjv({ ...explaining, allErrors: true }, inDeclaredOrder)),
      name,
    );
    explain(value);
    const found = new Map<string, SchemaFailure>();
    for (const failure of failuresOf(explain.errors ?? [])) {
      if (!found.has(failure.field)) found.set(failure.field, failure);
      if (found.size === limit) break;
    }
    explain.errors = null;
    return [...found.values()];
  }

  private createAjv(options: Options, transform: (schema: JsonSchema) => JsonSchema): Ajv2020 {
    const ajv = new Ajv2020({
      ...options,
      validateSchema: !(this.options.isTrusted ?? false),
      // Ajv's own pass over the code takes longer than half of the compilation, and V8 does it better
      code: { optimize: false },
    });
    // none of the schemas has `unevaluatedProperties`; noting for it what each `anyOf` has seen takes
    // three objects for each candidate and each message of a request
    ajv.opts.unevaluated = false;
    addFormats.default(ajv);
    ajv.addKeyword({ keyword: 'x-reason', metaSchema: { type: ['string', 'object'] } });
    for (const [name, schema] of Object.entries(this.schemas))
      ajv.addSchema(transform(schema), name + suffix);
    return ajv;
  }
}

function compiled<T>(ajv: Ajv2020, name: string): ValidateFunction<T> {
  const validate = ajv.getSchema<T>(name + suffix);
  if (validate === undefined) throw new Error(`There is no schema named ${name}`);
  return validate;
}
