import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { escape } from '../pages/docs/markup.js';
import { newNonce } from './nonce.js';

/** Stands for the nonce in the built page: `src/dashboard/vite.config.ts`. */
const nonceMark = '%SIGNALBOX_NONCE%';

/**
 * The page of the dashboard, for each of its paths. Scripts run only with the nonce of this answer,
 * and what they load in turn; nothing is loaded from other servers.
 * @param folder of the built dashboard
 */
export function dashboardPage(folder: string, publicUrl: () => string | null): RequestHandler {
  let html: string | null = null;
  return (req, res) => {
    const nonce = newNonce();
    protection(nonce)(req, res, () => {
      html ??= readFileSync(join(folder, 'index.html'), 'utf8');
      const base = `<head><base href="${escape(basePathOf(req, publicUrl()))}/">`;
      res.setHeader('Content-Type', 'text/html; charset=utf-8');
      res.setHeader('Cache-Control', 'no-store');
      res.end(html.replaceAll(nonceMark, nonce).replace('<head>', () => base));
    });
  };
}

const protection = (nonce: string): ReturnType<typeof helmet> =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [`'nonce-${nonce}'`, "'strict-dynamic'"],
        styleSrc: ["'self'", `'nonce-${nonce}'`],
        // pictures that the reader attaches to a message are shown from memory
        imgSrc: ["'self'", 'data:', 'blob:'],
        connectSrc: ["'self'"],
        baseUri: ["'self'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // only the operator knows whether the whole domain supports TLS
    strictTransportSecurity: false,
  });

/**
 * The path under which the browser reaches the gateway, without a slash at the end: a proxy may have
 * removed what `publicUrl` has.
 */
function basePathOf(req: Request, publicUrl: string | null): string {
  if (publicUrl !== null) {
    const { host, pathname } = new URL(publicUrl);
    if (host === req.headers.host) return pathname.replace(/\/+$/, '');
  }
  return req.baseUrl.replace(/\/+$/, '');
}
