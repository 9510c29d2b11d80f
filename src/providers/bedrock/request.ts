import type { ChatMessage, ChatRequest, ToolCall, ToolDefinition } from '../../completion.js';
import { toOutputSchema } from '../anthropic/schema.js';
import { cachePointOf, readContent, refusal, type Block, type ContentScope } from './content.js';
import { isThinking, reasoningFields, type ModelTraits } from './reasoning.js';
import { parseJson } from '../failure.js';

interface Turn {
  role: 'user' | 'assistant';
  content: Block[];
}

/** Bedrock takes letters, digits, `_` and `-`, at most 64; other providers' ids may hold more. */
const toolUseId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);

/** Signed thoughts go back as they came; those of providers that sign otherwise are left out. */
function readThoughts(details: readonly unknown[]): Block[] {
  return details.flatMap((detail): Block[] => {
    const thought = detail as {
      type?: string;
      text?: string;
      signature?: string;
      data?: string;
      format?: string | null;
    };
    if (thought.format && !thought.format.startsWith('anthropic')) return [];
    if (thought.type === 'reasoning.text' && thought.signature) {
      return [
        {
          reasoningContent: {
            reasoningText: { text: thought.text ?? '', signature: thought.signature },
          },
        },
      ];
    }
    if (thought.type !== 'reasoning.encrypted' || !thought.data) return [];
    return [
      {
        reasoningContent: {
          redactedContent: Buffer.from(thought.data, 'latin1').toString('base64'),
        },
      },
    ];
  });
}

/** Bedrock wants an object; arguments that are none (a call that was cut off) are shown to the model as they are. */
function readToolCall(call: ToolCall): Block {
  const text = call.function.arguments;
  const parsed = text.trim() ? parseJson(text) : {};
  const input =
    typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? parsed
      : { invalid_arguments: text };
  return { toolUse: { toolUseId: toolUseId(call.id), name: call.function.name, input } };
}

function readAssistant(message: ChatMessage, traits: ModelTraits, scope: ContentScope): Block[] {
  const called = message['function_call'] as { name: string; arguments: string } | null | undefined;
  const calls: ToolCall[] =
    message.tool_calls ?? (called ? [{ id: called.name, type: 'function', function: called }] : []);
  return [
    ...(traits.thoughts ? readThoughts(message.reasoning_details ?? []) : []),
    ...readContent(message.content, scope),
    ...readContent(message.refusal, scope),
    ...calls.map(readToolCall),
    ...cachePointOf(message, scope),
  ];
}

function readToolResult(message: ChatMessage, scope: ContentScope): Block[] {
  // a cache point has no place inside a result: it goes after it
  const content = readContent(message.content, { ...scope, cachePoints: false });
  const marked = Array.isArray(message.content)
    ? message.content.find((part) => part['cache_control'])
    : undefined;
  const id = toolUseId(message.tool_call_id ?? message.name ?? '');
  return [
    {
      toolResult: {
        toolUseId: id,
        content: content.length > 0 ? content : [{ text: '(no output)' }],
      },
    },
    ...cachePointOf(marked ?? message, scope),
  ];
}

function readMessage(message: ChatMessage, traits: ModelTraits, scope: ContentScope): Turn {
  if (message.role === 'assistant')
    return { role: 'assistant', content: readAssistant(message, traits, scope) };
  if (message.role === 'tool' || message.role === 'function')
    return { role: 'user', content: readToolResult(message, scope) };
  return {
    role: 'user',
    content: [...readContent(message.content, scope), ...cachePointOf(message, scope)],
  };
}

/** Two things that Bedrock asks of turns beyond their order. */
function complete(turns: Turn[]): void {
  for (const turn of turns) {
    const first = turn.content.find((block) => 'document' in block)?.['document'] as
      { name: string } | undefined;
    if (first && !turn.content.some((block) => 'text' in block))
      turn.content.push({ text: first.name });
  }
  const last = turns.at(-1)?.role === 'assistant' ? turns.at(-1)?.content.at(-1) : undefined;
  // Claude refuses a beginning that it is to continue if that ends in white space
  if (typeof last?.['text'] === 'string') last['text'] = last['text'].trimEnd();
}

/** Turns alternate: neighbours of one role become one turn, and one without content none. */
function readConversation(
  messages: readonly ChatMessage[],
  traits: ModelTraits,
  scope: ContentScope,
): { system: Block[]; turns: Turn[] } {
  const system: Block[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...readContent(message.content, scope), ...cachePointOf(message, scope));
      continue;
    }
    const turn = readMessage(message, traits, scope);
    const previous = turns.at(-1);
    if (previous?.role === turn.role) previous.content.push(...turn.content);
    else if (turn.content.length > 0) turns.push(turn);
  }
  complete(turns);
  // instructions alone: Bedrock wants a user's turn
  return turns.length === 0
    ? { system: [], turns: [{ role: 'user', content: system }] }
    : { system, turns };
}

function readTool(tool: ToolDefinition, scope: ContentScope): Block[] {
  // tools that AWS runs by itself (`nova_grounding`, …) have no other spelling
  if (tool['systemTool']) return [{ systemTool: tool['systemTool'] }];
  if ((tool.type as string) !== 'function')
    throw refusal(scope.provider, `Bedrock knows no tool of type ${tool.type}`);
  const { name, description, parameters } = tool.function;
  const spec = {
    name,
    ...(description ? { description } : {}),
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

/** Bedrock refuses turns with tool calls unless it is told of the tools again, even where none may be called now. */
function readTools(
  request: ChatRequest,
  turns: readonly Turn[],
  scope: ContentScope,
): Block | null {
  const earlier = new Set(
    turns
      .flatMap((turn) => turn.content)
      .flatMap((block) => (block['toolUse'] as { name: string } | undefined)?.name ?? []),
  );
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
  const sampled = !thinking && traits.claude?.sampling !== 'none';
  const stop =
    typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []).filter(Boolean);
  const withTopP =
    typeof topP === 'number' &&
    !(traits.claude?.sampling === 'one_of' && typeof temperature === 'number');
  const config = {
    ...(maxTokens === null ? {} : { maxTokens }),
    ...(sampled && typeof temperature === 'number'
      ? { temperature: Math.min(1, temperature) }
      : {}),
    ...(sampled && withTopP ? { topP } : {}),
    ...(stop.length > 0 ? { stopSequences: stop } : {}),
  };
  return Object.keys(config).length > 0 ? config : null;
}

function readOutputFormat(
  format: ChatRequest['response_format'],
  traits: ModelTraits,
): Block | null {
  const asked = format?.type === 'json_schema' ? format.json_schema : undefined;
  if (!asked?.schema) return null;
  const jsonSchema = {
    ...(asked.name ? { name: asked.name } : {}),
    ...(typeof asked['description'] === 'string' ? { description: asked['description'] } : {}),
    schema: JSON.stringify(traits.claude ? toOutputSchema(asked.schema) : asked.schema),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

const passedOn = [
  'guardrailConfig',
  'performanceConfig',
  'serviceTier',
  'requestMetadata',
  'promptVariables',
  'additionalModelResponseFieldPaths',
];

function readExtras(
  request: ChatRequest,
  traits: ModelTraits,
  maxTokens: number | null,
): Record<string, unknown> {
  const reasoning = reasoningFields(request, traits, maxTokens);
  const withTopK =
    traits.claude !== null &&
    traits.claude.sampling !== 'none' &&
    !isThinking(reasoning) &&
    typeof request['top_k'] === 'number';
  // the schema of the answer becomes `output_config` too, and a field that is set twice is refused
  if (request.response_format?.type === 'json_schema') delete reasoning['output_config'];
  return {
    ...(withTopK ? { top_k: request['top_k'] } : {}),
    ...reasoning,
    ...(request['additionalModelRequestFields'] as Record<string, unknown> | undefined),
  };
}

/**
 * The body of a Converse call. What Converse has no counterpart for (seed, penalties, `strict` tools, parallel calls, …) is
 * left out; sampling parameters are brought within what the model takes, so that one request fits many models.
 * `response_format` with a schema becomes Bedrock's own structured output, `json_object` an instruction.
 * @throws GatewayError `request_refused` for what Bedrock cannot be asked
 */
export function toConverse(
  request: ChatRequest,
  traits: ModelTraits,
  provider: string,
): Record<string, unknown> {
  if ((request.n ?? 1) > 1) throw refusal(provider, 'Bedrock gives one answer at a time (n)');
  const scope: ContentScope = {
    provider,
    cachePoints: traits.cachePoints,
    documentNames: new Set(),
  };
  const { system, turns } = readConversation(request.messages, traits, scope);
  if (request.response_format?.type === 'json_object')
    system.push({
      text: 'Answer with one JSON object and nothing else: no prose around it, no code fence.',
    });
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? null;
  const extras = readExtras(request, traits, maxTokens);
  const inference = readInference(request, traits, isThinking(extras), maxTokens);
  const toolConfig = readTools(request, turns, scope);
  const outputConfig = readOutputFormat(request.response_format, traits);
  return {
    messages: turns,
    ...(system.length > 0 ? { system } : {}),
    ...(inference ? { inferenceConfig: inference } : {}),
    ...(toolConfig ? { toolConfig } : {}),
    ...(outputConfig ? { outputConfig } : {}),
    ...(Object.keys(extras).length > 0 ? { additionalModelRequestFields: extras } : {}),
    ...Object.fromEntries(
      passedOn.flatMap((field) =>
        request[field] === undefined || request[field] === null ? [] : [[field, request[field]]],
      ),
    ),
  };
}
