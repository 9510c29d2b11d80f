import type { RequestHandler } from 'express';
import { GatewayError } from '../../errors.js';
import { forbiddenReason } from '../../models/access-rules.js';
import { contextOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { ListedModel, ModelType } from '../../providers/adapter.js';
import type { GatewaySnapshot } from '../../pipeline/engine/snapshot.js';
import { sendJson } from '../send-json.js';
import { stage } from '../stage.js';

interface ModelEntry {
  id: string;
  object: 'model';
  /** Seconds since 1970; 0 if the provider does not say it. */
  created: number;
  owned_by: string;
  /** What the model is for; completions need `chat`. */
  type: ModelType;
  /** In tokens; null if unknown. */
  context_length: number | null;
  /** Null: unknown. */
  capabilities: { tools: boolean | null; images: boolean | null };
  /** Of an alias: the labels that it stands for. */
  targets?: readonly string[];
}

const auto: ModelEntry = {
  id: 'auto',
  object: 'model',
  created: 0,
  owned_by: 'signalbox',
  type: 'chat',
  context_length: null,
  capabilities: { tools: null, images: null },
};

function entryOf(
  { catalog }: GatewaySnapshot,
  provider: string,
  { model, type, created = 0, contextLength }: ListedModel,
): ModelEntry {
  const facts = catalog.lookup(provider, model);
  return {
    id: `${provider}/${model}`,
    object: 'model',
    created,
    owned_by: provider,
    type,
    context_length: facts.contextLength ?? contextLength ?? null,
    capabilities: { tools: facts.tools, images: facts.images },
  };
}

/** The models that this key may call: `auto`, the aliases, and those of each provider. */
function listFor(snapshot: GatewaySnapshot, keyModels: readonly string[] | null): ModelEntry[] {
  const { directory, names } = snapshot;
  const { allow, deny } = snapshot.routing;
  directory.refresh();
  const entries = directory.providers().flatMap((provider) =>
    [...directory.models(provider).values()]
      .filter(({ model }) => {
        const candidate = { label: `${provider}/${model}`, provider, model };
        return forbiddenReason(candidate, { allow, deny, keyModels }) === null;
      })
      .map((listed) => entryOf(snapshot, provider, listed)),
  );
  const byLabel = new Map(entries.map((entry) => [entry.id, entry]));
  const aliases = names.aliasesFor(keyModels).map((id): ModelEntry => {
    const targets = names.candidatesOf([id]).map(({ label }) => label);
    const first = targets.map((label) => byLabel.get(label)).find((entry) => entry !== undefined);
    return { ...(first ?? auto), id, created: 0, owned_by: 'signalbox', targets };
  });
  return [auto, ...aliases, ...entries];
}

/** `GET /v1/models`. */
export function listModels(parts: GatewayParts): RequestHandler {
  return stage((_req, res) => {
    const { snapshot, caller } = contextOf(parts, res).request;
    sendJson(res, 200, { object: 'list', data: listFor(snapshot, caller.models) });
    return 'answered';
  });
}

/** `GET /v1/models/<provider>/<model>`: one entry of that list. */
export function readModel(parts: GatewayParts): RequestHandler {
  return stage((req, res) => {
    const { snapshot, caller } = contextOf(parts, res).request;
    const id = decodeURIComponent(req.path.replace(/^.*?\/v1\/models\//, ''));
    const entry = listFor(snapshot, caller.models).find((model) => model.id === id);
    if (!entry) throw new GatewayError('not_found', 'model: not found', { field: 'model' });
    sendJson(res, 200, entry);
    return 'answered';
  });
}
