import type { Request, RequestHandler, Response } from 'express';
import { anonymous } from '../accounts/caller.js';
import type { KnownPreference } from '../accounts/preference-cache.js';
import { GatewayError, invalidField } from '../errors.js';
import { makePlan } from '../routing/make-plan.js';
import type { Candidate, Plan, RoutingRequest, Taught } from '../routing/plan.js';
import { contextOf, type RequestContext } from './context.js';
import { continuedBy, type Going, rememberChosen } from '../pipeline/continuation.js';
import { keepDigest, keepText } from '../telemetry/requests/kept-content.js';
import { followLinks, type Links, taughtIn } from '../pipeline/links.js';
import type { Parts } from './parts.js';
import { compileSchema, type Validator } from '../config/schema/compile-schema.js';
import {
  candidateOf,
  limitsOf,
  planCompletion,
  type PlannedCall,
} from '../pipeline/plan-request.js';
import { readJsonBody } from './read-body.js';
import type { GatewaySnapshot } from '../pipeline/snapshot.js';
import { sendJson } from './send-json.js';
import { answer, stage } from './stage.js';
import {
  candidateOfEntry,
  type ModelSelectRequest,
  routingRequestOf,
  selectionOf,
} from './surfaces/model-select.js';
import type { CompletionCall, CompletionSurface } from './surfaces/surface.js';

/** What a host's own way of choosing needs: candidates as labels or entries, and how a request is read. */
export interface SelectModelOptions {
  /** Labels `<provider>/<model>`, or whole candidates. Absent: the body's `llm_providers`, else its `models`. */
  candidates?: readonly (string | Candidate)[];
  /** What is known of the request; absent: the body's `messages`, `tools`, `tradeoff` and `max_model_depth`. */
  from?: (req: Request) => RoutingRequest;
}

/** Chooses for a body of model selection and leaves the plan for `planOf(res)` and the stages that follow. */
export function selectModel(parts: Parts): RequestHandler {
  return stage(async (req, res) => {
    const body = req.body as ModelSelectRequest;
    const { context, runtime } = begin(parts, res);
    if (!parts.memory.ids.isReady) await parts.memory.ids.ready();
    const linked = await followLinks(parts, context.caller ?? anonymous, body);
    const taught =
      body.llm_providers.length < 2
        ? null
        : await learnedFor(parts, context, runtime, body, linked);
    const candidates = body.llm_providers.map((entry) =>
      candidateOfEntry(entry, runtime.catalog.identify),
    );
    const request = going(
      parts,
      context,
      { ...routingRequestOf(body), ...linked, taught },
      body,
      candidates.length,
    );
    await plan(parts, context, runtime, request, candidates, 'llm_providers');
    remember(parts, context, request, body);
  });
}

/** Answers model selection with the plan that `selectModel` has left. */
export const sendSelection: RequestHandler = answer((req, res) => {
  const context = contextOf(res);
  if (!context.plan) throw new GatewayError('internal', 'no plan was made');
  const body = req.body as ModelSelectRequest;
  const [first] = context.plan.candidates;
  context.record.provider = first.provider;
  context.record.model = first.model;
  sendJson(
    res,
    200,
    selectionOf(context.plan, body.max_model_depth ?? null, req.query['explain'] === 'true'),
  );
});

/** Plans a completion; `plannedCallOf` reads it in the stage that follows. */
export function planCall(parts: Parts, surface: CompletionSurface): RequestHandler {
  return stage(async (req, res) => {
    const { context, runtime } = begin(parts, res);
    const read = surface.readCall(req.body);
    const links = req.body as Links;
    const linked = await followLinks(parts, context.caller ?? anonymous, links);
    context.record.previousSession = links.previous_session ?? null;
    context.record.preferenceId = links.preference_id ?? null;
    const taught = isChoice(read) ? await learnedFor(parts, context, runtime, links, linked) : null;
    const routing = going(
      parts,
      context,
      linked || taught ? { ...read.routing, ...linked, taught } : read.routing,
      req.body as Going,
      read.models?.length,
    );
    const call = routing === read.routing ? read : { ...read, routing };
    const startedAt = performance.now();
    const planned = await planCompletion(
      call,
      runtime,
      context.caller ?? anonymous,
      surface.invalidCode,
    );
    measure(parts, startedAt, planned.plan);
    context.plan = planned.plan;
    context.planned = planned;
  });
}

/** Where there is but one model, nothing that was learned makes a difference. */
const isChoice = ({ models }: CompletionCall): boolean => models === null || models.length > 1;

const learnedFor = (
  parts: Parts,
  { caller }: RequestContext,
  runtime: GatewaySnapshot,
  links: Links,
  linked: KnownPreference | null,
): Taught | null | Promise<Taught | null> =>
  taughtIn(parts, runtime, caller ?? anonymous, links, linked);

function measure({ metrics }: Parts, startedAt: number, { candidates: [first] }: Plan): void {
  metrics.selection(performance.now() - startedAt);
  if (first.why.explored) metrics.explored();
}

/** The request with the model that answered last in what it goes on with, where there is a choice and somebody knows. */
function going(
  parts: Parts,
  context: RequestContext,
  request: RoutingRequest,
  links: Omit<Going, 'messages' | 'tools'>,
  candidates = 2,
): RoutingRequest {
  if (candidates < 2 || request.continued) return request;
  const { conversationId = null, previous_session = null } = links;
  const continued = continuedBy(parts, context, {
    conversationId,
    previous_session,
    messages: request.messages,
    tools: request.tools ?? [],
  });
  return continued ? { ...request, continued } : request;
}

/** A label of a configured provider says itself whose it is. */
function candidateOfLabel(label: string, runtime: GatewaySnapshot): Candidate {
  const candidate = candidateOf(label);
  return runtime.providers.has(candidate.provider ?? '')
    ? candidate
    : candidateOfEntry({ name: label }, runtime.catalog.identify);
}

/** Validates a completion on a host's own route as on the gateway's own; the models of a plan that `selectModel` has left there are its `models`. */
export function validateHostCall(surface: CompletionSurface): RequestHandler {
  const schema = compileSchema('completions.request');
  return stage((req, res) => {
    const failure = schema.firstFailure(plannedBody(req, res));
    if (failure) throw invalidField(failure.field, failure.reason, surface.invalidCode);
  });
}

/** Plans a valid completion for a host's own route. A plan that `selectModel` has left there is carried out as it is; otherwise the body's `models` are planned as on the gateway's own route. */
export function planHostCall(parts: Parts, surface: CompletionSurface): RequestHandler {
  const planOwn = planCall(parts, surface);
  const takeMade = stage((req, res) => {
    const context = contextOf(res);
    if (context.plan)
      context.planned = {
        call: surface.readCall(plannedBody(req, res)),
        plan: context.plan,
        passedOver: [],
      };
  });
  return (req, res, next) => (contextOf(res).plan ? takeMade : planOwn)(req, res, next);
}

function plannedBody(req: Request, res: Response): Record<string, unknown> {
  const { plan: made } = contextOf(res);
  const body = req.body as Record<string, unknown>;
  return made ? { ...body, models: made.candidates.map(nameOf) } : body;
}

/** The label of a planned candidate is the host's own word; this is what it stands for. */
const nameOf = ({ provider, model }: Candidate): string => `${provider ?? '?'}/${model}`;

/** Reads a JSON body where no parser of the host has read it yet. Where none is required, one that is absent or no JSON stays with the host. */
export function readBody(
  parts: Parts,
  { required }: { required: boolean } = { required: true },
): RequestHandler {
  return stage(async (req, res) => {
    const { runtime } = begin(parts, res);
    if (!required && !announcesJson(req)) return;
    req.body = (await readJsonBody(req, runtime.limits.maxBodyBytes)) as object;
    if (typeof req.body !== 'object' || req.body === null || Array.isArray(req.body))
      throw invalidField('body', 'must be an object', 'bad_request');
  });
}

const announcesJson = ({ headers }: Request): boolean =>
  /json/i.test(headers['content-type'] ?? '') &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/** @throws GatewayError `internal` where `planCall` has not run */
export function plannedCallOf(res: Response): PlannedCall {
  const { planned } = contextOf(res);
  if (!planned) throw new GatewayError('internal', 'no completion was planned');
  return planned;
}

/** A host's body: model selection's, where a list of labels may stand for `llm_providers`. */
type HostBody = Partial<ModelSelectRequest> & {
  models?: string[] | null;
  conversationId?: unknown;
};

/** The stage for a host's own route: never answers, only calls `next`. */
export function selectModelWith(parts: Parts, options: SelectModelOptions): RequestHandler {
  const schema = compileSchema<ModelSelectRequest>('model-select.request');
  return stage(async (req, res) => {
    const { context, runtime } = begin(parts, res);
    if (!parts.memory.ids.isReady) await parts.memory.ids.ready();
    const body = (req.body ?? {}) as HostBody;
    checkHostBody(schema, body, options);
    const linked = options.from
      ? null
      : await followLinks(parts, context.caller ?? anonymous, body);
    const taught = await learnedFor(parts, context, runtime, options.from ? {} : body, linked);
    const asked = {
      ...(options.from?.(req) ?? {
        ...routingRequestOf({ ...body, messages: body.messages ?? [], llm_providers: [] }),
        ...linked,
      }),
      taught,
    };
    const entries = options.candidates ?? body.llm_providers ?? body.models ?? runtime.routing.auto;
    const candidates = entries.map((entry) =>
      typeof entry === 'string'
        ? candidateOfLabel(entry, runtime)
        : 'label' in entry
          ? entry
          : candidateOfEntry(entry, runtime.catalog.identify),
    );
    const request = going(parts, context, asked, options.from ? {} : body, candidates.length);
    await plan(
      parts,
      context,
      runtime,
      request,
      candidates,
      body.llm_providers ? 'llm_providers' : 'models',
    );
    remember(parts, context, request, options.from ? {} : body);
  });
}

/** What is asked of the body is model selection's, less what the host says itself. */
function checkHostBody(
  schema: Validator<ModelSelectRequest>,
  body: HostBody,
  { candidates, from }: SelectModelOptions,
): void {
  const conversation = from ? { messages: [{ role: 'user', content: '' }] } : body;
  const entries = candidates ? null : body.llm_providers;
  const failure = schema.firstFailure({
    ...conversation,
    llm_providers: entries ?? [{ name: 'any' }],
  });
  if (failure) throw invalidField(failure.field, failure.reason, 'bad_request');
  const models: unknown = candidates || entries ? null : body.models;
  if (models && !(Array.isArray(models) && models.every((label) => typeof label === 'string')))
    throw invalidField('models', 'must be a list of model names', 'bad_request');
}

function begin(parts: Parts, res: Response): { context: RequestContext; runtime: GatewaySnapshot } {
  const context = contextOf(res);
  return { context, runtime: (context.runtime ??= parts.current()) };
}

async function plan(
  parts: Parts,
  context: RequestContext,
  runtime: GatewaySnapshot,
  request: RoutingRequest,
  candidates: readonly Candidate[],
  field: string,
): Promise<Plan> {
  const startedAt = performance.now();
  const made = await makePlan({
    id: parts.memory.ids.make((context.caller ?? anonymous).accountId),
    request,
    candidates,
    ranker: runtime.ranker,
    catalog: runtime.catalog,
    latencies: runtime.latencies,
    limits: limitsOf(runtime, null),
    allow: runtime.routing.allow,
    deny: runtime.routing.deny,
    keyModels: context.caller?.models ?? null,
    blame: { field, code: 'bad_request' },
  });
  measure(parts, startedAt, made);
  context.plan = made;
  rememberChosen(parts, context, made.id, made.candidates[0]);
  return made;
}

/** Puts the decision down; of its content a hash where the request asks for that, the text where the configuration does, else nothing. */
function remember(
  parts: Parts,
  context: RequestContext,
  { messages, tradeoff = null }: RoutingRequest,
  links: Links & Pick<Partial<ModelSelectRequest>, 'hash_content'>,
): void {
  const { record, runtime } = context;
  record.preferenceId = links.preference_id ?? null;
  if (!runtime?.requestLog.enabled) return;
  record.previousSession = links.previous_session ?? null;
  record.content = links.hash_content
    ? keepDigest(messages)
    : runtime.requestLog.content
      ? keepText(messages)
      : null;
  parts.memory.requestLog.addDecision(context, {
    previousId: record.previousSession,
    tradeoff,
    preferenceId: links.preference_id ?? null,
  });
}
