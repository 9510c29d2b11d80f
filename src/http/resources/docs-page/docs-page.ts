import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { openApiDocument } from '../openapi/document.js';
import type { ApiDocument } from './api-document.js';
import { originMark } from './curl-example.js';
import { escape } from './markup.js';
import { docsHtml } from './page.js';

// not helmet's default, which allows scripts and fonts and upgrades links of a plain-HTTP gateway
// to https
const policy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'unsafe-inline'"],
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

/** `GET /docs`: the OpenAPI document as a page that loads nothing from other servers. */
export function docsPage(version: string, publicUrl: () => string | null): RequestHandler {
  let html: string | null = null;
  const protect = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: policy },
    // only the operator knows whether the whole domain supports TLS
    strictTransportSecurity: false,
  });
  return (req, res) => {
    protect(req, res, () => {
      html ??= docsHtml(openApiDocument(version, '/') as ApiDocument, version);
      res.setHeader('Content-Type', 'text/html; charset=utf-8');
      res.end(html.replaceAll(originMark, () => escape(originOf(req, publicUrl()))));
    });
  };
}
