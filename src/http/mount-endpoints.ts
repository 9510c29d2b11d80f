import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler, Response, Router } from 'express';
import { type Access, type Endpoint, FileAnswer } from '../api/endpoint.js';
import { compileSchema } from '../config/schema/compile-schema.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { ifWebAccounts } from './account-context.js';
import { allowAnonymous } from './allow-anonymous.js';
import { authenticateOwner } from './authenticate-owner.js';
import { requestCall } from './request-call.js';
import { countRequestStage } from './select-model.js';
import { sendJson } from './send-json.js';
import { answer } from './stage.js';
import { resources } from './surfaces/resources.js';
import { track } from './track.js';
import { methodNotAllowed, optionalBody, validate } from './bodies/validate.js';

/**
 * Adds endpoints to a router: each authenticates by its scope, is counted, checks its body, runs and
 * sends. Other methods of their paths are answered 405.
 */
export function mountEndpoints(
  router: Router,
  parts: GatewayParts,
  endpoints: readonly Endpoint[],
): void {
  const paths = [...new Set(endpoints.map(({ path }) => path))];
  // a path without parameters first: one with an id would match it too
  paths.sort((one, other) => parametersIn(one) - parametersIn(other));
  for (const path of paths)
    mountPath(
      router,
      parts,
      endpoints.filter((one) => one.path === path),
    );
}

const parametersIn = (path: string): number => path.split('{').length;

function mountPath(router: Router, parts: GatewayParts, endpoints: readonly Endpoint[]): void {
  const [any] = endpoints;
  if (!any) return;
  const route = any.path.replace(/\{(\w+)\}/g, ':$1');
  const first = [...(any.needsWebAccounts ? [ifWebAccounts(parts)] : []), track(parts, resources)];
  for (const one of endpoints)
    router[one.method](route, ...first, accessTo(parts, one), ...stagesOf(parts, one));
  // whoever may use one of the methods is told which there are
  const [open = any] = [...endpoints].sort((one, other) => strictness(one) - strictness(other));
  const allowed = endpoints.map(({ method }) => method.toUpperCase()).join(', ');
  router.all(route, ...first, accessTo(parts, open), methodNotAllowed(allowed));
}

const strictness = ({ isPublic, scope }: Endpoint): number =>
  isPublic
    ? 0
    : ([undefined, 'model-select', 'completions', 'admin', 'administrator'] as const).indexOf(
        scope,
      ) + 1;

function accessTo(parts: GatewayParts, { isPublic, scope }: Endpoint): RequestHandler {
  return isPublic ? allowAnonymous(parts) : authenticateOwner(parts, ownerOptions(scope));
}

const ownerOptions = (scope: Access | undefined): Parameters<typeof authenticateOwner>[1] =>
  scope === undefined
    ? {}
    : scope === 'administrator'
      ? { scope: 'admin', role: 'admin' }
      : { scope };

function stagesOf(parts: GatewayParts, one: Endpoint): RequestHandler[] {
  const isCounted = one.method !== 'get' && !one.isUncounted;
  return [
    ...(isCounted ? [countRequestStage(parts)] : []),
    ...bodyStages(parts, one),
    answer(async (req, res) => {
      const body = await one.run(requestCall(parts, req, res));
      if (body instanceof FileAnswer) return sendFile(res, body);
      if (body === undefined) return void res.status(one.status ?? 204).end();
      // shared caches look at the URL alone, not at the cookie
      res.setHeader('Cache-Control', 'no-store');
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

/**
 * The status is sent first, so a failure can only cut the file off. A client that leaves is no
 * failure.
 */
async function sendFile(res: Response, { name, contentType, text }: FileAnswer): Promise<void> {
  res.writeHead(200, {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}"`,
  });
  await pipeline(Readable.from(text), res).catch(() => res.destroy());
}
