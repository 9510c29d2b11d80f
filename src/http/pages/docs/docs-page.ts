import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { newNonce } from '../../dashboard/nonce.js';
import { openApiDocument } from '../../openapi/document.js';
import type { ApiDocument } from './api-document.js';
import { originMark } from './curl-example.js';
import { escape } from './markup.js';
import { docsHtml, nonceMark } from './page.js';

// not helmet's default, which allows scripts and fonts and upgrades links of a plain-HTTP gateway
// to https
const policy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'unsafe-inline'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** The URL that the browser has used, so that the examples can be pasted. */
function originOf(req: Request, publicUrl: string | null): string {
  const host = req.headers.host ?? '';
  const known = /^[\w.:[\]-]{1,255}$/.test(host) ? host : '127.0.0.1:8080';
  return publicUrl ?? `${req.protocol}://${known}${req.baseUrl}`;
}

/**
 * `GET /docs`: the OpenAPI document as a page that loads nothing from other servers. Its script, with
 * which the reader calls the operations, is part of the dashboard's build; without it the page stays
 * readable.
 */
export function docsPage(version: string, publicUrl: () => string | null): RequestHandler {
  let html: string | null = null;
  return (req, res) => {
    const nonce = newNonce();
    const directives = { ...policy, scriptSrc: [`'nonce-${nonce}'`] };
    const protect = helmet({
      contentSecurityPolicy: { useDefaults: false, directives },
      // only the operator knows whether the whole domain supports TLS
      strictTransportSecurity: false,
    });
    protect(req, res, () => {
      html ??= docsHtml(openApiDocument(version, '/') as ApiDocument, version);
      const page = html.replaceAll(originMark, () => escape(originOf(req, publicUrl())));
      res.setHeader('Content-Type', 'text/html; charset=utf-8');
      res.end(page.replace(nonceMark, nonce));
    });
  };
}
