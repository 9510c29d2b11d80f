import type { Request, RequestHandler } from 'express';
import { openApiDocument } from '../../openapi/document.js';
import { escape, newNonce, prose, sendPage } from '../html-page.js';
import type { ApiDocument, Operation, PlacedOperation } from './api-document.js';
import { operationSection, originMark } from './operation-section.js';
import { schemaSection } from './schema-table.js';

/** In the place of the nonce of an answer, without which the script does not run. */
const nonceMark = '{nonce}';

/**
 * `GET /docs`: the OpenAPI document as a page that loads nothing from other servers. Its script, with
 * which the reader calls the operations, is part of the dashboard's build; without it the page stays
 * readable.
 */
export function docsPage(version: string, publicUrl: () => string | null): RequestHandler {
  let html: string | null = null;
  return (req, res) => {
    const nonce = newNonce();
    const page = (): string => {
      html ??= docsHtml(openApiDocument(version, '/') as ApiDocument, version);
      return html
        .replaceAll(originMark, () => escape(originOf(req, publicUrl())))
        .replace(nonceMark, nonce);
    };
    sendPage(req, res, page, {
      scriptSrc: [`'nonce-${nonce}'`],
      styleSrc: ["'unsafe-inline'"],
    });
  };
}

/** The URL that the browser has used, so that the examples can be pasted. */
function originOf(req: Request, publicUrl: string | null): string {
  const host = req.headers.host ?? '';
  const known = /^[\w.:[\]-]{1,255}$/.test(host) ? host : '127.0.0.1:8080';
  return publicUrl ?? `${req.protocol}://${known}${req.baseUrl}`;
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

/** The document as an HTML page. The URL of the gateway is `originMark` in it. */
function docsHtml(document: ApiDocument, version: string): string {
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

/** The page's own style: for dark and light, for wide windows and phones. */
const style = `:root{color-scheme:light dark;--line:light-dark(#d9dce1,#3a3d44);--quiet:light-dark(#5f6368,#a0a4ab);--panel:light-dark(#f4f5f7,#1e2025);--link:light-dark(#1d4ed8,#8ab4f8)}
*{box-sizing:border-box}html{scroll-padding-top:1rem}body{font:16px/1.55 system-ui,sans-serif;margin:0;background:light-dark(#fff,#131418)}a{color:var(--link)}nav a{text-decoration:none}nav a:hover{text-decoration:underline}
.page{max-width:86rem;margin:0 auto;padding:1.5rem 1rem 4rem}header p{color:var(--quiet);margin:.25rem 0 0}h1{font-size:1.6rem;margin:0}h2{font-size:1.3rem;margin:3rem 0 .25rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:2.25rem 0 .25rem;overflow-wrap:anywhere}h4{font-size:.8rem;text-transform:uppercase;letter-spacing:.04em;color:var(--quiet);margin:1rem 0 .25rem}p{margin:.25rem 0 .6rem}small{color:var(--quiet);font-weight:400}
code,pre{font:.875rem/1.5 ui-monospace,monospace}code{overflow-wrap:anywhere}td code{overflow-wrap:break-word}pre{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem;overflow-x:auto;margin:.5rem 0}pre code{overflow-wrap:normal}
.method{font:700 .72rem ui-monospace,monospace;border-radius:.3rem;padding:.15rem .4rem;color:#fff;background:#52606d}.get{background:#1d6f42}.post{background:#1d4ed8}.put,.patch{background:#8a5a00}.delete{background:#b3261e}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{border-top:1px solid var(--line);padding:.35rem .75rem .35rem 0;text-align:left;vertical-align:top}th{border:0;color:var(--quiet);font-weight:500;font-size:.85rem}td:first-child{white-space:nowrap}
@media(max-width:40rem){thead,td:empty{display:none}table,tbody,tr,td{display:block}tr{border-top:1px solid var(--line);padding:.4rem 0}td{border:0;padding:0}td:first-child{white-space:normal}}
ul{padding-left:1.2rem;margin:.25rem 0}details{margin:.25rem 0}summary{cursor:pointer;color:var(--quiet);font-size:.92rem}
nav{margin-top:1.5rem;columns:18rem}nav div{break-inside:avoid;padding-bottom:.9rem}nav b{font-size:.9rem}nav div a{display:block;font-size:.88rem;line-height:1.75}nav div b a{font-size:.9rem}
.try label{display:block;font-size:.85rem;margin:.6rem 0 .15rem}.try input,.try textarea{font:.875rem/1.5 ui-monospace,monospace;width:100%;max-width:44rem;padding:.35rem .5rem;border:1px solid var(--quiet);border-radius:.35rem;background:transparent;color:inherit;display:block}.try button{font:inherit;margin:.6rem 0;padding:.3rem .9rem;border:0;border-radius:.35rem;background:#1d4ed8;color:#fff;cursor:pointer}.try pre{max-height:30rem;overflow:auto}
@media(min-width:64rem){.columns{display:grid;grid-template-columns:17rem minmax(0,1fr);gap:2.5rem}nav{columns:auto;position:sticky;top:0;max-height:100vh;overflow-y:auto;padding-right:.5rem}}`;
