// @ts-check
/**
 * Writes `src/config/config-input.ts`, the type of a configuration as written, from
 * `schemas/config.schema.json`: before a build, the tests, the check of types and lint. It is not
 * committed: the schema says the same.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The part of JSON Schema that the schema of the configuration uses.
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {Record<string, Schema>} [$defs]
 * @property {string | string[]} [type]
 * @property {string} [description]
 * @property {unknown} [default]
 * @property {unknown[]} [enum]
 * @property {Schema} [items]
 * @property {string[]} [required]
 * @property {Record<string, Schema>} [properties]
 * @property {boolean | Schema} [additionalProperties]
 */

const target = join(import.meta.dirname, 'src/config/config-input.ts');
const schemaFile = join(import.meta.dirname, 'schemas/config.schema.json');

/**
 * Definitions that get an interface of their own, by name.
 * @type {Record<string, { name: string, comment: string }>}
 */
const interfaces = {
  provider: { name: 'ProviderInput', comment: 'The settings of one provider.' },
  toolkit: { name: 'ToolkitInput', comment: 'The settings of one toolkit.' },
  listener: { name: 'ListenerInput', comment: 'A listener of one surface.' },
  limits: { name: 'LimitsInput', comment: 'Rate limits and budgets; absent ones do not bound.' },
  model: {
    name: 'ModelInput',
    comment: 'Corrections of the catalogue for one model, which routing and prices use.',
  },
};

/** Writes the file where it is missing or differs; what was built from the same one stays fresh. */
export function writeConfigInput() {
  const text = configInput(JSON.parse(readFileSync(schemaFile, 'utf8')));
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) writeFileSync(target, text);
}

/**
 * The source of the types.
 * @param {Schema} root
 */
export function configInput(root) {
  const parts = Object.entries(interfaces).map(
    ([key, { name, comment }]) =>
      `/** ${comment} */\nexport interface ${name} ${fieldsOf(root.$defs?.[key] ?? {}, root)}`,
  );
  return `// Generated from schemas/config.schema.json by config-input.mjs.
import type { DialectName } from '../providers/dialect-names.js';

${parts.join('\n\n')}

/** A configuration as written: everything is optional. Durations are in milliseconds. */
export interface ConfigInput ${fieldsOf(root, root)}
`;
}

/**
 * @param {Schema} schema
 * @param {Schema} root
 * @returns {string}
 */
function fieldsOf(schema, root) {
  const fields = Object.entries(schema.properties ?? {}).map(([name, written]) => {
    const mark = schema.required?.includes(name) ? '' : '?';
    const type = name === 'api' ? 'DialectName' : typeOf(written, root);
    const isNullable = written.default === null && !type.endsWith('null');
    return `${commentOf(resolved(written, root))}readonly ${name}${mark}: ${type}${isNullable ? ' | null' : ''};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

const maxLine = 90;

/**
 * The description, and the default where the description does not name it; null is none.
 * @param {Schema} schema
 */
function commentOf({ description = '', default: value = null }) {
  const isSaid = /\bdefault:/i.test(description);
  const words = isSaid || value === null ? '' : ` Default: \`${JSON.stringify(value)}\`.`;
  const text = `${description}${words}`.trim();
  if (text === '') return '';
  return text.length < maxLine ? `/** ${text} */\n` : `/**\n${wrapped(text)}\n */\n`;
}

/** @param {string} text */
function wrapped(text) {
  const lines = [''];
  // the end of a comment may not stand inside it
  for (const word of text.replaceAll('*/', '*\u200b/').split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length > maxLine) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => ` * ${line}`).join('\n');
}

/**
 * @param {Schema} written
 * @param {Schema} root
 * @returns {string}
 */
function typeOf(written, root) {
  const own = interfaces[written.$ref?.replace('#/$defs/', '') ?? ''];
  if (own) return own.name;
  const schema = resolved(written, root);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => simpleType(type, schema, root))
    .join(' | ');
}

/**
 * @param {string} type
 * @param {Schema} schema
 * @param {Schema} root
 */
function simpleType(type, schema, root) {
  if (type === 'integer') return 'number';
  if (type === 'array') return `readonly (${typeOf(schema.items ?? {}, root)})[]`;
  if (type !== 'object') return type;
  if (schema.properties) return fieldsOf(schema, root);
  const { additionalProperties } = schema;
  const inner =
    typeof additionalProperties === 'object' ? typeOf(additionalProperties, root) : 'unknown';
  return `Readonly<Record<string, ${inner}>>`;
}

/**
 * @param {Schema} schema
 * @param {Schema} root
 * @returns {Schema}
 */
function resolved(schema, root) {
  if (schema.$ref === undefined) return schema;
  const target = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
  if (!target) throw new Error(`there is no ${schema.$ref}`);
  return { ...resolved(target, root), ...schema };
}
