import type { ChatRequest, ToolDefinition } from '../../completion.js';
import type { ModelCall } from '../adapter.js';
import { unsupported } from '../failure.js';
import { present } from '../json.js';
import { withoutLegacyFunctions } from '../legacy-functions.js';
import { responsesInput } from './input.js';
import { searchFields } from './web-search.js';

/** Models known to reason. Others refuse a request for encrypted reasoning (2026-11). */
const reasoningModel = /(^|[/.])(o[1-9]|gpt-[5-9](?!.*chat)|codex|grok-(3-mini|4|code))/;

/** Fields of the chat API that are translated, or have no meaning here. */
const translated = new Set([
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'response_format',
  'reasoning',
  'reasoning_effort',
  'text',
  'verbosity',
  'include',
  'web_search_options',
  'stream',
  'stream_options',
  'stop',
  'n',
  'seed',
  'logprobs',
  'prediction',
  'presence_penalty',
  'frequency_penalty',
]);

/**
 * The body of `POST /responses`. The provider stores nothing unless the request says so; fields
 * that the chat API does not have are passed on.
 * @param askedModel our name of the model; the call has the provider's
 * @throws GatewayError `request_refused` for several choices, stop sequences, audio and custom
 *   tools
 */
export function responsesBody(
  provider: string,
  call: ModelCall,
  askedModel = call.model,
): Record<string, unknown> {
  const { request } = call;
  if ((request.n ?? 1) > 1) throw unsupported(provider, 'more than one choice');
  if (request.stop?.length) throw unsupported(provider, 'stop sequences');
  const search = searchFields(request, [askedModel, call.model]);
  return {
    store: false,
    ...passedOn(request),
    model: call.model,
    ...responsesInput(provider, withoutLegacyFunctions(request.messages)),
    ...(call.stream ? { stream: true } : {}),
    ...present({
      max_output_tokens: request.max_completion_tokens ?? request.max_tokens,
      tools: toolList(provider, request, search.tool),
      tool_choice: search.choice ?? toolChoice(request.tool_choice),
      max_tool_calls: search.maxCalls ?? request['max_tool_calls'],
      reasoning: reasoningField(request, search.tool !== undefined),
      text: textField(request),
      include: includeField(request, call.model, search.include ?? []),
      // 0 is the chat API's default; the Responses API refuses the fields even then
      presence_penalty: request['presence_penalty'] || undefined,
      frequency_penalty: request['frequency_penalty'] || undefined,
    }),
  };
}

function passedOn(request: ChatRequest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request).filter(
      ([field, value]) => value !== undefined && value !== null && !translated.has(field),
    ),
  );
}

function reasoningField(request: ChatRequest, searches: boolean): object | undefined {
  const given = request['reasoning'] as object | null | undefined;
  // OpenAI refuses its search with minimal reasoning (documentation, 2026-11)
  const effort =
    searches && request.reasoning_effort === 'minimal' ? 'low' : request.reasoning_effort;
  if (!effort) return given ?? undefined;
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
  const tools = (request.tools ?? []).map((tool) => flatTool(provider, tool));
  if (search) tools.push(search);
  return tools.length > 0 ? tools : undefined;
}

/**
 * Functions lose one level of nesting; the provider's own tools (`{type: 'web_search'}`, …) stay
 * unchanged.
 */
function flatTool(provider: string, tool: Partial<ToolDefinition>): unknown {
  if (tool['custom'] !== undefined) throw unsupported(provider, 'custom tools');
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
