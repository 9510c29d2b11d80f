import type { ChatMessage, ChatRequest, ContentPart, ToolDefinition } from '../../completion.js';
import type { ModelCall } from '../adapter.js';
import { unsupported } from '../failure.js';
import { seedOf } from '../fit-parameters.js';
import { readToolChoice } from '../tool-choice.js';
import { isObject, asList, namesIn, pick, present, textIn, table } from '../../text/is-object.js';
import { filler, toldContent, withPairedCalls } from '../strict-history.js';

/** Cohere's own fields, which a request may contain: Cohere refuses unknown ones. */
const ownFields = namesIn(`
  documents citation_options safety_mode thinking strict_tools priority raw_prompting k p
  stop_sequences
`);

/** Thinking tokens for each effort; other efforts have no limit. */
const thinkingBudgets: Record<string, number> = table({ minimal: 512, low: 1024, medium: 4096 });

const maxStopSequences = 5;

interface CohereMessage {
  role: string;
  content?: string | unknown[];
  [field: string]: unknown;
}

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
  const history = new CohereHistory(provider);
  const body: Record<string, unknown> = {
    model: call.model,
    messages: history.messages(request.messages),
    stream: call.stream,
    ...sampling(request),
    ...toolFields(provider, request),
    ...outputFields(request),
    ...pick(request, ownFields),
  };
  if (history.documents.length > 0)
    body['documents'] = [...asList(body['documents']), ...history.documents];
  return body;
}

const isPicture = (part: unknown): boolean => isObject(part) && part['type'] === 'image_url';

/** Any text serves Cohere as the id of a call. */
const callIdForm = { refused: /[^\x20-\x7e]/g, maxLength: 512 };

/** Translates a conversation; what has no place in it is in `documents`. */
class CohereHistory {
  readonly documents: CohereDocument[] = [];

  constructor(private readonly provider: string) {}

  /**
   * Messages without content are left out; the user speaks last. Pictures of a tool's result follow
   * in a message of the user, because a result has text alone.
   */
  messages(given: readonly ChatMessage[]): CohereMessage[] {
    const messages: CohereMessage[] = [];
    let pictures: unknown[] = [];
    const addPictures = (): void => {
      if (pictures.length > 0) messages.push({ role: 'user', content: pictures });
      pictures = [];
    };
    for (const one of withPairedCalls(given, callIdForm)) {
      const message = this.message(one);
      if (one.role !== 'tool') addPictures();
      else if (Array.isArray(message.content)) {
        pictures.push(...message.content.filter(isPicture));
        message.content = message.content.filter((part) => !isPicture(part));
      }
      if (message.role === 'tool' && !message.content?.length) message.content = filler.noResult;
      if (message.tool_calls ?? message.content?.length) messages.push(message);
    }
    addPictures();
    const last = messages.at(-1)?.role;
    if (last === 'assistant') messages.push({ role: 'user', content: filler.goOn });
    if (last === undefined && this.documents.length === 0)
      messages.push({ role: 'user', content: filler.noText });
    return messages;
  }

  private message(message: ChatMessage): CohereMessage {
    const { role } = message;
    const sent = toldContent(message);
    const content =
      typeof sent === 'string' ? sent : (sent?.flatMap((part) => this.part(part)) ?? '');
    switch (role) {
      case 'system':
      case 'developer':
        return { role: 'system', content };
      case 'user':
        return { role, content };
      case 'assistant':
        return assistantMessage(message, content);
      case 'tool':
        return { role, tool_call_id: message.tool_call_id, content };
      default:
        throw unsupported(this.provider, `a message with the role ${role}`);
    }
  }

  private part(part: ContentPart): unknown[] {
    switch (part.type) {
      case 'text':
      case 'refusal': {
        const text = part.text ?? part['refusal'];
        return text ? [{ type: 'text', text }] : [];
      }
      case 'image_url':
        return [{ type: 'image_url', image_url: part.image_url }];
      case 'document':
        return [part];
      case 'file':
        this.documents.push(textDocument(this.provider, part['file']));
        return [];
      default:
        throw unsupported(this.provider, `content of type ${part.type}`);
    }
  }
}

function assistantMessage(message: ChatMessage, content: string | unknown[]): CohereMessage {
  const calls = message.tool_calls?.length ? message.tool_calls : undefined;
  return {
    role: 'assistant',
    ...present({
      content: content.length > 0 ? content : calls ? undefined : (message.refusal ?? ''),
      // the model's plan goes with its calls; Cohere does not take back the thinking of other turns
      tool_plan: calls && (message['tool_plan'] ?? (message.reasoning_content || undefined)),
      tool_calls: calls?.map(({ id, function: { name, arguments: args } }) => ({
        id,
        type: 'function',
        function: { name, arguments: args || '{}' },
      })),
    }),
  };
}

/** Between 0 and 1; undefined: none. */
const penalty = (asked: unknown): number | undefined =>
  typeof asked === 'number' ? Math.min(1, Math.max(0, asked)) || undefined : undefined;

function sampling(request: ChatRequest): Record<string, unknown> {
  const { top_p: topP, temperature } = request;
  const stops = [request.stop ?? []].flat().filter(Boolean).slice(0, maxStopSequences);
  const seed = seedOf(request);
  const frequency = penalty(request['frequency_penalty']);
  return present({
    max_tokens: request.max_completion_tokens ?? request.max_tokens,
    temperature: typeof temperature === 'number' ? Math.min(1, temperature) : undefined,
    // Cohere refuses values outside 0.01-0.99, but most clients send 1
    p: typeof topP === 'number' ? Math.min(0.99, Math.max(0.01, topP)) : undefined,
    k: request['top_k'],
    seed: seed && Math.abs(seed),
    stop_sequences: stops.length > 0 ? stops : undefined,
    // Cohere refuses the two together, even where both are 0, and negative seeds
    presence_penalty: frequency ? undefined : penalty(request['presence_penalty']),
    frequency_penalty: frequency,
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
  // Cohere has no choice of one tool, so a request that names one offers only that one
  const { mode, names } = readToolChoice(choice);
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

/** A text file goes beside the conversation, as a document that can be cited. */
function textDocument(provider: string, file: unknown): CohereDocument {
  const { filename, file_data: content } = isObject(file) ? file : {};
  const match = /^data:(text\/[^;,]+|application\/json)(?:;[^,]*)?;base64,(.*)$/s.exec(
    textIn(content),
  );
  if (!match) throw unsupported(provider, 'a file that is not text');
  const text = Buffer.from(match[2]!, 'base64').toString('utf8');
  return { data: filename ? { title: filename as string, text } : { text } };
}
