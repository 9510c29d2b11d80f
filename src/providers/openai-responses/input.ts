import type { ChatMessage, ContentPart } from '../../completion.js';
import { GatewayError } from '../../errors.js';

/** The `format` of reasoning details that this dialect makes and takes back. */
export const reasoningFormat = 'openai-responses-v1';

interface ReasoningDetail {
  type?: string;
  data?: string;
  summary?: string;
  format?: string;
  provider?: string;
}

/** @returns the error for what this provider cannot be asked; it is then passed over */
export function notAskable(provider: string, what: string): GatewayError {
  return new GatewayError('request_refused', `${provider} cannot be asked for ${what}`);
}

/**
 * A conversation as the Responses API wants it: what stands before the first turn is `instructions`, the rest a list of items.
 * @throws GatewayError `request_refused` for content that the API does not take
 */
export function responsesInput(
  provider: string,
  messages: readonly ChatMessage[],
): { instructions?: string; input: unknown[] } {
  const firstTurn = messages.findIndex(
    (message) => message.role !== 'system' && message.role !== 'developer',
  );
  const opening = firstTurn === -1 ? 0 : firstTurn;
  const instructions = messages.slice(0, opening).map(plainText).join('\n\n');
  const input = messages.slice(opening).flatMap((message) => itemsOf(provider, message));
  return { ...(instructions ? { instructions } : {}), input };
}

function plainText(message: ChatMessage): string {
  const { content } = message;
  return typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? '').join('');
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
      return [
        {
          type: 'function_call_output',
          call_id: message.tool_call_id,
          output: inputContent(provider, message.content),
        },
      ];
    default:
      throw notAskable(provider, `a message of the role ${message.role}`);
  }
}

function inputContent(provider: string, content: ChatMessage['content']): string | unknown[] {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map((part) => inputPart(provider, part));
}

function inputPart(provider: string, part: ContentPart): unknown {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text ?? '' };
    case 'image_url':
      return {
        type: 'input_image',
        image_url: part.image_url?.url,
        detail: part.image_url?.detail ?? 'auto',
      };
    case 'file':
      return { type: 'input_file', ...(part['file'] as object | undefined) };
    case 'input_text':
    case 'input_image':
    case 'input_file':
      return part;
    default:
      throw notAskable(provider, `content of the type ${part.type}`);
  }
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
 * Only what this provider sealed itself can be opened by it. Without its id: with `store: false` there is nothing to find under it, and
 * with an id OpenAI insists on the very item that followed (2026-11).
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
  // a turn of calls alone has no text, an empty turn is still a turn
  return text || !message.tool_calls?.length ? [{ role: 'assistant', content: text }] : [];
}
