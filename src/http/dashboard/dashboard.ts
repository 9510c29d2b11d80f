import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Request, type RequestHandler, Router } from 'express';
import sirv from 'sirv';
import { packageFile } from '../../package-files.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { allowReaders } from '../authenticate.js';
import { errorHandler } from '../error-handler.js';
import { signInToken } from '../sign-in-cookie.js';
import { untracked } from '../track.js';
import { escape, newNonce, sendPage } from '../pages/html-page.js';
import { namesIn } from '../../text/is-object.js';

/** The first segments of the dashboard's paths beside `/`, as `src/dashboard` routes them. */
export const dashboardPages: readonly string[] = namesIn(`
  playground conversations requests models preferences keys connect reference settings sign-in
  sign-up claim forgot-password
`);

const files = ['/assets', '/icon.svg'];

/** What the paths of the dashboard begin with; `/` is the start page alone. */
export const dashboardPrefixes: readonly string[] = [
  '/',
  ...files,
  ...dashboardPages.map((page) => `/${page}`),
];

/** Where `build.mjs` puts the built dashboard. */
const built = packageFile('dist/dashboard/');

let wasBuilt: boolean | undefined;

/** Whether the dashboard was built; looked up once, because requests should not wait for a disk. */
const isBuilt = (): boolean => (wasBuilt ??= existsSync(built));

/** Cached for a year: the names of built files change with their content. */
const keptForGood = { maxAge: 31_536_000, immutable: true };

/** Only for browsers: a program that looks for an API at these paths gets 404. */
const ifBrowser: RequestHandler = ({ headers }, _res, next) => {
  if (headers.accept?.includes('text/html')) next();
  else next('route');
};

/** The stages before the page and its files. */
function firstStages(parts: GatewayParts, isOn: () => boolean): RequestHandler[] {
  const ifOn: RequestHandler = (_req, _res, next) => {
    if (isOn() && isBuilt()) next();
    else next('route');
  };
  return [ifOn, untracked(parts), allowReaders(parts)];
}

const pageOf = (parts: GatewayParts): RequestHandler =>
  dashboardPage(built, () => parts.current().accounts.publicUrl);

/**
 * The dashboard: one page for all of its paths, and its files. Everything it shows comes from the
 * API. Where it is switched off or was not built, its paths are not the gateway's.
 */
export function dashboardRouter(parts: GatewayParts, isOn: () => boolean): Router {
  const paths = ['/', ...dashboardPages.flatMap((page) => [`/${page}`, `/${page}/*below`])];
  const first = firstStages(parts, isOn);
  const filePaths = ['/assets/*file', '/icon.svg'];
  return (
    Router()
      // Express would answer OPTIONS by itself, also where these paths are not the dashboard's
      .options([...paths, ...filePaths], (_req, _res, next) => next('router'))
      .get(paths, ifBrowser, ...first, pageOf(parts))
      .get(filePaths, ...first, sendFile(keptForGood))
      .use(errorHandler(parts))
  );
}

/**
 * For the end of a standalone gateway: a browser that opens a path that does not exist gets the
 * dashboard, which says so, with status 404. Programs do not ask for HTML.
 */
export function unknownPathPage(parts: GatewayParts, isOn: () => boolean): Router {
  const asNotFound: RequestHandler = (_req, res, next) => {
    res.status(404);
    next();
  };
  return (
    Router()
      // as above: OPTIONS is not answered here
      .options(/./, (_req, _res, next) => next('router'))
      .get(/./, ifBrowser, ...firstStages(parts, isOn), asNotFound, pageOf(parts))
  );
}

/** `GET /docs/try-it.js`: the script of the API reference, also where the dashboard is off. */
export function tryItScript(): RequestHandler {
  const send = sendFile({ etag: true });
  return (req, res, next) => {
    req.url = '/try-it.js';
    send(req, res, next);
  };
}

/** Sends files of the build, in the compressed forms that it contains. */
function sendFile(caching: Parameters<typeof sirv>[1]): RequestHandler {
  let serve: ReturnType<typeof sirv> | null = null;
  return (req, res, next) => {
    if (!isBuilt()) {
      next('route');
      return;
    }
    serve ??= sirv(built, { gzip: true, brotli: true, ...caching });
    serve(req, res, next);
  };
}

/** Stands for the nonce in the built page: `src/dashboard/vite.config.ts`. */
const nonceMark = '%SIGNALBOX_NONCE%';

/**
 * The page of the dashboard, for each of its paths. Only scripts with the nonce of this answer run,
 * and those that they load in turn.
 * @param folder of the built dashboard
 */
function dashboardPage(folder: string, publicUrl: () => string | null): RequestHandler {
  let html: string | null = null;
  return (req, res) => {
    const nonce = newNonce();
    const page = (): string => {
      html ??= readFileSync(join(folder, 'index.html'), 'utf8');
      const base = `<head><base href="${escape(basePathOf(req, publicUrl()))}/">`;
      const page = html.replaceAll(nonceMark, nonce).replace('<head>', () => base);
      // who was signed in sees the frame of the page while it asks whether that holds
      return signInToken(req, publicUrl()) ? page.replace('<html', '<html data-signed-in') : page;
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

/** The gateway's path for the browser, without `/` at the end: a proxy may remove a prefix. */
function basePathOf(req: Request, publicUrl: string | null): string {
  if (publicUrl !== null) {
    const { host, pathname } = new URL(publicUrl);
    if (host === req.headers.host) return pathname.replace(/\/+$/, '');
  }
  return req.baseUrl.replace(/\/+$/, '');
}
