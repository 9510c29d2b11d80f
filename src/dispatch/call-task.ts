import type { SlotOwner } from '../async/slot-queue.js';
import { GatewayError } from '../errors.js';
import type { TaskAdapter, TaskAnswer } from '../providers/adapter.js';
import type { Candidate, Limits } from '../chooser/plan.js';
import type { OnAttempt } from './attempt-log.js';
import type { Admission } from './candidate-attempts.js';
import type { Cancellation } from './cancellation.js';
import { BrokenStream, type ExecutionRecord, executePlan } from './execute-plan.js';
import type { Provider } from './provider.js';
import { type AttemptTracer, wholeCall } from './upstream-call.js';

/** A model that may do a task, its provider, and the provider's adapter for the task. */
export interface TaskTarget {
  readonly candidate: Candidate;
  readonly provider: Provider;
  readonly adapter: TaskAdapter;
}

/** A task for models, in the order in which they are tried, and what limits it. */
export interface TaskCall {
  targets: readonly TaskTarget[];
  /** The client's body without `model`. */
  body: Record<string, unknown>;
  limits: Limits;
  cancellation: Cancellation;
  onAttempt: OnAttempt;
  /** Receives the answer to the body, or to each part of a body that was split. */
  onPart: (answer: TaskAnswer, body: Record<string, unknown>) => void;
  admit?: Admission;
  /** As in `PlanExecutionInput`. */
  owner: SlotOwner;
  tracer?: AttemptTracer | null;
}

type TaskOutcome = TaskAnswer & ExecutionRecord;

/**
 * Has a task done with the retries, key rotation and deadlines of completions. A list of texts that
 * is longer than the provider takes is split, and its vectors are joined in order.
 * @throws GatewayError as `executePlan`
 */
export async function callTask(call: TaskCall): Promise<TaskOutcome> {
  const startedAt = performance.now();
  const outcomes: TaskOutcome[] = [];
  // one after another: the caller's limits hold room for one call at a time
  for (const body of partsOf(call)) {
    const leftMs = call.limits.totalTimeoutMs - (performance.now() - startedAt);
    const limits = { ...call.limits, totalTimeoutMs: Math.max(1, leftMs) };
    const outcome = await callOnce({ ...call, body, limits });
    call.onPart(outcome, body);
    outcomes.push(outcome);
  }
  return joined(outcomes);
}

function partsOf({ targets: [first], body }: TaskCall): Record<string, unknown>[] {
  const { input } = body;
  const max = first?.adapter.maxInputs?.(first.candidate.model) ?? Infinity;
  // a list of numbers is one text
  if (!Array.isArray(input) || input.length <= max || typeof input[0] === 'number') return [body];
  return Array.from({ length: Math.ceil(input.length / max) }, (_, part) => ({
    ...body,
    input: input.slice(part * max, (part + 1) * max) as unknown[],
  }));
}

/** Joins embeddings in OpenAI's shape, and sums their tokens and attempts. */
function joined(outcomes: readonly TaskOutcome[]): TaskOutcome {
  const last = outcomes.at(-1)!;
  if (outcomes.length === 1) return last;
  const answers = outcomes.map(({ answer }) => answer as { readonly data: readonly object[] });
  const data = answers.flatMap((answer) => answer.data);
  const promptTokens = totalOf(outcomes.map((outcome) => outcome.promptTokens));
  const costUsd = totalOf(outcomes.map((outcome) => outcome.costUsd));
  const tokens = promptTokens ?? 0;
  const { text: _text, ...rest } = last;
  return {
    ...rest,
    answer: {
      ...answers.at(-1),
      data: data.map((item, index) => ({ ...item, index })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
    promptTokens,
    costUsd: costUsd ?? undefined,
    attempts: outcomes.reduce((sum, { attempts }) => sum + attempts, 0),
    errorTrace: outcomes.flatMap(({ errorTrace }) => errorTrace),
  };
}

/** Null: of one part it is not known. */
const totalOf = (counts: readonly (number | null | undefined)[]): number | null =>
  counts.every((count) => typeof count === 'number')
    ? counts.reduce((sum, count) => sum + count, 0)
    : null;

async function callOnce(call: TaskCall): Promise<TaskOutcome> {
  const { targets, body, limits, cancellation, onAttempt, owner, admit } = call;
  const targetOf = ({ label }: Candidate): TaskTarget | undefined =>
    targets.find(({ candidate }) => candidate.label === label);
  try {
    return await executePlan({
      plan: { candidates: targets.map(({ candidate }) => candidate), limits },
      stream: false,
      callOf: ({ provider, candidate }) => {
        const { adapter } = targetOf(candidate) ?? {};
        if (!adapter) throw new GatewayError('internal', `${provider.name} has no such task`);
        return wholeCall(
          (apiKey) => adapter.buildRequest(body, candidate.model, apiKey),
          (text) => adapter.readAnswer(text, candidate.model, body),
        );
      },
      cancellation,
      providerOf: (candidate) => targetOf(candidate)?.provider,
      onAttempt,
      owner,
      tracer: call.tracer ?? null,
      refusal: { keepsStatus: true, modelField: 'model' },
      ...(admit ? { admit } : {}),
    });
  } catch (error) {
    throw error instanceof BrokenStream ? error.error : error;
  }
}
