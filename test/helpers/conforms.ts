import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';

const folder = new URL('../../schemas/', import.meta.url);
const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: false });
addFormats.default(ajv);
for (const file of readdirSync(folder))
  ajv.addSchema(JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as object, file);

/** How a value violates `schemas/<name>.schema.json`; empty if it is valid. */
export function failuresOf(name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`${name}.schema.json`);
  if (!validate) throw new Error(`there is no schema ${name}`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath} ${message ?? ''}`,
  );
}

/** Fails the test where a value does not satisfy the schema of that name. */
export function expectConforms(name: string, value: unknown): void {
  expect(failuresOf(name, value), JSON.stringify(value).slice(0, 500)).toEqual([]);
}
