import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler, Response, Router } from 'express';
import { type Endpoint, FileAnswer } from '../api/endpoint.js';
import { checkQuery } from '../api/parameters.js';
import { compileSchema } from '../config/schema/compile-schema.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { allowAnonymous, authenticate } from './authenticate.js';
import { requestCall } from './request-call.js';
import { countRequestStage } from './select-model.js';
import { sendJson } from './send-json.js';
import { answer } from './stage.js';
import { nativeErrorBody } from './surfaces/native-error.js';
import type { Surface } from './surfaces/surface.js';
import { track } from './track.js';
import { methodNotAllowed, optionalBody, validate } from './bodies/validate.js';

/** How endpoints are mounted. */
interface Mounting {
  readonly surface: Surface;
  /** The access stage of an endpoint. */
  access(one: Endpoint): RequestHandler;
}

/** For the API keys and the signed-in browsers of accounts. */
const resourceMounting = (parts: GatewayParts): Mounting => ({
  surface: { label: 'resources', invalidCode: 'validation_failed', errorBody: nativeErrorBody },
  access: ({ isPublic, scope }) =>
    isPublic
      ? allowAnonymous(parts)
      : authenticate(parts, {
          ownsResource: true,
          browsers: true,
          ...(scope === 'administrator' ? { scope: 'admin', role: 'admin' } : { scope }),
        }),
});

/**
 * Adds endpoints to a router: each authenticates by its scope, is counted, checks its body, runs and
 * sends. Other methods of their paths are answered 405.
 */
export function mountEndpoints(
  router: Router,
  parts: GatewayParts,
  endpoints: readonly Endpoint[],
  mounting: Mounting = resourceMounting(parts),
): void {
  const paths = [...new Set(endpoints.map(({ path }) => path))];
  // paths without parameters first: a path with an id would match them too
  paths.sort((one, other) => parametersIn(one) - parametersIn(other));
  for (const path of paths)
    mountPath(
      router,
      parts,
      endpoints.filter((one) => one.path === path),
      mounting,
    );
}

const parametersIn = (path: string): number => path.split('{').length;

function mountPath(
  router: Router,
  parts: GatewayParts,
  endpoints: readonly Endpoint[],
  { surface, access }: Mounting,
): void {
  const [any] = endpoints;
  if (!any) return;
  const route = any.path.replace(/\{(\w+)\}/g, ':$1');
  const first = [...(any.needsWebAccounts ? [ifWebAccounts(parts)] : []), track(parts, surface)];
  for (const one of endpoints)
    router[one.method](route, ...first, access(one), ...stagesOf(parts, one));
  // 405 names the methods to all callers who may use at least one of them
  const [open = any] = [...endpoints].sort((one, other) => strictness(one) - strictness(other));
  const allowed = endpoints.map(({ method }) => method.toUpperCase()).join(', ');
  router.all(route, ...first, access(open), methodNotAllowed(allowed));
}

const strictness = ({ isPublic, scope }: Endpoint): number =>
  isPublic
    ? 0
    : ([undefined, 'model-select', 'completions', 'admin', 'administrator'] as const).indexOf(
        scope,
      ) + 1;

function stagesOf(parts: GatewayParts, one: Endpoint): RequestHandler[] {
  const isCounted = one.method !== 'get' && !one.isUncounted;
  return [
    ...(isCounted ? [countRequestStage(parts)] : []),
    ...bodyStages(parts, one),
    answer(async (req, res) => {
      checkQuery(one, req);
      const body = await one.run(requestCall(parts, req, res));
      if (body instanceof FileAnswer) return sendFile(res, body);
      if (body === undefined) return void res.status(one.status ?? 204).end();
      // the access stage of the other endpoints does so
      if (one.isPublic) res.setHeader('Cache-Control', 'no-store');
      sendJson(res, one.status ?? 200, body as object);
    }),
  ];
}

/** A body of several content types is read by the endpoint itself. */
function bodyStages(parts: GatewayParts, one: Endpoint): RequestHandler[] {
  if (one.request === undefined || one.otherBodies !== undefined) return [];
  const checked = validate(parts, compileSchema(one.request), undefined, one.maxBodyBytes);
  return [one.isBodyOptional ? optionalBody(checked) : checked];
}

/** The status is sent first, so a failure cuts the file off. A client that leaves is no failure. */
async function sendFile(res: Response, { name, contentType, text }: FileAnswer): Promise<void> {
  res.writeHead(200, {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}"`,
  });
  await pipeline(Readable.from(text), res).catch(() => res.destroy());
}

/** The first stage of the routes of web accounts, which exist only if the configuration has them. */
export function ifWebAccounts(parts: GatewayParts): RequestHandler {
  return (_req, _res, next) => {
    if (parts.current().accounts.web) next();
    else next('route');
  };
}
