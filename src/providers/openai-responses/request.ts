import type { ChatRequest, ToolDefinition } from '../../completion.js';
import type { ModelCall, OriginalRequest } from '../adapter.js';
import { nearestEffort } from '../asked-effort.js';
import { unsupported } from '../failure.js';
import { type Fields, isObject, nameSet, omit, pick, present } from '../../text/is-object.js';
import { withPairedCalls } from '../strict-history.js';
import { responsesInput } from './input.js';
import { searchFields } from './web-search.js';

const callIdForm = { refused: /[^\x20-\x7e]/g, maxLength: 64 };

/** Models known to reason. Others refuse a request for encrypted reasoning (2026-11). */
const reasoningModel = /(^|[/.])(o[1-9]|gpt-[5-9](?!.*chat)|codex|grok-(3-mini|4|code))/;

/** Fields of the chat API that are translated, or have no meaning here. */
const translated = nameSet(`
  messages max_tokens max_completion_tokens tools tool_choice response_format reasoning
  reasoning_effort text verbosity include web_search_options stream stream_options stop n seed
  logprobs prediction functions function_call modalities audio cache_control top_k min_p
  repetition_penalty presence_penalty frequency_penalty logit_bias top_a thinking enable_thinking
  chat_template_kwargs extra_body google
`);

/**
 * The body of `POST /responses`. The provider stores nothing unless the request says so; fields
 * that the chat API does not have are passed on.
 * @param askedModel our name of the model; the call has the provider's
 * @throws GatewayError `request_refused` for several choices and audio
 */
export function responsesBody(provider: string, call: ModelCall, askedModel = call.model): Fields {
  const { request } = call;
  if ((request.n ?? 1) > 1) throw unsupported(provider, 'more than one choice');
  const search = searchFields(request, [askedModel, call.model]);
  const tools = toolList(provider, request, search.tool);
  return {
    store: false,
    ...Object.fromEntries(
      Object.entries(request).filter(
        ([field, value]) => value !== undefined && value !== null && !translated.has(field),
      ),
    ),
    model: call.model,
    ...responsesInput(provider, withPairedCalls(request.messages, callIdForm)),
    ...(call.stream ? { stream: true } : {}),
    ...present({
      max_output_tokens: outputLimit(request),
      tools,
      tool_choice: search.choice ?? (tools && toolChoice(request.tool_choice)),
      max_tool_calls: search.maxCalls ?? request['max_tool_calls'],
      reasoning: reasoningField(request, search.tool !== undefined),
      text: textField(request),
      include: includeField(request, call.model, search.include ?? []),
    }),
  };
}

/** OpenAI refuses limits below 16 (2026-11). */
function outputLimit({ max_completion_tokens: limit, max_tokens: older }: ChatRequest) {
  const asked = limit ?? older;
  return typeof asked === 'number' ? Math.max(16, asked) : asked;
}

const foreignEfforts = nameSet('thinking enable_thinking');

/** A client's own body for a call, with the limit and the effort that the gateway adds to it. */
export function forwardedBody(
  { body }: OriginalRequest,
  { request, model, stream }: ModelCall,
): Fields {
  const limit = request.max_completion_tokens ?? request.max_tokens;
  const reasoning = body['reasoning'] as { effort?: unknown } | null | undefined;
  const effort = request.reasoning_effort;
  // other words for a level of effort; what names none may be a field of the provider's own
  const isForeign = Boolean(nearestEffort({ messages: [], ...pick(body, foreignEfforts) }));
  return {
    ...(isForeign ? omit(body, foreignEfforts) : body),
    model,
    ...(stream || body['stream'] !== undefined ? { stream } : {}),
    ...(limit && !body['max_output_tokens'] ? { max_output_tokens: limit } : {}),
    ...(effort && !reasoning?.effort ? { reasoning: { ...reasoning, effort } } : {}),
  };
}

function reasoningField(request: ChatRequest, searches: boolean): object | undefined {
  const given = isObject(request['reasoning'])
    ? pick(request['reasoning'], ['effort', 'summary', 'generate_summary'])
    : {};
  // OpenAI refuses its search with minimal reasoning (documentation, 2026-11)
  const effort =
    searches && request.reasoning_effort === 'minimal' ? 'low' : request.reasoning_effort;
  if (!effort) return Object.keys(given).length > 0 ? given : undefined;
  return { effort, ...(effort === 'none' ? {} : { summary: 'auto' }), ...given };
}

function textField(request: ChatRequest): object | undefined {
  const { response_format: format } = request;
  const { schema, name, strict, description } = format?.json_schema ?? {};
  const outputFormat =
    format?.type === 'json_schema'
      ? present({ type: 'json_schema', name: name ?? 'answer', description, schema, strict })
      : format;
  const field = present({
    format: outputFormat,
    verbosity: request['verbosity'],
    ...(request['text'] as object | undefined),
  });
  return Object.keys(field).length > 0 ? field : undefined;
}

function includeField(
  request: ChatRequest,
  model: string,
  ofSearch: readonly string[],
): unknown[] | undefined {
  const given = (request['include'] as unknown[] | null | undefined) ?? [];
  const effort = request.reasoning_effort;
  const reasons = effort
    ? effort !== 'none'
    : reasoningModel.test(model) || Boolean(request['reasoning']);
  const wanted = [
    ...given,
    ...ofSearch,
    ...(reasons ? ['reasoning.encrypted_content'] : []),
    ...(request['logprobs'] === true ? ['message.output_text.logprobs'] : []),
  ];
  return wanted.length > 0 ? [...new Set(wanted)] : undefined;
}

function toolList(
  provider: string,
  request: ChatRequest,
  search: object | undefined,
): unknown[] | undefined {
  const tools = (request.tools ?? []).map(flatTool);
  if (search) tools.push(search);
  return tools.length > 0 ? tools : undefined;
}

/** Functions lose one level of nesting; the provider's own (`{type: 'web_search'}`, …) do not. */
function flatTool(tool: Partial<ToolDefinition>): unknown {
  if (!tool.function) return tool;
  const { name, description, parameters, strict } = tool.function;
  // true is the default there, false in the chat API
  return present({
    type: 'function',
    name,
    description,
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  });
}

function toolChoice(choice: ChatRequest['tool_choice']): unknown {
  if (typeof choice !== 'object' || choice === null) return choice;
  if (choice.function) return { type: 'function', name: choice.function.name };
  const allowed = choice['allowed_tools'] as
    { mode?: string; tools?: { type?: string; function?: { name?: string } }[] } | undefined;
  if (!allowed) return choice;
  return {
    type: 'allowed_tools',
    mode: allowed.mode,
    tools: allowed.tools?.map((tool) =>
      tool.function ? { type: 'function', name: tool.function.name } : tool,
    ),
  };
}
