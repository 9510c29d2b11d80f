import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { type Request, type RequestHandler, Router } from 'express';
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

let read: ReadonlyMap<string, Buffer> | undefined;

/**
 * The built files by their paths; none where the dashboard was not built. They are read once, so that
 * requests do not wait for a disk, and an upgrade takes no file from a gateway that runs.
 */
const builtFiles = (): ReadonlyMap<string, Buffer> => (read ??= new Map(readFiles()));

function readFiles(): [path: string, bytes: Buffer][] {
  if (!existsSync(built)) return [];
  const entries = readdirSync(built, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => [`/${file.slice(built.length).replaceAll(sep, '/')}`, readFileSync(file)]);
}

/** For a year: the names of built files change with their content. */
const keptForGood = 'public,max-age=31536000,immutable';

/** Only for browsers: a program that looks for an API at these paths gets 404. */
const ifBrowser: RequestHandler = ({ headers }, _res, next) => {
  if (headers.accept?.includes('text/html')) next();
  else next('route');
};

/** The stages before the page and its files. */
function firstStages(parts: GatewayParts, isOn: () => boolean): RequestHandler[] {
  const ifOn: RequestHandler = (_req, _res, next) => {
    if (isOn() && builtFiles().size > 0) next();
    else next('route');
  };
  return [ifOn, untracked(parts), allowReaders(parts)];
}

const pageOf = (parts: GatewayParts): RequestHandler =>
  dashboardPage(() => parts.current().accounts.publicUrl);

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
  const send = sendFile('no-cache');
  return (req, res, next) => {
    req.url = '/try-it.js';
    send(req, res, next);
  };
}

/** The best first, whatever the order of a browser. */
const forms = [
  ['br', '.br'],
  ['gzip', '.gz'],
  ['identity', ''],
] as const;

/** Sends files of the build, in the compressed forms that it contains. */
function sendFile(caching: string): RequestHandler {
  return (req, res, next) => {
    const files = builtFiles();
    const [form, ending] =
      forms.find(([name, end]) => files.has(req.path + end) && req.acceptsEncodings(name)) ?? [];
    const bytes = files.get(`${req.path}${ending ?? ''}`);
    if (!form || !bytes) {
      next('route');
      return;
    }
    if (form !== 'identity') res.set('Content-Encoding', form);
    res.set('Cache-Control', caching).vary('Accept-Encoding').type(extname(req.path)).send(bytes);
  };
}

/** Stands for the nonce in the built page: `src/dashboard/vite.config.ts`. */
const nonceMark = '%SIGNALBOX_NONCE%';

/**
 * The page of the dashboard, for each of its paths. Only scripts with the nonce of this answer run,
 * and those that they load in turn.
 */
function dashboardPage(publicUrl: () => string | null): RequestHandler {
  return (req, res) => {
    const nonce = newNonce();
    const page = (): string => {
      const html = String(builtFiles().get('/index.html'));
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
