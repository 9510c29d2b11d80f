import type { RequestHandler } from 'express';
import { GatewayError } from '../../errors.js';
import { forbiddenReason } from '../../routing/access-rules.js';
import { contextOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import type { GatewaySnapshot } from '../../pipeline/snapshot.js';
import { sendJson } from '../send-json.js';
import { stage } from '../stage.js';

interface ModelEntry {
  id: string;
  object: 'model';
  /** Seconds since 1970; always 0, because creation dates are not known. */
  created: number;
  owned_by: string;
}

const entryOf = (provider: string, model: string): ModelEntry => ({
  id: `${provider}/${model}`,
  object: 'model',
  created: 0,
  owned_by: provider,
});

/** The models that this key may call, `auto` first. */
function listFor(snapshot: GatewaySnapshot, keyModels: readonly string[] | null): ModelEntry[] {
  const entries: ModelEntry[] = [];
  for (const provider of snapshot.providers.keys()) {
    for (const model of snapshot.catalog.models(provider)) {
      const candidate = { label: `${provider}/${model}`, provider, model };
      if (
        forbiddenReason(candidate, {
          allow: snapshot.routing.allow,
          deny: snapshot.routing.deny,
          keyModels,
        }) === null
      )
        entries.push(entryOf(provider, model));
    }
  }
  return [{ id: 'auto', object: 'model', created: 0, owned_by: 'signalbox' }, ...entries];
}

/** `GET /v1/models`. */
export function listModels(parts: Parts): RequestHandler {
  return stage((_req, res) => {
    const { snapshot, caller } = contextOf(parts, res).request;
    sendJson(res, 200, { object: 'list', data: listFor(snapshot, caller.models) });
    return 'answered';
  });
}

/** `GET /v1/models/<provider>/<model>`: one entry of that list. */
export function readModel(parts: Parts): RequestHandler {
  return stage((req, res) => {
    const { snapshot, caller } = contextOf(parts, res).request;
    const id = decodeURIComponent(req.path.replace(/^.*?\/v1\/models\//, ''));
    const entry = listFor(snapshot, caller.models).find((model) => model.id === id);
    if (!entry) throw new GatewayError('not_found', 'model: not found', { field: 'model' });
    sendJson(res, 200, entry);
    return 'answered';
  });
}
