import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { inDeclaredOrder, type JsonSchema } from './declared-order.js';
import { failureOf, failuresOf, type SchemaFailure } from './failure.js';

export type { JsonSchema } from './declared-order.js';
export { fieldName, type SchemaFailure } from './failure.js';

/** A compiled schema for values of the shape `T`. Safe to share; keeps nothing of the values it has seen. */
export interface Validator<T> {
  /** Whether the value satisfies the schema: one compiled function, which stops at the first failure. */
  accepts(value: unknown): value is T;
  /**
   * The first failure in the order in which the schema declares its properties, null where there is none. A value that
   * passes costs as much as `accepts`; a failure costs one more pass, which ends at that failure.
   */
  firstFailure(value: unknown): SchemaFailure | null;
  /**
   * Up to `limit` failures in the same order, at most one for each field. Visits the whole value, so it is for values whose
   * size is bounded, and for schemas without `anyOf` and `oneOf`, whose branches would each report.
   */
  failures(value: unknown, limit: number): SchemaFailure[];
}

/** Where the schemas stand: beside `src` and beside `dist`. */
const folder = new URL('../../../schemas/', import.meta.url);
const suffix = '.schema.json';

// a condition may require what is declared beside it, so strictRequired is off
const strict: Options = {
  strict: true,
  strictTypes: true,
  strictTuples: true,
  strictRequired: false,
  allowUnionTypes: true,
  messages: false,
};
// the reordered copy repeats what was checked strictly in the original, in pieces that strict mode takes for mistakes
const explaining: Options = { strict: false, strictNumbers: true, verbose: true, messages: false };

let packaged: SchemaSet | undefined;

/** The names of all schemas there are, as `readSchema` and `compileSchema` take them. */
export function schemaNames(): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length))
    .sort();
}

/** The parsed content of `schemas/<name>.schema.json`, a fresh copy at each call. Throws where there is no such file. */
export function readSchema(name: string): JsonSchema {
  return JSON.parse(readFileSync(new URL(name + suffix, folder), 'utf8')) as JsonSchema;
}

/**
 * The validator of `schemas/<name>.schema.json`, compiled when it is first used: half of a start went into schemas that nobody asked for
 * yet. Throws at once where there is no such schema; one that is wrong is a fault of the build, which the tests find.
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

/** Schemas by name, which may refer to each other by file name (`content.schema.json#/$defs/block`). */
export class SchemaSet {
  private readonly strict: Ajv2020;
  private stepwise: Ajv2020 | undefined;
  private exhaustive: Ajv2020 | undefined;

  /** @param isTrusted the schemas themselves are not checked against the dialect's own schema, whose compilation takes 30 ms */
  constructor(
    private readonly schemas: Readonly<Record<string, JsonSchema>>,
    private readonly options: { readonly isTrusted?: boolean } = {},
  ) {
    this.strict = this.createAjv(strict, (schema) => schema);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.schemas, name);
  }

  /** Throws where there is no such schema, or where it is wrong by Ajv's strict rules. */
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
    const ajv = new Ajv2020({ ...options, validateSchema: !(this.options.isTrusted ?? false) });
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
