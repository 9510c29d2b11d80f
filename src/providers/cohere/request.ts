import type { ChatMessage, ChatRequest, ContentPart, ToolDefinition } from '../../completion.js';
import type { ModelCall } from '../adapter.js';
import { unsupported } from '../failure.js';
import { present } from '../json.js';
import { withoutLegacyFunctions } from '../legacy-functions.js';

/**
 * Cohere's own fields, which a request may contain. Cohere refuses unknown fields, so no others
 * pass.
 */
const ownFields = [
  'documents',
  'citation_options',
  'safety_mode',
  'thinking',
  'strict_tools',
  'priority',
  'raw_prompting',
  'k',
  'p',
  'stop_sequences',
];

/** Thinking tokens for each effort; other efforts have no limit. */
const thinkingBudgets: Record<string, number> = { minimal: 512, low: 1024, medium: 4096 };

interface CohereDocument {
  data: Record<string, string>;
}

/**
 * The body of `POST /v2/chat`.
 * @throws GatewayError `request_refused` for several choices, audio, and files that are not text
 */
export function cohereChatBody(provider: string, call: ModelCall): Record<string, unknown> {
  const { request } = call;
  if ((request.n ?? 1) > 1) throw unsupported(provider, 'more than one choice');
  const documents: CohereDocument[] = [];
  const body: Record<string, unknown> = {
    model: call.model,
    messages: withoutLegacyFunctions(request.messages).map((message) =>
      cohereMessage(provider, message, documents),
    ),
    stream: call.stream,
    ...sampling(request),
    ...toolFields(provider, request),
    ...outputFields(request),
  };
  for (const field of ownFields)
    if (request[field] !== undefined && request[field] !== null) body[field] = request[field];
  if (documents.length > 0)
    body['documents'] = [
      ...(Array.isArray(body['documents']) ? (body['documents'] as unknown[]) : []),
      ...documents,
    ];
  return body;
}

function sampling(request: ChatRequest): Record<string, unknown> {
  const { top_p: topP, stop } = request;
  return present({
    max_tokens: request.max_completion_tokens ?? request.max_tokens,
    temperature: request.temperature,
    // Cohere refuses values outside 0.01-0.99, but most clients send 1
    p: typeof topP === 'number' ? Math.min(0.99, Math.max(0.01, topP)) : undefined,
    k: request['top_k'],
    seed: request.seed,
    stop_sequences: typeof stop === 'string' ? [stop] : stop?.length ? stop : undefined,
    // Cohere refuses the two together, even where both are 0
    presence_penalty: request['presence_penalty'] || undefined,
    frequency_penalty: request['frequency_penalty'] || undefined,
    logprobs: request['logprobs'] || undefined,
  });
}

function outputFields(request: ChatRequest): Record<string, unknown> {
  const { response_format: format, reasoning_effort: effort } = request;
  return present({
    response_format: !format
      ? undefined
      : format.type === 'json_schema'
        ? { type: 'json_object', json_schema: format.json_schema?.schema }
        : format,
    thinking: !effort
      ? undefined
      : effort === 'none'
        ? { type: 'disabled' }
        : present({ type: 'enabled', token_budget: thinkingBudgets[effort] }),
  });
}

function toolFields(provider: string, request: ChatRequest): Record<string, unknown> {
  const { tools, tool_choice: choice } = request;
  if (!tools?.length) return {};
  const native = tools.find((tool) => (tool.type as string) !== 'function');
  if (native) throw unsupported(provider, `a tool of type ${native.type as string}`);
  const { mode, names } = readChoice(choice);
  const offered = names ? tools.filter((tool) => names.includes(tool.function.name)) : tools;
  return present({
    tools: offered.map(cohereTool),
    tool_choice: mode === 'required' ? 'REQUIRED' : mode === 'none' ? 'NONE' : undefined,
    strict_tools:
      offered.length > 0 && offered.every((tool) => tool.function.strict === true)
        ? true
        : undefined,
  });
}

/** Cohere has no choice of one tool, so a request that names one offers only that one. */
function readChoice(choice: ChatRequest['tool_choice']): {
  mode: string | undefined;
  names: string[] | null;
} {
  if (typeof choice !== 'object' || choice === null)
    return { mode: choice ?? undefined, names: null };
  if (choice.function) return { mode: 'required', names: [choice.function.name] };
  const allowed = choice['allowed_tools'] as
    { mode?: string; tools?: { function?: { name?: string } }[] } | undefined;
  return {
    mode: allowed?.mode,
    names: allowed?.tools?.map((tool) => tool.function?.name ?? '') ?? null,
  };
}

function cohereTool(tool: ToolDefinition): unknown {
  const { name, description, parameters } = tool.function;
  return {
    type: 'function',
    function: present({
      name,
      description,
      parameters: parameters ?? { type: 'object', properties: {} },
    }),
  };
}

function cohereMessage(
  provider: string,
  message: ChatMessage,
  documents: CohereDocument[],
): unknown {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: contentOf(provider, message, documents) };
    case 'user':
      return { role: 'user', content: contentOf(provider, message, documents) };
    case 'assistant':
      return assistantMessage(provider, message, documents);
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: message.tool_call_id,
        content: contentOf(provider, message, documents),
      };
    default:
      throw unsupported(provider, `a message with the role ${message.role}`);
  }
}

function assistantMessage(
  provider: string,
  message: ChatMessage,
  documents: CohereDocument[],
): unknown {
  const calls = message.tool_calls?.length ? message.tool_calls : undefined;
  const content = contentOf(provider, message, documents);
  const isEmpty = content.length === 0;
  return present({
    role: 'assistant',
    content: isEmpty ? (calls ? undefined : (message.refusal ?? '')) : content,
    // the model's plan goes with its calls; Cohere does not take back the thinking of other turns
    tool_plan: calls
      ? (message['tool_plan'] ?? (message.reasoning_content || undefined))
      : undefined,
    tool_calls: calls?.map(({ id, function: { name, arguments: args } }) => ({
      id,
      type: 'function',
      function: { name, arguments: args || '{}' },
    })),
  });
}

function contentOf(
  provider: string,
  message: ChatMessage,
  documents: CohereDocument[],
): string | unknown[] {
  const { content } = message;
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => contentPart(provider, part, documents));
}

function contentPart(provider: string, part: ContentPart, documents: CohereDocument[]): unknown[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text ?? '' }];
    case 'refusal':
      return [{ type: 'text', text: part['refusal'] ?? '' }];
    case 'image_url':
    case 'document':
      return [part];
    case 'file':
      documents.push(
        textDocument(
          provider,
          part['file'] as { filename?: string; file_data?: string } | undefined,
        ),
      );
      return [];
    default:
      throw unsupported(provider, `content of type ${part.type}`);
  }
}

/** A text file goes beside the conversation, as a document that can be cited. */
function textDocument(
  provider: string,
  file: { filename?: string; file_data?: string } | undefined,
): CohereDocument {
  const match = /^data:(text\/[^;,]+|application\/json)(?:;[^,]*)?;base64,(.*)$/s.exec(
    file?.file_data ?? '',
  );
  if (!match) throw unsupported(provider, 'a file that is not text');
  const text = Buffer.from(match[2]!, 'base64').toString('utf8');
  return { data: file?.filename ? { title: file.filename, text } : { text } };
}
