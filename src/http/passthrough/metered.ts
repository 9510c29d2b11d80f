import type { RequestHandler } from 'express';
import { compileSchema } from '../../config/schema/compile-schema.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { validate } from '../bodies/validate.js';
import { complete } from '../complete.js';
import { contextOf } from '../context.js';
import { inOrder } from '../stage.js';
import { completionSurfaces } from '../surfaces/completion-surfaces.js';
import { addressed, countedLimit, mayUseAll } from './passthrough.js';

/**
 * Runs a completion in its provider's own dialect as the surface of that dialect does, where the
 * caller's tokens or cost are limited: the one path of a completion then reserves and charges it.
 * Any other request is passed through.
 */
export function metered(parts: GatewayParts): RequestHandler {
  const stages = completionSurfaces.flatMap(({ dialect, ...surface }) => {
    if (!dialect) return [];
    const check = validate(
      parts,
      surface.requests?.() ?? compileSchema(`${surface.schema}.request`),
    );
    const runAt = (name: string): RequestHandler =>
      complete(parts, { ...surface, dialect }, ({ body }) => {
        const asked = body as { model?: unknown };
        return { ...asked, model: `${name}/${String(asked.model)}` };
      });
    return [{ dialect, end: surface.path.replace(/^\/v1/, ''), check, runAt }];
  });
  return (req, res, next) => {
    const { caller, snapshot } = contextOf(parts, res).request;
    try {
      const { name, provider, path } = addressed(req.url, snapshot);
      const isCounted = countedLimit(caller) !== null && !snapshot.budgets.allowUnpriced;
      const [own] = path.split('?');
      const found = stages.find(
        ({ dialect, end }) =>
          req.method === 'POST' && dialect === provider.adapter.dialect && own?.endsWith(end),
      );
      if (!found || !isCounted || !mayUseAll(caller.models, name)) next();
      else inOrder(found.check, found.runAt(name))(req, res, next);
    } catch {
      // pass-through says what is wrong with the address
      next();
    }
  };
}
