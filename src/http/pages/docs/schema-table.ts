import type { Schema } from './api-document.js';
import { escape, prose } from '../html-page.js';

/** The name of the component that a reference leads to; it is also its anchor on the page. */
export const componentOf = (reference: string): string => reference.split('/').at(-1) ?? '';

/** A link to a component's fields. */
export const schemaLink = (reference: string): string =>
  `<a href="#${componentOf(reference)}">${componentOf(reference)}</a>`;

/** The components of the document by their names. */
export type Components = Readonly<Record<string, Schema>>;

/** A field's schema: a component without fields of its own is shown where it is used. */
function shownField(schema: Schema, components: Components): Schema {
  const component = schema.$ref ? components[componentOf(schema.$ref)] : undefined;
  if (!component) return schema;
  const { description = component.description } = schema;
  const shown = component.properties ? schema : component;
  return description === undefined ? shown : { ...shown, description };
}

/** The type of a value as HTML, with links to the components that it names. */
function typeOf(schema: Schema): string {
  if (schema.$ref) return schemaLink(schema.$ref);
  if (schema.enum) return schema.enum.map((value) => escape(JSON.stringify(value))).join(' | ');
  if (schema.const !== undefined) return escape(JSON.stringify(schema.const));
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  return [schema.type ?? []]
    .flat()
    .map((type) => (type === 'array' && schema.items ? listOf(typeOf(schema.items)) : type))
    .join(' | ');
}

const listOf = (type: string): string => (type.includes(' | ') ? `(${type})[]` : `${type}[]`);

/** A table of an object's fields; '' if it has none. */
export function fieldTable(
  { properties = {}, required = [] }: Schema,
  components: Components,
): string {
  const rows = Object.entries(properties).map(([field, inner]) => {
    const shown = shownField(inner, components);
    return `<tr><td><code>${escape(field)}</code>${required.includes(field) ? ' <small>required</small>' : ''}</td><td><code>${typeOf(shown)}</code></td><td>${prose(shown.description ?? '')}</td></tr>`;
  });
  return rows.length === 0
    ? ''
    : `<div class="scroll"><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** A collapsible section for a component: its fields, or its type if it is no object. */
export function schemaSection(name: string, schema: Schema, components: Components): string {
  const fields = fieldTable(schema, components);
  return `<details class="schema" id="${name}"><summary><h3>${name}</h3></summary>${schema.description ? `<p>${prose(schema.description)}</p>` : ''}${fields || `<p><code>${typeOf(schema)}</code></p>`}</details>`;
}
