import type { Request, RequestHandler } from 'express';
import { GatewayError } from '../errors.js';
import type { GatewaySnapshot } from '../pipeline/engine/snapshot.js';
import { dialectsWith } from '../providers/passthrough-headers.js';
import { authenticate, type AuthenticateOptions } from './authenticate.js';
import { inOrder, stage } from './stage.js';
import { contextOf } from './context.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { messagesErrors } from './surfaces/messages/errors.js';
import { isClientRoot, speaksMessages } from './surfaces/messages/paths.js';
import { nativeErrorBody } from './surfaces/native-error.js';
import { openAIErrors } from './surfaces/openai-error.js';
import type { Surface } from './surfaces/surface.js';
import { track } from './track.js';

const unknownPath: Surface = {
  label: 'other',
  invalidCode: 'bad_request',
  errorBody: nativeErrorBody,
};
const maxPathLength = 200;

const operations = '/(?:chat/completions|completions|responses|messages|embeddings|models)';
/** Where a client's path ends whose base URL lacks `/v1`, or has it twice. */
const clientPath = new RegExp(`^(?!(?:/api)?/v1/(?!v1/))(?:/.*?)??(${operations})/?$`, 'i');
/** The path of a client whose base URL is the gateway's own address, or ends in `/` or `/api`. */
const pathWithoutV1 = new RegExp(`^/*(?:/api)?${operations}/?$`, 'i');

/** Whether a path belongs to OpenAI's, Anthropic's or Google's API. */
const isBelowV1 = (url: string): boolean => /^\/v1(beta1?)?(?=$|[/?])/i.test(url);

/**
 * The last handler of a standalone gateway: answers 404 for unknown paths, but 401 without a valid
 * key. Below `/v1`, and where a client's base URL lacks it, the error has OpenAI's shape, and
 * Anthropic's or Google's for the paths of their APIs; Anthropic's also for clients that speak its
 * dialect. Without a dashboard, browsers that open `/` are redirected to the API documentation; `HEAD` of a base URL, by
 * which some clients ask whether a server is there, is answered 200.
 */
export function notFound(parts: GatewayParts): RequestHandler {
  const authenticated = authenticate(parts);
  return (req, res, next) => {
    contextOf(parts, res);
    if (req.method === 'HEAD' && isClientRoot(req.path)) {
      res.end();
      return;
    }
    // a browser that opens the URL printed at the start
    if (req.path === '/' && req.method === 'GET' && req.headers.accept?.includes('text/html')) {
      res.redirect('docs');
      return;
    }
    track(parts, surfaceOf(req))(
      req,
      res,
      () =>
        void authenticated(req, res, (refused?: unknown) => {
          const { request } = contextOf(parts, res);
          // the client chose the path, which the log must not repeat
          request.prompt = [req.path, req.baseUrl];
          next(refused ?? new GatewayError('not_found', reasonFor(req, request.snapshot)));
        }),
    );
  };
}

/**
 * Answers 404 for unknown paths below `/v1` of a gateway that is mounted under a path: an SDK would
 * show the host's own page as the error. At the root such paths may belong to the host.
 */
export function unknownOpenAIPath(parts: GatewayParts): RequestHandler {
  const answered = notFound(parts);
  return (req, res, next) => {
    if (isBelowV1(req.url) && !isBelowV1(req.originalUrl)) void answered(req, res, next);
    else next();
  };
}

/**
 * Answers 426 to requests that would open a WebSocket, and lets all others pass. After a 426 Codex
 * continues over HTTP at once, after any other answer it asks seven times (measured 2026-11-25).
 * Only a server without a listener for `upgrade` hands these requests to its routes.
 */
export function refuseUpgrades(
  parts: GatewayParts,
  surface: Parameters<typeof track>[1],
  access: AuthenticateOptions = {},
): RequestHandler {
  const refused = inOrder(
    track(parts, surface),
    authenticate(parts, access),
    stage((_req, res) => {
      res.setHeader('Upgrade', 'HTTP/1.1').setHeader('Connection', 'Upgrade');
      throw new GatewayError(
        'upgrade_required',
        'upgrade: WebSockets are not supported here; send the request over HTTP',
      );
    }),
  );
  return (req, res, next) => {
    if (/^websocket$/i.test(req.headers.upgrade ?? '')) refused(req, res, next);
    else next();
  };
}

function surfaceOf({ path, headers }: Request): Surface {
  if (speaksMessages(headers) || /^\/v1\/messages(?=$|\/)/i.test(path))
    return messagesErrors('other');
  const errorBody = dialectsWith(path)[0]?.errorBody;
  if (errorBody)
    return { ...unknownPath, errorBody: ({ status, message }) => errorBody(status, message) };
  return isBelowV1(path) || pathWithoutV1.test(path) ? openAIErrors('other') : unknownPath;
}

/** Why there is no route; for a path of a provider's own API, where pass-through has it. */
function reasonFor(
  { method, path, baseUrl, headers }: Request,
  { proxy }: GatewaySnapshot,
): string {
  const shown = path.slice(0, maxPathLength);
  // several makers have `/v1/files`
  const isMessages = speaksMessages(headers) && isBelowV1(path);
  const owners = dialectsWith(isMessages ? '/v1/messages' : path);
  const reason = `no route for ${method} ${shown}`;
  const [, meant] = clientPath.exec(shown) ?? [];
  const base = isMessages ? 'for this API has no /v1' : 'of this gateway ends in /v1';
  if (meant !== undefined && (isMessages || owners.length === 0))
    return `${reason}; the base URL ${base}: ${baseUrl}/v1${meant}`;
  if (owners.length === 0 || !proxy.enabled) return reason;
  const provider = proxy.providerOf(owners.map(({ api }) => api));
  const prefix = `${baseUrl.slice(0, maxPathLength)}/proxy`;
  return provider === null
    ? `${reason}; ${prefix}/<provider>${shown} reaches it at a provider that has it`
    : `${reason}; ${prefix}/${provider}${shown} reaches it at the provider ${provider}`;
}
