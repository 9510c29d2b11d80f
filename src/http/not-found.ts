import type { RequestHandler } from 'express';
import { GatewayError } from '../errors.js';
import { authenticate } from './authenticate.js';
import { contextOf } from './context.js';
import { nativeErrorBody } from './error-handler.js';
import type { Parts } from '../pipeline/parts.js';
import { openAIErrors } from './surfaces/openai-error.js';
import type { Surface } from './surfaces/surface.js';
import { track } from './track.js';

const elsewhere: Surface = {
  name: 'other',
  invalidCode: 'bad_request',
  errorBody: nativeErrorBody,
};

/**
 * For a path that nobody knows: the end of a standalone gateway's app. Only who has a key is told that there is nothing. Below `/v1` it speaks
 * as OpenAI does, for the clients that ask there.
 */
export function notFound(parts: Parts): RequestHandler {
  const [native, openai] = [track(parts, elsewhere), track(parts, openAIErrors('other'))];
  const authenticated = authenticate(parts);
  return (req, res, next) => {
    // a browser at the address that the start has printed
    if (req.path === '/' && req.method === 'GET' && req.headers.accept?.includes('text/html')) {
      contextOf(parts, res);
      res.redirect('docs');
      return;
    }
    const tracked = /^\/v1(\/|$)/i.test(req.path) ? openai : native;
    void tracked(
      req,
      res,
      () =>
        void authenticated(req, res, (refused?: unknown) => {
          next(
            refused ??
              new GatewayError(
                'not_found',
                `there is nothing at ${req.method} ${req.path.slice(0, 200)}`,
              ),
          );
        }),
    );
  };
}
