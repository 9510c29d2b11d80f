import type { RequestHandler } from 'express';
import { GatewayError } from '../errors.js';
import { authenticate } from './authenticate.js';
import { contextOf } from './context.js';
import { nativeErrorBody } from './error-handler.js';
import type { Parts } from '../pipeline/parts.js';
import { openAIErrors } from './surfaces/openai-error.js';
import type { Surface } from './surfaces/surface.js';
import { track } from './track.js';

const unknownPath: Surface = {
  name: 'other',
  invalidCode: 'bad_request',
  errorBody: nativeErrorBody,
};

/**
 * The last handler of a standalone gateway: answers 404 for unknown paths, but 401 without a valid
 * key. Below `/v1` the error has OpenAI's shape, for clients of that API. Browsers that open `/`
 * are redirected to the API documentation.
 */
export function notFound(parts: Parts): RequestHandler {
  const [native, openai] = [track(parts, unknownPath), track(parts, openAIErrors('other'))];
  const authenticated = authenticate(parts);
  return (req, res, next) => {
    contextOf(parts, res);
    // a browser that opens the URL printed at the start
    if (req.path === '/' && req.method === 'GET' && req.headers.accept?.includes('text/html')) {
      res.redirect('docs');
      return;
    }
    const tracked = /^\/v1(\/|$)/i.test(req.path) ? openai : native;
    void tracked(
      req,
      res,
      () =>
        void authenticated(req, res, (refused?: unknown) => {
          // the client chose the path, which the log must not repeat
          contextOf(parts, res).request.prompt = req.path;
          next(
            refused ??
              new GatewayError('not_found', `no route for ${req.method} ${req.path.slice(0, 200)}`),
          );
        }),
    );
  };
}
