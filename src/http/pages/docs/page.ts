import type { ApiDocument, Operation, PlacedOperation } from './api-document.js';
import { originMark } from './curl-example.js';
import { escape, prose } from './markup.js';
import { operationSection } from './operation-section.js';
import { schemaSection } from './schema-table.js';
import { style } from './style.js';

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

/** In the place of the nonce of an answer, without which the script does not run. */
export const nonceMark = '{nonce}';

/** The document as an HTML page. The URL of the gateway is `originMark` in it. */
export function docsHtml(document: ApiDocument, version: string): string {
  const { schemas } = document.components;
  const groups = groupsOf(document);
  const body = [
    `<header><h1>Signalbox API</h1><p>Version ${escape(version)}, at <code>${originMark}</code>. Send an API key as <code>Authorization: Bearer sk_…</code>; the examples read it from <code>SIGNALBOX_API_KEY</code>. For programs: <a href="openapi.json">openapi.json</a>.</p></header>`,
    `<div class="columns"><nav aria-label="Contents">${groups.map(contentsOf).join('')}<div><b><a href="#schemas">Schemas</a></b></div></nav>`,
    `<main>${groups.map((group) => groupSection(group, schemas)).join('')}`,
    `<h2 id="schemas">Schemas</h2>${Object.entries(schemas)
      .map(([name, schema]) => schemaSection(name, schema, schemas))
      .join('')}</main></div>`,
  ];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Signalbox API</title><style>${style}</style></head><body><div class="page">${body.join('')}</div><script type="module" src="docs/try-it.js" nonce="${nonceMark}"></script></body></html>`;
}

function groupsOf({ tags, paths }: ApiDocument): Group[] {
  const placed = Object.entries(paths).flatMap(([path, { parameters = [], ...methods }]) =>
    Object.entries(methods as Record<string, Operation>).map(
      ([method, operation]): PlacedOperation => ({
        path,
        method,
        operation,
        pathParameters: parameters,
      }),
    ),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    operations: placed.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** The anchor of a group, which no operation and no schema has. */
const anchorOf = (name: string): string => `group-${name.toLowerCase().replace(/\W+/g, '-')}`;

const contentsOf = ({ name, operations }: Group): string =>
  `<div><b><a href="#${anchorOf(name)}">${escape(name)}</a></b>${operations
    .filter(({ operation }) => !operation.deprecated)
    .map(({ operation }) => `<a href="#${operation.operationId}">${prose(operation.summary)}</a>`)
    .join('')}</div>`;

const groupSection = (
  { name, description, operations }: Group,
  schemas: ApiDocument['components']['schemas'],
): string =>
  `<h2 id="${anchorOf(name)}">${escape(name)}</h2><p>${prose(description)}</p>${operations
    .map((placed) => operationSection(placed, schemas))
    .join('')}`;
