import { type ChatMessage, type ContentPart, isInstruction } from '../../completion.js';
import { unsupported } from '../failure.js';
import { toldContent } from '../strict-history.js';
import { type Fields, pick, present } from '../../text/is-object.js';

/** The `format` of the reasoning details that this dialect writes and reads. */
export const reasoningFormat = 'openai-responses-v1';

interface ReasoningDetail {
  type?: string;
  data?: string;
  summary?: string;
  format?: string;
  provider?: string;
}

/**
 * Translates a conversation: system messages before the first turn become `instructions`, the rest
 * a list of items.
 * @throws GatewayError `request_refused` for content that the API does not support
 */
export function responsesInput(
  provider: string,
  messages: readonly ChatMessage[],
): { instructions?: string; input: unknown[] } {
  const firstTurn = messages.findIndex((message) => !isInstruction(message));
  const opening = firstTurn === -1 ? 0 : firstTurn;
  const instructions = messages
    .slice(0, opening)
    .map((message) => plainText(message, '\n'))
    .join('\n\n');
  const input = messages.slice(opening).flatMap((message) => itemsOf(provider, message));
  return { ...(instructions ? { instructions } : {}), input };
}

function plainText({ content }: ChatMessage, separator = ''): string {
  return typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? '').join(separator);
}

function itemsOf(provider: string, message: ChatMessage): unknown[] {
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      return [{ role: message.role, content: inputContent(provider, message.content) }];
    case 'assistant':
      return assistantItems(provider, message);
    case 'tool':
      if (!message.tool_call_id) throw unsupported(provider, 'a tool result without tool_call_id');
      return [
        {
          type: 'function_call_output',
          call_id: message.tool_call_id,
          output: inputContent(provider, toldContent(message)),
        },
      ];
    default:
      throw unsupported(provider, `a message with the role ${message.role}`);
  }
}

function inputContent(provider: string, content: ChatMessage['content']): string | unknown[] {
  if (!content?.length) return '';
  return typeof content === 'string' ? content : content.map((part) => inputPart(provider, part));
}

function inputPart(provider: string, part: ContentPart): unknown {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text ?? '', ...cacheEnd(part) };
    case 'image_url':
      return {
        type: 'input_image',
        image_url: part.image_url?.url,
        detail: part.image_url?.detail ?? 'auto',
        ...cacheEnd(part),
      };
    case 'file':
      return { ...inputFile(part['file'] as FilePart | undefined), ...cacheEnd(part) };
    case 'input_text':
    case 'input_image':
    case 'input_file':
      return part;
    default:
      throw unsupported(provider, `content of type ${part.type}`);
  }
}

/** Where the part of the prompt ends that is to be cached: chat has the same field. */
const cacheEnd = (part: Fields): Fields => present(pick(part, ['prompt_cache_breakpoint']));

interface FilePart {
  readonly file_data?: string;
  readonly filename?: string;
}

/** A file by its address has a field of its own here, and no name. */
function inputFile({ file_data: content, filename, ...rest }: FilePart = {}): object {
  if (/^https?:/i.test(content ?? '')) return { type: 'input_file', file_url: content, ...rest };
  return {
    type: 'input_file',
    ...(filename === undefined ? {} : { filename }),
    ...(content === undefined ? {} : { file_data: content }),
    ...rest,
  };
}

function assistantItems(provider: string, message: ChatMessage): unknown[] {
  const calls = message.tool_calls ?? [];
  return [
    ...(message.reasoning_details ?? []).flatMap((detail) =>
      reasoningItem(provider, detail as ReasoningDetail | null),
    ),
    ...assistantText(message),
    ...calls.map(({ id, function: { name, arguments: args } }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: args || '{}',
    })),
  ];
}

/**
 * A provider can decrypt only its own reasoning. The id is omitted: with `store: false` nothing is
 * stored under it, and with an id OpenAI requires the item that followed it too (2026-11).
 */
function reasoningItem(provider: string, detail: ReasoningDetail | null): unknown[] {
  if (
    detail?.type !== 'reasoning.encrypted' ||
    detail.format !== reasoningFormat ||
    detail.provider !== provider
  )
    return [];
  return [
    {
      type: 'reasoning',
      summary: detail.summary ? [{ type: 'summary_text', text: detail.summary }] : [],
      encrypted_content: detail.data,
    },
  ];
}

function assistantText(message: ChatMessage): unknown[] {
  const text = plainText(message);
  const inner = Array.isArray(message.content)
    ? message.content.find((part) => part.type === 'refusal')?.['refusal']
    : undefined;
  const refusal = message.refusal ?? (inner as string | undefined);
  if (refusal)
    return [
      {
        role: 'assistant',
        content: [...(text ? [{ type: 'output_text', text }] : []), { type: 'refusal', refusal }],
      },
    ];
  // a turn that only has calls needs no text; an empty turn is kept
  return text || !message.tool_calls?.length ? [{ role: 'assistant', content: text }] : [];
}
