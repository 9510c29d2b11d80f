import type { Request, RequestHandler } from 'express';
import { openApiDocument } from '../../openapi/document.js';
import { escape, newNonce, prose, sendPage } from '../html-page.js';
import type { ApiDocument, Operation, PlacedOperation } from './api-document.js';
import { operationSection, originMark } from './operation-section.js';
import { schemaSection } from './schema-table.js';

/** Placeholder for the nonce of an answer, which the script needs to run. */
const nonceMark = '{nonce}';

/** Placeholder for the path to the gateway's root, to which all links are relative. */
const baseMark = '{base}';

/**
 * `GET /docs/<group>`: the operations of one group of the OpenAPI document, as a page that loads
 * nothing from other servers; `/docs` has the first group. Its script, with which the reader calls
 * the operations, is part of the dashboard's build; without it the page stays readable.
 */
export function docsPage(version: string, publicUrl: () => string | null): RequestHandler {
  let pages: ReadonlyMap<string, string> | null = null;
  return (req, res, next) => {
    pages ??= docsPages(openApiDocument(version, '/') as ApiDocument, version);
    const { group } = req.params;
    const html = typeof group === 'string' ? pages.get(group) : [...pages.values()][0];
    if (html === undefined) {
      next('router');
      return;
    }
    const nonce = newNonce();
    const base = `./${'../'.repeat(req.path.split('/').length - 2)}`;
    const page = (): string =>
      html
        .replaceAll(originMark, () => escape(originOf(req, publicUrl())))
        .replace(baseMark, base)
        .replace(nonceMark, nonce);
    sendPage(req, res, page, {
      scriptSrc: [`'nonce-${nonce}'`],
      styleSrc: ["'unsafe-inline'"],
      baseUri: ["'self'"],
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

/** The document as an HTML page for each group. The URL of the gateway is `originMark` in it. */
function docsPages(document: ApiDocument, version: string): Map<string, string> {
  const { schemas } = document.components;
  const groups = groupsOf(document);
  return new Map(
    groups.map((shown) => {
      const operations = `<h2>${escape(shown.name)}</h2><p>${prose(shown.description)}</p>${shown.operations
        .map((placed) => operationSection(placed, schemas))
        .join('')}`;
      const body = [
        `<header><h1>Signalbox API</h1><p>Version ${escape(version)}, at <code>${originMark}</code>. Send an API key as <code>Authorization: Bearer sk_…</code>; the examples read it from <code>SIGNALBOX_API_KEY</code>. For programs: <a href="openapi.json">openapi.json</a>. <a href="./">Dashboard</a></p></header><div></div>`,
        `<div class="columns"><nav aria-label="Contents">${groups.map((group) => contentsOf(group, group === shown)).join('')}</nav>`,
        `<main>${operations}<h2>Schemas</h2>${schemasOf(operations, schemas)}</main></div>`,
      ]
        .join('')
        .replaceAll('href="#', `href="docs/${slugOf(shown.name)}#`);
      return [
        slugOf(shown.name),
        `<!doctype html><html lang="en"><head><base href="${baseMark}"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(shown.name)} · Signalbox API</title><style>${style}</style></head><body><div class="page">${body}</div><script type="module" src="docs/try-it.js" nonce="${nonceMark}"></script></body></html>`,
      ];
    }),
  );
}

/** The schemas that a part of the page names, and those that they name in turn. */
function schemasOf(html: string, schemas: ApiDocument['components']['schemas']): string {
  const sections = new Map<string, string>();
  const add = (part: string): void => {
    for (const [, name = ''] of part.matchAll(/href="#(\w+)"/g)) {
      const schema = schemas[name];
      if (!schema || sections.has(name)) continue;
      const section = schemaSection(name, schema, schemas);
      sections.set(name, section);
      add(section);
    }
  };
  add(html);
  return [...sections.values()].join('');
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

/** The last segment of a group's URL. */
const slugOf = (name: string): string => name.toLowerCase().replace(/\W+/g, '-');

/** A group in the table of contents; the current group lists its operations. */
const contentsOf = ({ name, operations }: Group, isShown: boolean): string =>
  `<div><b><a href="docs/${slugOf(name)}"${isShown ? ' aria-current="page"' : ''}>${escape(name)}</a></b>${
    isShown
      ? operations
          .filter(({ operation }) => !operation.deprecated)
          .map(
            ({ operation }) =>
              `<a href="#${operation.operationId}">${prose(operation.summary)}</a>`,
          )
          .join('')
      : ''
  }</div>`;

/** The page's own style: for dark and light, for wide windows and phones. */
const style = `html{color-scheme:light dark}:scope{--line:light-dark(#d9dce1,#3a3d44);--quiet:light-dark(#5f6368,#a0a4ab);--panel:light-dark(#f4f5f7,#1e2025);--link:light-dark(#1d4ed8,#8ab4f8)}
*{box-sizing:border-box}html{scroll-padding-top:1rem}body{font:16px/1.55 system-ui,sans-serif;margin:0;background:light-dark(#fff,#131418)}a{color:var(--link)}nav a{text-decoration:none}nav a:hover{text-decoration:underline}
.page{max-width:86rem;margin:0 auto;padding:1.5rem 1rem 4rem}header p{color:var(--quiet);margin:.25rem 0 0}h1{font-size:1.6rem;margin:0}h2{font-size:1.3rem;margin:3rem 0 .25rem;padding-top:.75rem;border-top:1px solid var(--line)}h2:first-child{margin-top:0;border:0}summary h3{display:inline;margin:0}.schema{margin:.5rem 0}section,.schema{scroll-margin-top:4rem}
h3{font-size:1rem;margin:2.25rem 0 .25rem;overflow-wrap:anywhere}h4{font-size:.8rem;text-transform:uppercase;letter-spacing:.04em;color:var(--quiet);margin:1rem 0 .25rem}p{margin:.25rem 0 .6rem}small{color:var(--quiet);font-weight:400}
code,pre{font:.875rem/1.5 ui-monospace,monospace}code{overflow-wrap:anywhere}td code{overflow-wrap:break-word}pre{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem;overflow-x:auto;margin:.5rem 0}pre code{overflow-wrap:normal}
.method{font:700 .72rem ui-monospace,monospace;border-radius:.3rem;padding:.15rem .4rem;color:#fff;background:#52606d}.get{background:#1d6f42}.post{background:#1d4ed8}.put,.patch{background:#8a5a00}.delete{background:#b3261e}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{border-top:1px solid var(--line);padding:.35rem .75rem .35rem 0;text-align:left;vertical-align:top}th{border:0;color:var(--quiet);font-weight:500;font-size:.85rem}td:first-child{white-space:nowrap}
@media(max-width:40rem){thead,td:empty{display:none}table,tbody,tr,td{display:block}tr{border-top:1px solid var(--line);padding:.4rem 0}td{border:0;padding:0}td:first-child{white-space:normal}}
ul{padding-left:1.2rem;margin:.25rem 0}details{margin:.25rem 0}summary{cursor:pointer;color:var(--quiet);font-size:.92rem}
nav{margin-top:1.5rem;columns:18rem}nav div{break-inside:avoid;padding-bottom:.9rem}nav b{font-size:.9rem}nav div a{display:block;font-size:.88rem;line-height:1.75}nav div b a{font-size:.9rem}
.try label{display:block;font-size:.85rem;margin:.6rem 0 .15rem}.try input,.try textarea{font:.875rem/1.5 ui-monospace,monospace;width:100%;max-width:44rem;padding:.35rem .5rem;border:1px solid var(--quiet);border-radius:.35rem;background:transparent;color:inherit;display:block}.try button{font:inherit;margin:.6rem 0;padding:.3rem .9rem;border:0;border-radius:.35rem;background:#1d4ed8;color:#fff;cursor:pointer}.try pre{max-height:30rem;overflow:auto}
@media(min-width:64rem){.columns{display:grid;grid-template-columns:17rem minmax(0,1fr);gap:2.5rem}nav{columns:auto;position:sticky;top:0;max-height:100vh;overflow-y:auto;padding-right:.5rem}}`;
