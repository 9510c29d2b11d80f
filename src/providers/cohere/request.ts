import type { ChatMessage, ChatRequest, ContentPart, ToolDefinition } from '../../completion.js';
import { GatewayError } from '../../errors.js';
import type { ModelCall } from '../adapter.js';

/** Cohere's own fields that may stand in a request as they are. It refuses fields it does not know, so nothing else passes. */
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

/** How many tokens of thinking an effort is worth; the efforts that are not named think without a limit. */
const thinkingBudget: Record<string, number> = { minimal: 512, low: 1024, medium: 4096 };

interface CohereDocument {
  data: Record<string, string>;
}

/**
 * The body of `POST /v2/chat`.
 * @throws GatewayError `request_refused` for what Cohere cannot be asked: several choices, audio, files that are not text
 */
export function cohereChatBody(provider: string, call: ModelCall): Record<string, unknown> {
  const { request } = call;
  if ((request.n ?? 1) > 1) throw refused(provider, 'more than one choice');
  const documents: CohereDocument[] = [];
  const body: Record<string, unknown> = {
    model: call.model,
    messages: request.messages.map((message) => cohereMessage(provider, message, documents)),
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

function refused(provider: string, what: string): GatewayError {
  return new GatewayError('request_refused', `${provider} cannot be asked for ${what}`);
}

function sampling(request: ChatRequest): Record<string, unknown> {
  const { top_p: topP, stop } = request;
  return present({
    max_tokens: request.max_completion_tokens ?? request.max_tokens,
    temperature: request.temperature,
    // outside 0.01-0.99 it is refused, and 1 is what most clients send
    p: typeof topP === 'number' ? Math.min(0.99, Math.max(0.01, topP)) : undefined,
    k: request['top_k'],
    seed: request.seed,
    stop_sequences: typeof stop === 'string' ? [stop] : stop?.length ? stop : undefined,
    // the two exclude each other there, even as zeros
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
        : present({ type: 'enabled', token_budget: thinkingBudget[effort] }),
  });
}

function toolFields(provider: string, request: ChatRequest): Record<string, unknown> {
  const { tools, tool_choice: choice } = request;
  if (!tools?.length) return {};
  const native = tools.find((tool) => (tool.type as string) !== 'function');
  if (native) throw refused(provider, `a tool of the type ${native.type as string}`);
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

/** Cohere cannot be told which tool to call; it is offered only that one instead. */
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
      throw refused(provider, `a message of the role ${message.role}`);
  }
}

function assistantMessage(
  provider: string,
  message: ChatMessage,
  documents: CohereDocument[],
): unknown {
  const calls = message.tool_calls?.length ? message.tool_calls : undefined;
  const content = contentOf(provider, message, documents);
  const empty = content.length === 0;
  return present({
    role: 'assistant',
    content: empty ? (calls ? undefined : (message.refusal ?? '')) : content,
    // what the model meant to do belongs to its calls; the thinking of finished turns is not wanted back
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
      throw refused(provider, `content of the type ${part.type}`);
  }
}

/** A text file travels beside the conversation, as a document that can be cited. */
function textDocument(
  provider: string,
  file: { filename?: string; file_data?: string } | undefined,
): CohereDocument {
  const match = /^data:(text\/[^;,]+|application\/json)(?:;[^,]*)?;base64,(.*)$/s.exec(
    file?.file_data ?? '',
  );
  if (!match) throw refused(provider, 'a file that is not text');
  const text = Buffer.from(match[2]!, 'base64').toString('utf8');
  return { data: file?.filename ? { title: file.filename, text } : { text } };
}

/** Without the fields that are undefined or null. */
function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
