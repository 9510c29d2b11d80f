import type { Usage } from '../../../completion.js';
import type { ResponseTurn } from '../../../conversations/response-keeper.js';
import type { FinishedAnswer } from '../../../pipeline/completion-call.js';
import type { GatewayError } from '../../../errors.js';
import type { Candidate } from '../../../chooser/plan.js';
import type { FieldWarning } from '../../../pipeline/request.js';
import { isSearchTool } from '../openai-search.js';
import { openAIErrorBody } from '../openai-error.js';
import { type AnsweredCall, getsOriginal, leftOut } from '../surface.js';
import { jsonList, type ResponsesBody } from './body.js';
import { CompactionItem } from './compaction.js';
import { type FlatTool, flatTools } from './flat-tools.js';
import { onlyOriginal } from './only-original.js';
import { type EventSink, OutputItems } from './output-items.js';
import { type Json, namesIn, textIn } from '../../../text/is-object.js';

/** The response object of an answer that was translated into this dialect. */
export class Envelope {
  private readonly createdAt = Math.floor(Date.now() / 1000);
  private readonly body: ResponsesBody;
  private tools: ReadonlyMap<string, FlatTool> | null = null;
  private echo: Json | null = null;

  /** What answers; null: not known yet. */
  candidate: Candidate | null = null;

  constructor(
    private readonly turn: ResponseTurn,
    private readonly answered: Pick<AnsweredCall, 'request' | 'call'>,
  ) {
    this.body = turn.body as ResponsesBody;
  }

  /** What makes the output: the items of an answer, or the summary that was asked for. */
  items(sink: EventSink): OutputItems | CompactionItem {
    const { seal } = this.turn;
    if (seal) return new CompactionItem(sink, seal);
    const namesPages = this.body.include?.includes('web_search_call.action.sources');
    const toolOf = (name: string): FlatTool | undefined =>
      (this.tools ??= flatTools(this.body)).get(name);
    return new OutputItems(sink, toolOf, namesPages);
  }

  /** Whether the client asked for OpenAI's tool for web search. */
  get hasSearchTool(): boolean {
    return jsonList(this.body.tools).some(({ type }) => isSearchTool({ type: textIn(type) }));
  }

  /** The client has got this response of a provider's, which others are to end. */
  follow(begun: Json): void {
    this.echo = begun;
  }

  /** While the answer is written. */
  begun(model: string): Json {
    return this.response(model, { status: 'in_progress' });
  }

  ended(model: string, output: readonly Json[], { finishReason, usage }: FinishedAnswer): Json {
    const reason = incompleteReason(finishReason);
    return this.response(model, {
      status: reason === null ? 'completed' : 'incomplete',
      completed_at: reason === null ? Math.floor(Date.now() / 1000) : null,
      incomplete_details: reason === null ? null : { reason },
      output,
      usage: usageOf(usage),
    });
  }

  failed(model: string, output: readonly Json[], error: GatewayError): Json {
    return this.response(model, { status: 'failed', error: responseError(error), output });
  }

  private response(model: string, state: Json): Json {
    const { id } = this.turn;
    const fixed = { id, object: 'response', created_at: this.createdAt, model };
    const response = { ...fixed, ...(this.echo ??= this.echoed()), ...state };
    // a response that a provider has begun keeps the provider's id
    if (response.id === id) this.recordId();
    return response;
  }

  /** A provider's own response with the ids and the turn that are the gateway's. */
  own(response: Json): Json {
    const { id, previousId, stores } = this.turn;
    this.recordId();
    return { ...response, id, previous_response_id: previousId, store: stores };
  }

  /** The client gets the gateway's id, by which the request log finds the answer. */
  private recordId(): void {
    this.answered.request.record.responseId = this.turn.id;
  }

  /** What the request said, with the defaults of the dialect. */
  private echoed(): Json {
    const { body, turn, candidate } = this;
    const { request, call } = this.answered;
    const isForwarded = candidate && getsOriginal(request, call, 'responses', candidate);
    const left = candidate ? leftOut(request, call, candidate, ownNames) : [];
    const warnings = (isForwarded ? [] : [...onlyOriginal(body).dropped, ...left])
      // the gateway searches for the model
      .filter((field) => !(request.grounding && field.startsWith('tools: web_search')))
      .map((field): FieldWarning => ({ field, message: 'this model answered without it' }));
    return {
      ...Object.fromEntries(nullable.map((field) => [field, body[field] ?? null])),
      ...Object.fromEntries(defaults.map(([field, value]) => [field, body[field] ?? value])),
      tools: jsonList(body.tools).map((tool) =>
        tool['type'] === 'function' ? { parameters: null, strict: null, ...tool } : tool,
      ),
      output: [],
      previous_response_id: turn.previousId,
      reasoning: { effort: null, summary: null, ...body.reasoning },
      store: turn.stores,
      text: { format: { type: 'text' }, ...body.text },
      // not OpenAI's: what this answer was made without
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  }
}

/** Fields of the canonical request whose names are others here. */
const ownNames = {
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning',
  response_format: 'text',
  verbosity: 'text.verbosity',
  logprobs: 'top_logprobs',
};

/** Fields that a response has always, and what they are where the request does not say it. */
const nullable = namesIn(`
  completed_at error incomplete_details instructions max_output_tokens max_tool_calls
  prompt_cache_key safety_identifier temperature top_p usage user
`);
const defaults: readonly (readonly [field: string, value: unknown])[] = Object.entries({
  ...{ background: false, metadata: {}, parallel_tool_calls: true, service_tier: 'default' },
  ...{ tool_choice: 'auto', top_logprobs: 0, truncation: 'disabled' },
});

const reasons = new Map([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);
const incompleteReason = (finishReason: string | null): string | null =>
  reasons.get(finishReason ?? '') ?? null;

/** The status of the items of an answer. */
export const itemStatus = (finishReason: string | null): 'completed' | 'incomplete' =>
  incompleteReason(finishReason) === null ? 'completed' : 'incomplete';

const usageOf = (usage: Usage): Json => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: {
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.promptTokens + usage.completionTokens,
});

/**
 * An error inside a response. Agents decide by its code: they send the same request again for
 * `server_error` and `rate_limit_exceeded` (Codex 0.169: up to five times), and stop for others.
 */
function responseError(error: GatewayError): { code: string; message: string } {
  const { code, message } = openAIErrorBody(error).error;
  const isOwn = error.clientError?.code === undefined || error.clientError.code === null;
  const isServer = error.status >= 500 && isOwn;
  const { retryAfterMs: wait } = error;
  // Codex reads how long to wait from the text
  const advice =
    code === 'rate_limit_exceeded' && wait !== null
      ? ` Please try again in ${Math.ceil(wait / 1000)}s.`
      : '';
  return { code: isServer ? 'server_error' : code, message: message + advice };
}
