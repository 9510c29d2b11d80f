import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, RequestHandler } from 'express';
import { escape, newNonce, sendPage } from '../pages/html-page.js';

/** Stands for the nonce in the built page: `src/dashboard/vite.config.ts`. */
const nonceMark = '%SIGNALBOX_NONCE%';

/**
 * The page of the dashboard, for each of its paths. Scripts run only with the nonce of this answer,
 * and what they load in turn.
 * @param folder of the built dashboard
 */
export function dashboardPage(folder: string, publicUrl: () => string | null): RequestHandler {
  let html: string | null = null;
  return (req, res) => {
    const nonce = newNonce();
    const page = (): string => {
      html ??= readFileSync(join(folder, 'index.html'), 'utf8');
      const base = `<head><base href="${escape(basePathOf(req, publicUrl()))}/">`;
      return html.replaceAll(nonceMark, nonce).replace('<head>', () => base);
    };
    res.setHeader('Cache-Control', 'no-store');
    sendPage(req, res, page, {
      scriptSrc: [`'nonce-${nonce}'`, "'strict-dynamic'"],
      styleSrc: ["'self'", `'nonce-${nonce}'`],
      // pictures that the reader attaches to a message are shown from memory
      imgSrc: ["'self'", 'data:', 'blob:'],
      baseUri: ["'self'"],
    });
  };
}

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
