import type { ChatMessage, ChatRequest, ToolDefinition } from '../../completion.js';
import { type AnthropicBlock, toAnthropicMessages, unsupportedField } from './messages.js';
import { calledNames, type AlternatingTurn, withPairedCalls } from '../strict-history.js';
import { type ClaudeRules, type ClaudeThinking, claudeThinking, rulesOf } from './claude-rules.js';
import { toOutputSchema } from './output-schema.js';
import { withFewMarks } from '../cache-breakpoints.js';
import { claudeSearchTool } from './web-search.js';
import { asList, type Fields, isObject, namesIn } from '../../text/is-object.js';
import { withoutWord } from '../fit-parameters.js';
import { forcesTool, withAllowedTools } from '../tool-choice.js';

/**
 * A body for the Messages API without `model` and `stream`, which not every provider takes there.
 */
export interface AnthropicBody {
  max_tokens: number;
  messages: AlternatingTurn<AnthropicBlock>[];
  system?: AnthropicBlock[];
  [field: string]: unknown;
}

/** Other providers' ids contain dots and colons, and may come again in each turn. */
const callIdForm = { refused: /[^a-zA-Z0-9_-]/g, maxLength: 64 };

/**
 * Translates a request. Fields that Anthropic does not support (seed, logprobs, penalties, `strict`
 * tools, …) are omitted; sampling parameters and output limits are brought within the model's
 * range, so that one request fits many models. `response_format` with a schema becomes Anthropic's
 * structured output, `json_object` an instruction.
 * @param model decides which rules apply; its name may be Anthropic's, Bedrock's or Vertex's
 * @throws GatewayError `request_refused` for several answers, audio and other providers' file ids
 */
export function toAnthropicBody(given: ChatRequest, model: string): AnthropicBody {
  const rules = rulesOf(model);
  const request = withAllowedTools(given, rules.forcedTools);
  if ((request.n ?? 1) > 1)
    throw unsupportedField('n', 'Anthropic gives only one answer to a request');
  const search = claudeSearchTool(request, model);
  const history = withPairedCalls(request.messages, callIdForm);
  const { system, turns } = toAnthropicMessages(history, {
    searches: search !== null,
    prefill: rules.prefill,
  });
  if (request.response_format?.type === 'json_object')
    system.push({
      type: 'text',
      text: 'Answer with a single JSON object: no prose around it, no code fence.',
    });
  const maxTokens = Math.min(
    request.max_completion_tokens ?? request.max_tokens ?? rules.defaultOutput,
    rules.maxOutput,
  );
  const toolFields = toTools(request, history, search);
  const { tool_choice: choice } = toolFields;
  const { thinking, effort } = toThinking(request, rules, maxTokens, turns, choice);
  const output = { ...(effort ? { effort } : {}), ...outputFormat(request) };
  return {
    max_tokens: maxTokens,
    messages: turns,
    ...(system.length > 0 ? { system } : {}),
    ...toolFields,
    ...(thinking ? { thinking } : {}),
    ...(Object.keys(output).length > 0 ? { output_config: output } : {}),
    ...toSampling(request, rules, isThinking(thinking)),
    ...otherFields(request),
  };
}

/** Fields that newer models refuse. */
export const sampling = ['temperature', 'top_p', 'top_k'];
/** Fields of the chat API that Claude has no word for. */
export const wordless = namesIn(`
  seed logprobs top_logprobs logit_bias presence_penalty frequency_penalty verbosity prediction
  service_tier
`);

/** The fields of a request that a Claude does not take. */
export function leftByClaude(request: ChatRequest, rules: ClaudeRules): string[] {
  const { reasoning_effort: effort, temperature, tools } = request;
  const thinks = rules.thinking !== 'none' && (effort ?? 'none') !== 'none';
  const isOne = rules.sampling === 'one_of' && typeof temperature === 'number';
  const isStrict = tools?.some((tool) => (tool as Partial<ToolDefinition>).function?.strict);
  const isForced = tools?.length && forcesTool(withAllowedTools(request));
  return [
    ...withoutWord(request, wordless),
    ...withoutWord(request, rules.sampling === 'none' || thinks ? sampling : []),
    ...withoutWord(request, isOne ? ['top_p'] : []),
    ...withoutWord(request, rules.thinking === 'none' ? ['reasoning_effort'] : []),
    ...(isStrict ? ['tools'] : []),
    ...(isForced && !rules.forcedTools ? ['tool_choice'] : []),
    ...(withFewMarks(request) === request ? [] : ['cache_control']),
  ];
}

/** Claude refuses sequences of white space, and answers end without them too. */
export const stopSequences = ({ stop }: ChatRequest): string[] =>
  [stop ?? []].flat().filter((sequence) => sequence.trim() !== '');

function otherFields(request: ChatRequest): Fields {
  const user =
    request['user'] ??
    request['safety_identifier'] ??
    (request['metadata'] as { user_id?: unknown } | null | undefined)?.user_id;
  const stop = stopSequences(request);
  return {
    ...(stop.length > 0 ? { stop_sequences: stop } : {}),
    ...(typeof user === 'string' && user !== '' ? { metadata: { user_id: user } } : {}),
    // Anthropic's own field: caches the repeated start of the prompt
    ...(request['cache_control'] ? { cache_control: request['cache_control'] } : {}),
  };
}

function outputFormat(request: ChatRequest): Fields {
  const schema =
    request.response_format?.type === 'json_schema'
      ? request.response_format.json_schema?.schema
      : undefined;
  return schema ? { format: { type: 'json_schema', schema: toOutputSchema(schema) } } : {};
}

function toTools(
  request: ChatRequest,
  history: readonly ChatMessage[],
  search: object | null,
): Fields {
  const tools = [...(request.tools ?? []).map(toTool), ...(search ? [search] : [])];
  if (tools.length > 0) {
    const choice = toToolChoice(request);
    return choice ? { tools, tool_choice: choice } : { tools };
  }
  // Bedrock and older API versions refuse a history with tool calls where no tools are defined
  const names = calledNames(history);
  if (names.size === 0) return {};
  return {
    tools: [...names].map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}

function toTool(tool: ToolDefinition): Fields {
  // a tool that Anthropic itself runs (web search, code execution) is already in Anthropic's format
  if (!('function' in tool)) return tool;
  const { name, description, parameters } = tool.function;
  return {
    name,
    ...(description ? { description } : {}),
    input_schema: { type: 'object', ...(parameters ?? { properties: {} }) },
    ...(tool['cache_control'] ? { cache_control: tool['cache_control'] } : {}),
  };
}

function toToolChoice({
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ChatRequest): Fields | null {
  if (choice === 'none') return { type: 'none' };
  const single = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === 'required') return { type: 'any', ...single };
  if (typeof choice === 'object' && choice?.function)
    return { type: 'tool', name: choice.function.name, ...single };
  return choice === 'auto' || parallel === false ? { type: 'auto', ...single } : null;
}

function toSampling(request: ChatRequest, rules: ClaudeRules, thinking: boolean): Fields {
  const topK = request['top_k'];
  // thinking requires temperature 1, which is the default, and accepts neither top_k nor any top_p
  if (rules.sampling === 'none' || thinking) return {};
  const temperature = request.temperature ?? null;
  const withTopP =
    typeof request.top_p === 'number' && (temperature === null || rules.sampling === 'free');
  return {
    ...(temperature === null ? {} : { temperature: Math.min(1, Math.max(0, temperature)) }),
    ...(withTopP ? { top_p: request.top_p } : {}),
    ...(typeof topK === 'number' ? { top_k: topK } : {}),
  };
}

const isThinking = (thinking: { type?: unknown } | undefined): boolean =>
  thinking?.type === 'enabled' || thinking?.type === 'adaptive';

function toThinking(
  request: ChatRequest,
  rules: ClaudeRules,
  maxTokens: number,
  turns: readonly AnyTurn[],
  toolChoice: unknown,
): ClaudeThinking {
  const own = request['thinking'];
  if (typeof own === 'object' && own !== null) return { thinking: own };
  const effort = request.reasoning_effort ?? null;
  if (effort === null || rules.thinking === 'none') return {};
  return claudeThinking(effort, rules, maxTokens, obstacleOf(toolChoice, turns));
}

/** What keeps Claude from thinking in a request of the Messages API; `claudeThinking` has the words. */
export function obstacleOf(
  choice: unknown,
  turns: readonly AnyTurn[],
): 'forced' | 'unthought' | null {
  if (isObject(choice) && (choice['type'] === 'any' || choice['type'] === 'tool')) return 'forced';
  return beginsUnthought(turns) ? 'unthought' : null;
}

type AnyTurn = Readonly<Partial<Record<keyof AlternatingTurn<unknown>, unknown>>>;

/** Whether the model would go on with a turn of its own that began without thinking. */
export function beginsUnthought(turns: readonly AnyTurn[]): boolean {
  const typesOf = (turn: AnyTurn | undefined): unknown[] =>
    asList(turn?.content).map((block) => isObject(block) && block['type']);
  const last = turns.at(-1);
  if (last?.role === 'user' && !typesOf(last).includes('tool_result')) return false;
  const [asked] = typesOf(turns.findLast(({ role }) => role === 'assistant'));
  return asked !== 'thinking' && asked !== 'redacted_thinking';
}
