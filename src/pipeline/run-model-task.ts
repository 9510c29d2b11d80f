import {
  budgetOwner,
  hasTokenLimit,
  isLimited,
  type LimitOwner,
} from '../accounts/caller-limits.js';
import { makeUsage, type Usage } from '../completion.js';
import { callTask, type TaskTarget } from '../dispatch/call-task.js';
import { GatewayError, invalidField } from '../errors.js';
import type { TaskAnswer } from '../providers/adapter.js';
import { unpricedEmbeddingField, unpricedRerankField } from '../providers/unpriced-fields.js';
import { costOf } from '../models/cost.js';
import { bytesPerToken, maxCostUsd, maxPromptTokens } from '../models/max-cost.js';
import type { ModelFacts } from '../models/model-facts.js';
import type { Candidate } from '../chooser/plan.js';
import { estimateTokens } from '../models/tokens.js';
import { keepText } from '../telemetry/requests/kept-content.js';
import { reserveLimits } from './limits.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import { withAdvice } from './engine/model-names.js';
import { limitsOf } from './plan-request.js';
import type { GatewayRequest } from './request.js';
import {
  type AttemptCharge,
  type AttemptUse,
  type AttemptUses,
  type EndedAttempt,
  RequestReservation,
} from './request-reservation.js';
import { refuseOtherModels } from './plan-request.js';
import { unpricedFieldReason, unpricedReason } from './unbounded-reason.js';

/** A body that names its model and, for some tasks, models that may take over. */
export interface TaskRequest {
  readonly model: string;
  readonly fallback_models?: readonly string[] | null;
  readonly [field: string]: unknown;
}

type Body = Readonly<Record<string, unknown>>;

/** A task of a model other than completing. */
export interface ModelTask {
  readonly kind: 'embeddings' | 'reranking';
  /** Whether other models may take over: not where answers of different models are incompatible. */
  readonly fallsBack: boolean;
  /** What the request log keeps. */
  contentOf(body: Body): unknown;
  /** The texts that its model reads, each with how many times. */
  textsOf(body: Body): readonly (readonly [text: string, times: number])[];
  /** The most units of search that a provider may bill for it. */
  searchesOf(body: Body): number;
  /** The first field that may cost more than the task itself; null: none. */
  unpricedField(body: Body): string | null;
}

/** Vectors of texts. Those of different models cannot be compared. */
export const embedding: ModelTask = {
  kind: 'embeddings',
  fallsBack: false,
  contentOf: ({ input }) => input,
  textsOf: ({ input }) => [[JSON.stringify(input ?? ''), 1]],
  searchesOf: () => 0,
  unpricedField: unpricedEmbeddingField,
};

/** Providers that bill searches count 100 documents as one, and pieces of about 500 tokens as documents. */
const documentsPerSearch = 100;
const tokensPerDocument = 500;

/** Orders documents by how well they answer a query, which the model reads again with each. */
export const reranking: ModelTask = {
  kind: 'reranking',
  fallsBack: true,
  contentOf: ({ query, documents }) => ({ query, documents }),
  textsOf: ({ query, documents }) => [
    [JSON.stringify(query), (documents as readonly unknown[]).length],
    [JSON.stringify(documents), 1],
  ],
  searchesOf: ({ query, documents }) => {
    const list = documents as readonly unknown[];
    const bytes = Buffer.byteLength(JSON.stringify(documents));
    const room = Math.max(1, tokensPerDocument - Buffer.byteLength(String(query)));
    return Math.ceil((list.length + bytes / room) / documentsPerSearch);
  },
  unpricedField: unpricedRerankField,
};

/**
 * Has a task done by the first model with its retries, then by others where the task allows it.
 * @throws GatewayError `model_not_found` for an unknown model, `bad_request` for one that the
 * caller may not use or whose provider does not have the task, and the errors of limits and attempts
 */
export async function runModelTask(
  parts: GatewayParts,
  request: GatewayRequest,
  task: ModelTask,
  { model: label, fallback_models: others, ...body }: TaskRequest,
): Promise<TaskAnswer> {
  const { snapshot, caller, record } = request;
  refuseOtherModels(request, [body], 'bad_request');
  const targets = targetsOf(request, task, [label, ...((task.fallsBack && others) || [])]);
  const { enabled, content } = snapshot.requestLog;
  request.prompt = task.contentOf(body);
  if (enabled && content) record.content = keepText(request.prompt);
  const candidates = targets.map(({ candidate }) => candidate);
  const reservation = await reserveTask(parts, request, task, candidates, body);
  const estimated = (part: Body = body): Usage =>
    makeUsage({ promptTokens: tokensOf(task, part, estimateTokens), estimated: true });
  try {
    const { cancellation } = request;
    const outcome = await parts.state.running.run(cancellation, () =>
      callTask({
        targets,
        body,
        limits: limitsOf(snapshot, null),
        cancellation,
        owner: caller,
        tracer: request.trace,
        onAttempt: (attempt, failed) => {
          record.attempts.push(attempt);
          snapshot.onAttempt(attempt);
          const hasLeft = failed?.mayBeBilled === true && attempt.outcome === 'client_closed';
          reservation?.ended(attempt, failed, hasLeft ? estimated() : null);
        },
        onPart: (answer, part) => reservation?.answeredPart(statedUsage(answer) ?? estimated(part)),
        ...(reservation ? { admit: reservation.admit } : {}),
      }),
    );
    account(request, outcome.candidate, statedUsage(outcome) ?? estimated());
    return outcome;
  } catch (error) {
    const last = record.attempts.at(-1);
    // the provider worked for a client that left, and charges for it
    if (last?.outcome === 'client_closed') account(request, last, estimated());
    if (error instanceof GatewayError && candidates[0])
      throw withAdvice(error, snapshot.names, candidates[0], caller.models);
    throw error;
  } finally {
    reservation?.settle();
  }
}

/** Null: the provider stated none. */
const statedUsage = ({ promptTokens, searches, costUsd }: TaskAnswer): Usage | null =>
  promptTokens === null && searches === undefined
    ? null
    : makeUsage({ promptTokens, webSearches: searches ?? null, costUsd: costUsd ?? null });

/**
 * The usable models of the names; only the first one where no other may take over.
 * @throws GatewayError the reason of the first name where none is usable
 */
function targetsOf(
  request: GatewayRequest,
  task: ModelTask,
  names: readonly string[],
): TaskTarget[] {
  const candidates = request.snapshot.names.candidatesOf(names);
  request.asked = candidates[0] ?? null;
  const targets: TaskTarget[] = [];
  let refusal: unknown;
  for (const candidate of candidates)
    try {
      targets.push(targetOf(request, task, candidate));
      if (!task.fallsBack) break;
    } catch (error) {
      refusal ??= error;
    }
  const [first] = targets;
  if (!first) throw refusal;
  request.asked = first.candidate;
  return targets;
}

/** @throws GatewayError if a model cannot be used, or its provider does not have the task */
function targetOf(
  { snapshot, caller }: GatewayRequest,
  { kind }: ModelTask,
  candidate: Candidate,
): TaskTarget {
  const unknown = snapshot.names.unknownReason(candidate, caller.models);
  const provider = snapshot.providers.get(candidate.provider ?? '');
  if (unknown !== null || !provider)
    throw new GatewayError('model_not_found', `model: ${unknown ?? 'not found'}`, {
      field: 'model',
    });
  const forbidden = snapshot.names.forbiddenReason(candidate, caller.models);
  if (forbidden !== null) throw invalidField('model', forbidden, 'bad_request');
  const adapter = provider.adapter[kind];
  if (!adapter)
    throw invalidField('model', `provider ${provider.name} has no ${kind}`, 'bad_request');
  return { candidate, provider, adapter };
}

/** The tokens that a task reads, by a count for one text. */
const tokensOf = (task: ModelTask, body: Body, count: (text: string) => number): number =>
  task.textsOf(body).reduce((sum, [text, times]) => sum + times * count(text), 0);

/** Counts every byte too: an estimate alone looks only at samples of a long text. */
const cautiousTokens = (text: string): number =>
  Math.max(estimateTokens(text), Math.ceil(Buffer.byteLength(text) / bytesPerToken));

/** Reserves what one attempt may use at most; a task writes no tokens. Null: no limit applies. */
async function reserveTask(
  parts: GatewayParts,
  request: GatewayRequest,
  task: ModelTask,
  candidates: readonly Candidate[],
  body: Body,
): Promise<RequestReservation | null> {
  if (!isLimited(request.caller)) return null;
  const uses = new TaskUses(request, task, candidates, body);
  const granted = await reserveLimits(parts, request, { requests: 1, ...uses.maxFrom() });
  return new RequestReservation(
    request,
    uses,
    (most) => reserveLimits(parts, request, most),
    granted,
  );
}

/** What each attempt of a task uses of its caller's limits: the most of any of its models. */
class TaskUses implements AttemptUses {
  private readonly most: AttemptUse;

  /** @throws GatewayError `bad_request` for a model without a price, for a caller with a budget */
  constructor(
    private readonly request: GatewayRequest,
    private readonly task: ModelTask,
    candidates: readonly Candidate[],
    private readonly body: Body,
  ) {
    const { caller } = request;
    const owner = budgetOwner(caller);
    const costs = owner === null ? [] : candidates.flatMap((one) => this.maxCost(one, owner) ?? []);
    this.most = {
      tokens: hasTokenLimit(caller) ? tokensOf(task, body, cautiousTokens) : null,
      costUsd: costs.length === 0 ? null : Math.max(...costs),
    };
  }

  maxFrom(): AttemptUse {
    return this.most;
  }

  chargeOf(candidate: Candidate, { usage }: EndedAttempt): AttemptCharge {
    const { tokens, costUsd } = this.most;
    const isStated = usage?.estimated === false;
    const { total_tokens_cost: cost = null } =
      usage === null ? {} : costOf(usage, this.factsOf(candidate));
    const spentUsd = cost ?? 0;
    return {
      // a provider that bills searches states no tokens
      tokens:
        tokens !== null && isStated && usage.webSearches === undefined
          ? usage.promptTokens
          : tokens,
      costUsd: costUsd !== null && isStated ? spentUsd : costUsd,
      spentUsd,
    };
  }

  private factsOf({ provider, model }: Candidate): ModelFacts {
    return this.request.snapshot.catalog.lookup(provider, model);
  }

  private maxCost(candidate: Candidate, owner: LimitOwner): number | null {
    const { task, body } = this;
    const facts = this.factsOf(candidate);
    const again = task.textsOf(body).map(([text, times]) => (times - 1) * Buffer.byteLength(text));
    const promptTokens = again.reduce(
      (sum, tokens) => sum + tokens,
      maxPromptTokens({ messages: [], body }),
    );
    const searches = task.searchesOf(body);
    const costUsd = maxCostUsd({ promptTokens, completionTokens: 0, searches }, facts);
    if (this.request.snapshot.budgets.allowUnpriced) return costUsd;
    const field = task.unpricedField(body);
    if (field !== null) throw invalidField(field, unpricedFieldReason(owner), 'bad_request');
    if (costUsd === null || facts.requestPrice !== null)
      throw invalidField('model', unpricedReason(candidate, owner), 'bad_request');
    return costUsd;
  }
}

/** Records who answered and what it took. */
function account(
  { record, snapshot }: GatewayRequest,
  { provider, model }: Pick<Candidate, 'provider' | 'model'>,
  usage: Usage,
): void {
  record.provider = provider;
  record.model = model;
  record.promptTokens = usage.promptTokens;
  record.completionTokens = 0;
  record.costUsd = costOf(usage, snapshot.catalog.lookup(provider, model)).total_tokens_cost;
  record.estimatedUsd = usage.estimated ? (record.costUsd ?? 0) : 0;
}
