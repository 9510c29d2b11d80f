import type { ChatMessage, ChatRequest, ToolDefinition } from '../../completion.js';
import { toOutputSchema } from '../anthropic/output-schema.js';
import { leftByClaude, stopSequences, wordless } from '../anthropic/request.js';
import { withFewMarks } from '../cache-breakpoints.js';
import { calledNames, withPairedCalls } from '../strict-history.js';
import { withAllowedTools } from '../tool-choice.js';
import { unsupported } from '../failure.js';
import { withoutWord } from '../fit-parameters.js';
import { exactJson } from '../../text/exact-json.js';
import { type Fields, namesIn, pick, present } from '../../text/is-object.js';
import { cachePointOf, type Block, type ContentScope } from './content.js';
import { toConverseMessages } from './conversation.js';
import { isThinking, reasoningFields, type ModelTraits } from './model-traits.js';

const callIdForm = { refused: /[^A-Za-z0-9_-]/g, maxLength: 64 };

function readTool(tool: ToolDefinition, scope: ContentScope): Block[] {
  // tools that AWS itself runs (`nova_grounding`, …) have no OpenAI equivalent
  if (tool['systemTool']) return [{ systemTool: tool['systemTool'] }];
  if ((tool.type as string) !== 'function')
    throw unsupported(scope.provider, `a tool of type ${tool.type}`);
  const { name, description, parameters } = tool.function;
  const spec = {
    name,
    ...(description?.trim() ? { description } : {}),
    inputSchema: { json: { type: 'object', ...parameters } },
  };
  return [{ toolSpec: spec }, ...cachePointOf(tool, scope)];
}

function readToolChoice(choice: ChatRequest['tool_choice']): Block | null {
  if (choice === 'required') return { any: {} };
  if (choice === 'auto') return { auto: {} };
  return typeof choice === 'object' && choice?.function
    ? { tool: { name: choice.function.name } }
    : null;
}

/** Bedrock refuses turns with tool calls without the tools, even where none may be called. */
function readTools(
  request: ChatRequest,
  history: readonly ChatMessage[],
  scope: ContentScope,
): Block | null {
  const earlier = calledNames(history);
  const given = request.tools ?? [];
  if (given.length > 0 && (request.tool_choice !== 'none' || earlier.size > 0)) {
    const choice = readToolChoice(request.tool_choice);
    return {
      tools: given.flatMap((tool) => readTool(tool, scope)),
      ...(choice ? { toolChoice: choice } : {}),
    };
  }
  if (earlier.size === 0) return null;
  return {
    tools: [...earlier].map((name) => ({
      toolSpec: { name, inputSchema: { json: { type: 'object' } } },
    })),
  };
}

function readInference(
  request: ChatRequest,
  traits: ModelTraits,
  thinking: boolean,
  maxTokens: number | null,
): Block | null {
  const { temperature, top_p: topP } = request;
  const sampled = !thinking && traits.samples;
  const stop = stopSequences(request);
  const withTopP =
    typeof topP === 'number' &&
    !(traits.claude?.sampling === 'one_of' && typeof temperature === 'number');
  const config = present({
    maxTokens,
    temperature: sampled && typeof temperature === 'number' ? Math.min(1, temperature) : null,
    topP: sampled && withTopP ? topP : null,
    stopSequences: stop.length > 0 ? stop : null,
  });
  return Object.keys(config).length > 0 ? config : null;
}

function readOutputFormat(format: ChatRequest['response_format']): Block | null {
  const asked = format?.type === 'json_schema' ? format.json_schema : undefined;
  if (!asked?.schema) return null;
  const jsonSchema = {
    ...(asked.name ? { name: asked.name } : {}),
    ...(typeof asked['description'] === 'string' ? { description: asked['description'] } : {}),
    schema: exactJson(toOutputSchema(asked.schema)),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

/** Converse's own fields that a request may contain. */
const converseFields = namesIn(`
  guardrailConfig performanceConfig serviceTier requestMetadata promptVariables
  additionalModelResponseFieldPaths
`);

function readExtras(request: ChatRequest, traits: ModelTraits, maxTokens: number | null): Fields {
  const reasoning = reasoningFields(request, traits, maxTokens);
  const withTopK =
    traits.claude !== null &&
    traits.claude.sampling !== 'none' &&
    !isThinking(reasoning) &&
    typeof request['top_k'] === 'number';
  // the answer's schema sets `output_config` too, and Bedrock refuses a field that is set twice
  if (request.response_format?.type === 'json_schema') delete reasoning['output_config'];
  return {
    ...(withTopK ? { top_k: request['top_k'] } : {}),
    ...reasoning,
    ...(request['additionalModelRequestFields'] as Fields | undefined),
  };
}

/** The fields of a request that a model does not take. */
export const leftByConverse = (
  request: ChatRequest,
  { claude, samples }: ModelTraits,
): string[] => [
  ...(claude
    ? leftByClaude(request, claude)
    : withoutWord(request, [...wordless, 'top_k', ...(samples ? [] : ['temperature', 'top_p'])])),
  ...withoutWord(request, ['parallel_tool_calls']),
];

/**
 * The body of a Converse call. Fields that Converse does not support (seed, penalties, `strict`
 * tools, parallel calls, …) are omitted; sampling parameters are brought within the model's range,
 * so that one request fits many models. `response_format` with a schema becomes Bedrock's
 * structured output, `json_object` an instruction.
 * @throws GatewayError `request_refused` for what Bedrock does not support
 */
export function toConverse(given: ChatRequest, traits: ModelTraits, provider: string): Fields {
  const request = withFewMarks(withAllowedTools(given, traits.claude?.forcedTools));
  if ((request.n ?? 1) > 1) throw unsupported(provider, 'more than one answer (n)');
  const scope: ContentScope = {
    provider,
    cachePoints: traits.cachePoints,
    cacheTimes: traits.cacheTimes,
    documentNames: new Set(),
  };
  const history = withPairedCalls(request.messages, callIdForm);
  const { system, turns } = toConverseMessages(history, traits, scope);
  if (request.response_format?.type === 'json_object')
    system.push({
      text: 'Answer with one JSON object and nothing else: no prose around it, no code fence.',
    });
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? null;
  const extras = readExtras(request, traits, maxTokens);
  const inference = readInference(request, traits, isThinking(extras), maxTokens);
  // Nova takes cache points, but not among tools
  const toolConfig = readTools(request, history, { ...scope, cachePoints: traits.thoughts });
  const outputConfig = readOutputFormat(request.response_format);
  return {
    messages: turns,
    ...(system.length > 0 ? { system } : {}),
    ...present({ inferenceConfig: inference, toolConfig, outputConfig }),
    // Claude's answer names the one at which it stopped; Converse ignores a path that is not there
    ...(traits.claude && inference?.['stopSequences']
      ? { additionalModelResponseFieldPaths: ['/stop_sequence'] }
      : {}),
    ...(Object.keys(extras).length > 0 ? { additionalModelRequestFields: extras } : {}),
    ...pick(request, converseFields),
  };
}
