import type { Request, RequestHandler, Response } from 'express';
import { compileSchema, type Validator } from '../config/schema/compile-schema.js';
import { GatewayError, invalidField } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { selectModel, type SelectionQuestion } from '../pipeline/select-model.js';
import type { GatewaySnapshot } from '../pipeline/engine/snapshot.js';
import type { Candidate, RoutingRequest } from '../chooser/plan.js';
import { bodyLimits } from './bodies/body-limits.js';
import { admitHostCall } from './authenticate.js';
import { complete } from './complete.js';
import { contextOf } from './context.js';
import { readJsonBody } from './bodies/read-body.js';
import { countRequestStage } from './select-model.js';
import { inOrder, stage } from './stage.js';
import {
  candidatesOf,
  type ModelSelectRequest,
  type ProviderEntry,
  routingRequestOf,
} from './surfaces/model-select.js';
import { native } from './surfaces/native.js';
import type { CompletionSurface } from './surfaces/surface.js';
import { track } from './track.js';
import { waitForSlot } from './wait-for-slot.js';

/** What a host offers: labels `<provider>/<model>`, or whole candidates. */
export type HostCandidates = readonly (string | Candidate)[];

/** How a host app selects a model: its candidates, and how it reads its own requests. */
export interface SelectModelOptions {
  /**
   * Labels `<provider>/<model>`, or whole candidates; or a function that lists them for a request.
   * Default: the body's `llm_providers`, else its `models`.
   */
  candidates?: HostCandidates | ((req: Request) => HostCandidates | Promise<HostCandidates>);
  /**
   * Describes the request to routing. Default: the body's `messages`, `tools`, `tradeoff` and
   * `max_model_depth`.
   */
  from?: (req: Request) => RoutingRequest;
}

/** The body of a host's route: that of model selection, or with `models` for `llm_providers`. */
type HostBody = Partial<ModelSelectRequest> & {
  models?: string[] | null;
  conversationId?: unknown;
};

/**
 * `gateway.selectModelWith`: reads the body, counts the request and chooses.
 * @throws TypeError for options of the wrong type
 */
export function hostSelection(parts: GatewayParts, options: SelectModelOptions): RequestHandler {
  checkOptions(options);
  return inOrder(
    admitHostCall(parts, 'model-select'),
    readBody(parts, { required: !options.from }),
    countRequestStage(parts),
    selectModelWith(parts, options),
  );
}

/** `gateway.complete`: a native completion on a host's own route. */
export const hostCompletion = (parts: GatewayParts): RequestHandler =>
  inOrder(
    track(parts, native, true),
    admitHostCall(parts, 'completions'),
    waitForSlot(parts),
    readBody(parts),
    validateHostCall(parts, native),
    complete(parts, native, (req, res) => plannedBody(parts, req, res)),
  );

/**
 * Reads a JSON body that the host's own parser has not read. If it is not required, a body that is
 * absent or not JSON is left to the host.
 */
const readBody = (
  parts: GatewayParts,
  { required }: { required: boolean } = { required: true },
): RequestHandler =>
  stage(async (req, res) => {
    if (!required && !announcesJson(req)) return;
    const body: unknown = await readJsonBody(req, bodyLimits(parts, res));
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw invalidField('body', 'must be an object', 'bad_request');
    req.body = body;
  });

const announcesJson = ({ headers }: Request): boolean =>
  /json/i.test(headers['content-type'] ?? '') &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/** The stage for a host's own route: selects a model and calls `next`; it never answers. */
function selectModelWith(parts: GatewayParts, options: SelectModelOptions): RequestHandler {
  const schema = compileSchema<ModelSelectRequest>('model-select.request');
  return stage(async (req, res) => {
    const { request } = contextOf(parts, res);
    const body = (req.body ?? {}) as HostBody;
    checkHostBody(schema, body, options);
    await selectModel(parts, request, await questionOf(req, body, options, request.snapshot));
  });
}

async function questionOf(
  req: Request,
  body: HostBody,
  { from, candidates: given }: SelectModelOptions,
  snapshot: GatewaySnapshot,
): Promise<SelectionQuestion> {
  const routing = from?.(req) ?? routingRequestOf(body);
  const field = body.llm_providers ? 'llm_providers' : 'models';
  const candidates = typeof given === 'function' ? await given(req) : given;
  if (typeof given === 'function' && !isCandidates(candidates))
    throw new GatewayError('internal', `selectModelWith: candidates(req) ${mustBeCandidates}`);
  const entries: readonly (string | Candidate | ProviderEntry)[] =
    candidates ?? body.llm_providers ?? body.models ?? snapshot.directory.auto();
  if (entries.length === 0) throw invalidField('models', nothingToChoose, 'bad_request');
  return {
    routing,
    links: from ? {} : body,
    // V8 may put a list that grows into the old generation, where it keeps all of its candidates
    candidates: entries.flatMap((entry, index) => {
      if (typeof entry === 'object' && 'label' in entry) return entry;
      const read = typeof entry === 'string' ? { name: entry } : entry;
      return candidatesOf(read, snapshot.names, () => `${field}[${index}]`);
    }),
    explain: true,
    field,
    hashContent: !from && (body.hash_content ?? false),
  };
}

const nothingToChoose =
  'there is nothing to choose from: send `models` or `llm_providers` in the body, give candidates to selectModelWith, or configure `providers` or `models` of the gateway';

const mustBeCandidates =
  'must be a list of labels <provider>/<model> or of candidates with label, provider and model';

const isCandidates = (value: unknown): value is HostCandidates =>
  Array.isArray(value) &&
  value.every(
    (entry: unknown) =>
      typeof entry === 'string' ||
      (typeof entry === 'object' &&
        entry !== null &&
        'label' in entry &&
        typeof entry.label === 'string'),
  );

/** @throws TypeError: a host without TypeScript would otherwise see it only in its answers */
function checkOptions({ candidates, from }: SelectModelOptions): void {
  if (candidates !== undefined && typeof candidates !== 'function' && !isCandidates(candidates))
    throw new TypeError(
      `selectModelWith: candidates ${mustBeCandidates}, or a function that returns one for a request`,
    );
  if (from !== undefined && typeof from !== 'function')
    throw new TypeError('selectModelWith: from must be a function that describes a request');
}

/** Checks the body against model selection's schema, except what the host's options replace. */
function checkHostBody(
  schema: Validator<ModelSelectRequest>,
  body: HostBody,
  { candidates, from }: SelectModelOptions,
): void {
  const conversation = from ? { messages: [{ role: 'user', content: '' }] } : body;
  const entries = candidates ? null : body.llm_providers;
  const failure = schema.firstFailure(
    Object.assign({}, conversation, { llm_providers: entries ?? [{ name: 'any' }] }),
  );
  if (failure) throw invalidField(failure.field, failure.reason, 'bad_request');
  const models: unknown = candidates || entries ? null : body.models;
  if (models && !(Array.isArray(models) && models.every((label) => typeof label === 'string')))
    throw invalidField('models', 'must be a list of model names', 'bad_request');
}

/** Validates a host's completion; the candidates of `selectModel`'s plan are its `models`. */
function validateHostCall(parts: GatewayParts, surface: CompletionSurface): RequestHandler {
  const schema = compileSchema('completions.request');
  return stage((req, res) => {
    const failure = schema.firstFailure(plannedBody(parts, req, res));
    if (failure) throw invalidField(failure.field, failure.reason, surface.invalidCode);
  });
}

function plannedBody(parts: GatewayParts, req: Request, res: Response): Record<string, unknown> {
  const { plan } = contextOf(parts, res).request;
  const body = native.adapt?.(req.body) as Record<string, unknown>;
  return plan ? { ...body, models: plan.candidates.map(nameOf) } : body;
}

/** `<provider>/<model>`: a candidate's label may be a name of the host's own. */
const nameOf = ({ provider, model }: Candidate): string => `${provider ?? '?'}/${model}`;
