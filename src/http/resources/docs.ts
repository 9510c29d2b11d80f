import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { openApiDocument } from './openapi/document.js';

interface Parameter {
  name: string;
  in: string;
  description?: string;
}

interface Operation {
  summary?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: Answer }> }>;
}

/** The schema of an answer, or of a list of them. */
interface Answer {
  $ref?: string;
  properties?: { items?: { items?: { $ref?: string } } };
}

interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  $ref?: string;
  anyOf?: Schema[];
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
/** Backquotes in a description mark code. */
const prose = (text: string): string => escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
const nameOf = (ref: string): string =>
  ref.replace('#/components/schemas/', '').split('/')[0] ?? ref;

function typeOf(schema: Schema): string {
  if (schema.$ref)
    return schema.$ref.includes('/$defs/')
      ? (schema.$ref.split('/').at(-1) ?? '')
      : nameOf(schema.$ref);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf)
    return schema.anyOf
      .map(typeOf)
      .filter((type) => type !== '')
      .join(' | ');
  const types = [schema.type ?? []].flat();
  return types
    .map((type) => (type === 'array' && schema.items ? `${typeOf(schema.items)}[]` : type))
    .join(' | ');
}

function fieldTable(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(
    ([field, inner]) =>
      `<tr><td><code>${escape(field)}</code></td><td><code>${escape(typeOf(inner))}</code></td><td>${schema.required?.includes(field) ? 'required' : ''}</td><td>${prose(inner.description ?? '')}</td></tr>`,
  );
  return `<div class="scroll"><table><thead><tr><th>Field</th><th>Type</th><th></th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function schemaTable(name: string, schema: Schema): string {
  return `<h3 id="${name}">${escape(schema.title ?? name)}</h3>${schema.description ? `<p>${prose(schema.description)}</p>` : ''}${fieldTable(schema)}`;
}

/** The anchor of an operation on the page. */
const anchorOf = (path: string, method: string): string =>
  `${method}${path.replace(/[^\w-]+/g, '-')}`;

function parameterList({ parameters = [] }: Operation): string {
  const items = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(
      ({ name, description }) =>
        `<li><code>?${escape(name)}=</code> ${prose(description ?? '')}</li>`,
    );
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
}

function answerLink(answer: Answer | undefined): string {
  const ref = answer?.$ref ?? answer?.properties?.items?.items?.$ref;
  return ref ? ` <a href="#${nameOf(ref)}">${nameOf(ref)}</a>${answer?.$ref ? '' : '[]'}` : '';
}

/**
 * Links to the schema of the body; the fields of a form, which has no schema file, are listed in
 * place.
 */
function bodyOf({ requestBody }: Operation): string {
  const [[type, { schema }] = ['', { schema: null }]] = Object.entries(requestBody?.content ?? {});
  if (schema === null) return '';
  if (schema.$ref)
    return `<p>Body: <a href="#${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a></p>`;
  return `<p>Body: <code>${escape(type)}</code></p>${fieldTable(schema)}`;
}

function operationSection(path: string, method: string, operation: Operation): string {
  const responses = Object.entries(operation.responses).map(
    ([status, { description, content }]) =>
      `<li><b>${status}</b> ${prose(description)}${answerLink(content?.['application/json']?.schema)}</li>`,
  );
  return `<section><h2 id="${anchorOf(path, method)}"><span class="method">${method.toUpperCase()}</span> <code>${escape(path)}</code></h2><p>${prose(operation.summary ?? '')}</p>${bodyOf(operation)}${parameterList(operation)}<ul>${responses.join('')}</ul></section>`;
}

const style = `:root{color-scheme:light dark;--line:#8884;--quiet:#767676}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.05rem;margin:2rem 0 .25rem;overflow-wrap:anywhere}h3{margin:2rem 0 .25rem}p{margin:.25rem 0 .75rem}code{font:0.92em ui-monospace,monospace;overflow-wrap:anywhere}
.method{font:700 .8rem ui-monospace,monospace;border:1px solid var(--line);border-radius:.3rem;padding:.1rem .4rem}.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}
td,th{border-top:1px solid var(--line);padding:.35rem .6rem .35rem 0;text-align:left;vertical-align:top}thead th{border:0;color:var(--quiet);font-weight:500}ul{padding-left:1.2rem;margin:.25rem 0}a{color:inherit}
nav{columns:22rem;margin-top:1rem}nav a{display:block;font:.85rem/1.7 ui-monospace,monospace;text-decoration:none;overflow-wrap:anywhere}nav a:hover{text-decoration:underline}nav b{display:inline-block;min-width:4.2em;color:var(--quiet);font-size:.8em}`;

function page(version: string): string {
  const document = openApiDocument(version, '/') as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => 'responses' in operation)
      .map(([method, operation]) => ({ path, method, operation })),
  );
  const contents = operations.map(
    ({ path, method }) =>
      `<a href="#${anchorOf(path, method)}"><b>${method.toUpperCase()}</b> ${escape(path)}</a>`,
  );
  const sections = operations.map(({ path, method, operation }) =>
    operationSection(path, method, operation),
  );
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    schemaTable(name, schema),
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Signalbox API</title><style>${style}</style></head><body><header><h1>Signalbox API</h1><p>Version ${escape(version)}. Send the key as <code>Authorization: Bearer sk_…</code>. Machine-readable: <a href="openapi.json">openapi.json</a>.</p><nav>${contents.join('')}</nav></header><main>${sections.join('')}<h2>Schemas</h2>${schemas.join('')}</main></body></html>`;
}

// not helmet's default, which allows scripts and fonts and upgrades links of a plain-HTTP gateway
// to https
const policy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'unsafe-inline'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** `GET /docs`: the OpenAPI document as a page that loads nothing from other servers. */
export function docsPage(version: string): RequestHandler {
  let html: string | null = null;
  const protect = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: policy },
    // only the operator knows whether the whole domain supports TLS
    strictTransportSecurity: false,
  });
  return (req, res) => {
    protect(req, res, () => {
      html ??= page(version);
      res.setHeader('Content-Type', 'text/html; charset=utf-8');
      res.end(html);
    });
  };
}
