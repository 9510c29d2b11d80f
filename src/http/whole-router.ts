import { type RequestHandler, Router } from 'express';
import { dashboardPrefixes } from './dashboard/dashboard.js';
import { messagesPrefix } from './surfaces/messages/paths.js';
import type { Routers, SurfaceRouter } from './routes.js';
import { redirectToSingleSlashes } from './single-slashes.js';
import { inOrder } from './stage.js';

/** A router, and the prefixes of the paths that it may answer, in lower case. */
interface Entry {
  readonly router: RequestHandler;
  readonly prefixes: readonly string[];
}

/** The start page is `/` alone, not what is below it. */
const isBelow = (url: string, prefix: string): boolean =>
  prefix === '/' ? /^\/(\?|$)/.test(url) : url.startsWith(prefix);

/** How much of a URL is compared with `prefixes`. */
const maxPrefixLength = 32;

/**
 * All routes in one router. A request goes only to the routers that may answer it: Express leaves a
 * router that does not match in a later turn of the event loop, and after six of them `/healthz`
 * waited for the process's other work (80 ms beside a request of 2 MB, measured 2026-11-22).
 */
export function wholeRouter(routers: Routers): SurfaceRouter {
  const entries: readonly Entry[] = [
    { router: routers.openai, prefixes: ['/v1', '/v2/rerank', messagesPrefix, '/openai/'] },
    { router: routers.completions, prefixes: ['/api/v1/completions', '/api/v1/chat'] },
    { router: routers.modelSelect, prefixes: ['/api/v1/model'] },
    { router: routers.proxy, prefixes: ['/proxy'] },
    { router: routers.mcp, prefixes: ['/mcp'] },
    { router: routers.metrics, prefixes: ['/metrics'] },
    {
      router: routers.health,
      prefixes: ['/healthz', '/readyz', '/openapi.json', '/docs', '/reset-password'],
    },
    { router: routers.resources, prefixes: ['/api/v1'] },
    { router: routers.v2, prefixes: ['/v2'] },
    { router: routers.dashboard, prefixes: dashboardPrefixes },
  ];
  return Router().use((req, res, next) => {
    const url = req.url.slice(0, maxPrefixLength).toLowerCase();
    const may = ({ prefixes }: Entry): boolean => prefixes.some((prefix) => isBelow(url, prefix));
    // a proxy's request line names the host too: Express finds the path
    const chosen = url.startsWith('/') ? entries.filter(may) : entries;
    const [only] = chosen;
    if (only && chosen.length === 1 && !url.includes('//')) void only.router(req, res, next);
    else inOrder(...chosen.map(({ router }) => router), redirectToSingleSlashes)(req, res, next);
  }) as SurfaceRouter;
}
