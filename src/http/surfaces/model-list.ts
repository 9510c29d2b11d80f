import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { GatewayError } from '../../errors.js';
import { contextOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { CallableModel } from '../../pipeline/engine/model-names.js';
import type { ModelType } from '../../providers/adapter.js';
import type { GatewaySnapshot } from '../../pipeline/engine/snapshot.js';
import { sendJson } from '../send-json.js';
import { stage } from '../stage.js';
import { pageRequestOf } from '../../api/page-request.js';
import { listedPage } from './listed-page.js';
import { messagesErrors } from './messages/errors.js';
import { speaksMessages } from './messages/paths.js';
import { openAIErrors } from './openai-error.js';
import type { Surface } from './surface.js';

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
  { label, provider, model, type, created = 0, contextLength }: CallableModel,
): ModelEntry {
  const facts = catalog.lookup(provider, model);
  return {
    id: label,
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
  directory.refresh();
  const entries = names.callable(keyModels).map((listed) => entryOf(snapshot, listed));
  const byLabel = new Map(entries.map((entry) => [entry.id, entry]));
  const aliases = names.aliasesFor(keyModels).map((id): ModelEntry => {
    const targets = names.candidatesOf([id]).map(({ label }) => label);
    const first = targets.map((label) => byLabel.get(label)).find((entry) => entry !== undefined);
    return { ...(first ?? auto), id, created: 0, owned_by: 'signalbox', targets };
  });
  return [auto, ...aliases, ...entries];
}

/** The model that answers under a name, which its provider may not list. */
function entryNamed(
  name: string,
  snapshot: GatewaySnapshot,
  keyModels: readonly string[] | null,
): ModelEntry | null {
  const { names, directory } = snapshot;
  const [named] = names.candidatesOf([name], keyModels);
  if (!named?.provider || names.forbiddenReason(named, keyModels) !== null) return null;
  const { label, provider } = named;
  const listed = directory.model(provider, named.model);
  return listed && entryOf(snapshot, { ...listed, label, provider });
}

const openAIList = openAIErrors('models');
const messagesList = messagesErrors('models');

/** The surface of the list, by what a client's SDK sends. */
export const modelListSurface = (headers: IncomingHttpHeaders): Surface =>
  speaksMessages(headers) ? messagesList : openAIList;

const messagesModel = ({ id, created, context_length: length }: ModelEntry): object => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(created * 1000).toISOString().replace('.000Z', 'Z'),
  lifecycle: 'active',
  max_input_tokens: length,
  ...{ capabilities: null, deprecated_at: null, line: null, max_tokens: null, retires_at: null },
});

/** In Anthropic's API. */
const maxListed = 1_000;

/** `GET /v1/models` and, for one entry of that list, `GET /v1/models/<provider>/<model>`. */
export function listModels(parts: GatewayParts): RequestHandler {
  return stage((req, res) => {
    const { snapshot, caller } = contextOf(parts, res).request;
    const entries = listFor(snapshot, caller.models);
    const shapeOf = speaksMessages(req.headers) ? messagesModel : unchanged;
    const [, encoded] = /\/v1\/models\/(.+)$/i.exec(req.path) ?? [];
    if (encoded === undefined) {
      if (shapeOf === unchanged) sendJson(res, 200, { object: 'list', data: entries });
      else {
        const { after_id: after, before_id: before } = req.query;
        // all of them where none is asked for: a client that does not page would miss most
        const normal = Math.max(1, entries.length);
        const max = Math.max(normal, maxListed);
        const { limit } = pageRequestOf(req, { normal, max, code: 'bad_request' });
        const page = listedPage(entries, { after, before, limit });
        sendJson(res, 200, { ...page, data: page.data.map(shapeOf) });
      }
      return 'answered';
    }
    const name = decodeURIComponent(encoded);
    const entry =
      entries.find(({ id }) => id === name) ?? entryNamed(name, snapshot, caller.models);
    if (!entry) throw new GatewayError('not_found', 'model: not found', { field: 'model' });
    sendJson(res, 200, shapeOf(entry));
    return 'answered';
  });
}

const unchanged = (entry: ModelEntry): object => entry;
