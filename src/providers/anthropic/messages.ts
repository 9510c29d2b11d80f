import {
  type ChatMessage,
  type ContentPart,
  isInstruction,
  type ToolCall,
} from '../../completion.js';
import { GatewayError } from '../../errors.js';
import { readInlineFile, usualImage } from '../image-type.js';
import { toolInput } from '../call-arguments.js';
import { addToTurn, completeTurns, toldContent } from '../strict-history.js';
import { isSearchBlock, returnedBlock } from './web-search.js';

/** A content block of the Messages API. */
export interface AnthropicBlock {
  type: string;
  [field: string]: unknown;
}

/** One turn; successive turns have different roles. */
export interface AnthropicTurn {
  role: 'user' | 'assistant';
  content: AnthropicBlock[];
}

/**
 * The error for a request that Anthropic does not support; the next candidate is then tried.
 * @param field as `messages[0][content]`
 */
export const unsupportedField = (field: string, reason: string): GatewayError =>
  new GatewayError('request_refused', `${field}: ${reason}`, { field });

/**
 * Translates a conversation: system and developer messages before the first turn go to `system`, later
 * ones into the user's turn at their place, so that the start of the prompt stays the same and its
 * cache valid; tool results become part of a user turn; successive messages of one role are merged;
 * empty text is omitted, because Anthropic refuses it.
 * @param options.searches whether the model may search; its earlier searches are sent only then
 * @param options.prefill whether the conversation may end with a turn of the model; else the user
 *   asks it to go on
 * @throws GatewayError `request_refused` for a role or a content part that Anthropic does not
 *   support
 */
export function toAnthropicMessages(
  messages: readonly ChatMessage[],
  { searches, prefill }: { searches: boolean; prefill: boolean },
): {
  system: AnthropicBlock[];
  messages: AnthropicTurn[];
} {
  const system: AnthropicBlock[] = [];
  const turns: AnthropicTurn[] = [];
  messages.forEach((message, index) => {
    const field = `messages[${index}]`;
    const blocks = blocksOf(message, field).filter((block) => searches || !isSearchBlock(block));
    const last = blocks.at(-1);
    if (last && message['cache_control']) last['cache_control'] = message['cache_control'];
    if (isInstruction(message) && turns.length === 0) system.push(...blocks);
    else addTurn(turns, message.role === 'assistant' ? 'assistant' : 'user', blocks);
  });
  trimPrefill(turns.at(-1));
  // Anthropic refuses a conversation that consists only of instructions
  if (turns.length === 0 && system.length > 0)
    turns.push({ role: 'user', content: system.splice(0) });
  completeTurns(
    turns,
    (text): AnthropicTurn => ({ role: 'user', content: [{ type: 'text', text }] }),
    // a last message without content has no turn
    prefill && messages.at(-1)?.role === 'assistant',
  );
  return { system, messages: turns };
}

function addTurn(
  turns: AnthropicTurn[],
  role: AnthropicTurn['role'],
  content: AnthropicBlock[],
): void {
  if (content.length === 0) return;
  const last = turns.at(-1);
  if (last?.role !== role) {
    turns.push({ role, content });
    return;
  }
  addToTurn(last.content, content, isResult);
}

const isResult = ({ type }: AnthropicBlock): boolean => type === 'tool_result';

/** Anthropic refuses a started answer that ends in white space. */
function trimPrefill(turn: AnthropicTurn | undefined): void {
  const last = turn?.role === 'assistant' ? turn.content.at(-1) : undefined;
  if (last?.type === 'text') last['text'] = (last['text'] as string).trimEnd();
}

function blocksOf(message: ChatMessage, field: string): AnthropicBlock[] {
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      return contentBlocks(message.content, field);
    case 'assistant':
      return [
        ...(message.reasoning_details ?? []).flatMap(returnedDetail),
        ...contentBlocks(message.content, field),
        ...contentBlocks(message.refusal, field),
        ...(message.tool_calls ?? []).map((call, index) =>
          toolUse(call, `${field}[tool_calls][${index}]`),
        ),
      ];
    case 'tool':
      return [toolResult(message, field)];
    default:
      throw unsupportedField(`${field}[role]`, `Anthropic does not support "${message.role}"`);
  }
}

function toolUse({ id, function: called }: Partial<ToolCall>, field: string): AnthropicBlock {
  if (!id) throw unsupportedField(`${field}[id]`, 'is missing');
  if (!called)
    throw unsupportedField(`${field}[function]`, 'is missing: Anthropic supports only functions');
  return { type: 'tool_use', id, name: called.name, input: toolInput(called.arguments) };
}

/** A block that the client got of an earlier answer, for the model to go on from. */
const returnedDetail = (detail: unknown): AnthropicBlock[] => [
  ...returnedBlock(detail),
  ...thinkingBlock(detail),
];

/** Anthropic takes back only thinking that it signed; other providers' reasoning is omitted. */
export function thinkingBlock(detail: unknown): AnthropicBlock[] {
  const { type, text, signature, data, format } = (detail ?? {}) as Record<string, unknown>;
  if (typeof format === 'string' && !format.startsWith('anthropic')) return [];
  if (type === 'reasoning.text' && typeof signature === 'string' && signature !== '')
    return [{ type: 'thinking', thinking: text ?? '', signature }];
  return type === 'reasoning.encrypted' && typeof data === 'string'
    ? [{ type: 'redacted_thinking', data }]
    : [];
}

function toolResult(message: ChatMessage, field: string): AnthropicBlock {
  if (!message.tool_call_id) throw unsupportedField(`${field}[tool_call_id]`, 'is missing');
  const isText = ({ type }: AnthropicBlock): boolean => type === 'text';
  let content = contentBlocks(message.content, field);
  // a failure has a text, and nothing else
  if (message.is_error && !(content.length > 0 && content.every(isText)))
    content = contentBlocks(toldContent(message), field);
  return {
    type: 'tool_result',
    tool_use_id: message.tool_call_id,
    ...(content.length > 0 ? { content } : {}),
    ...(message.is_error && content.every(isText) ? { is_error: true } : {}),
  };
}

function contentBlocks(
  content: string | ContentPart[] | null | undefined,
  field: string,
): AnthropicBlock[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return parts.flatMap((part: ContentPart, index) => {
    const block = partBlock(part, `${field}[content][${index}]`);
    if (block === null) return [];
    return part['cache_control'] ? [{ ...block, cache_control: part['cache_control'] }] : [block];
  });
}

function partBlock(part: ContentPart, field: string): AnthropicBlock | null {
  switch (part.type) {
    case 'text':
    case 'refusal': {
      const text = part.text ?? part['refusal'];
      return typeof text === 'string' && text.trim() !== '' ? { type: 'text', text } : null;
    }
    case 'image_url':
      return imageBlock(
        mediaSource(part.image_url?.url ?? '', `${field}[image_url]`),
        `${field}[image_url]`,
      );
    case 'file':
      return fileBlock(part['file'], `${field}[file]`);
    default:
      throw unsupportedField(field, `Anthropic does not support parts of type "${part.type}"`);
  }
}

function imageBlock(source: MediaSource, field: string): AnthropicBlock {
  if (source.type === 'base64' && !usualImage.test(source.media_type))
    throw unsupportedField(field, `Anthropic does not support ${source.media_type}`);
  return { type: 'image', source };
}

function fileBlock(file: unknown, field: string): AnthropicBlock {
  const { file_data: fileContent, filename } = (file ?? {}) as {
    file_data?: unknown;
    filename?: unknown;
  };
  if (typeof fileContent !== 'string')
    throw unsupportedField(`${field}[file_data]`, 'is missing: Anthropic does not know file ids');
  const isBare = !/^(data:|https?:)/i.test(fileContent);
  const source = mediaSource(
    isBare ? `data:application/pdf;base64,${fileContent}` : fileContent,
    `${field}[file_data]`,
  );
  const title = typeof filename === 'string' && filename !== '' ? { title: filename } : {};
  if (source.type === 'url' || source.media_type === 'application/pdf')
    return { type: 'document', source, ...title };
  if (source.media_type.startsWith('image/')) return imageBlock(source, `${field}[file_data]`);
  if (!source.media_type.startsWith('text/'))
    throw unsupportedField(
      `${field}[file_data]`,
      `Anthropic does not support files of type ${source.media_type}`,
    );
  const text = Buffer.from(source.data, 'base64').toString('utf8');
  return {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: text },
    ...title,
  };
}

type MediaSource =
  { type: 'url'; url: string } | { type: 'base64'; media_type: string; data: string };

function mediaSource(url: string, field: string): MediaSource {
  if (/^https?:\/\//i.test(url)) return { type: 'url', url };
  const inline = readInlineFile(url, (content) => decoded(content, field));
  if (!inline) throw unsupportedField(field, 'must be an http(s) or a data URL');
  return { type: 'base64', media_type: inline.mediaType, data: inline.base64 };
}

function decoded(content: string, field: string): string {
  try {
    return decodeURIComponent(content);
  } catch (cause) {
    throw new GatewayError('request_refused', `${field}: is not a readable data URL`, {
      field,
      cause,
    });
  }
}
