import type { ChatMessage, ContentPart, ToolCall } from '../../completion.js';
import { GatewayError } from '../../errors.js';
import { readInlineFile, usualImage } from '../image-type.js';
import { toolInput } from '../call-arguments.js';
import { alternatingTurns, toldContent, type AlternatingTurn } from '../strict-history.js';
import { isSearchBlock, returnedBlock } from './web-search.js';

/** A content block of the Messages API. */
export interface AnthropicBlock {
  type: string;
  [field: string]: unknown;
}

/**
 * The error for a request that Anthropic does not support; the next candidate is then tried.
 * @param field as `messages[0][content]`
 */
export const unsupportedField = (field: string, reason: string): GatewayError =>
  new GatewayError('request_refused', `${field}: ${reason}`, { field });

/**
 * Translates a conversation as `alternatingTurns`; empty text is omitted, because Anthropic refuses
 * it.
 * @param searches whether the model may search; its earlier searches are sent only then
 * @throws GatewayError `request_refused` for a role or a content part that Anthropic does not
 *   support
 */
export const toAnthropicMessages = (
  messages: readonly ChatMessage[],
  { searches, prefill }: { searches: boolean; prefill: boolean },
): { system: AnthropicBlock[]; turns: AlternatingTurn<AnthropicBlock>[] } =>
  alternatingTurns<AnthropicBlock>(messages, {
    prefill,
    textBlock: (text) => ({ type: 'text', text }),
    isResult: ({ type }) => type === 'tool_result',
    blocksOf(message, index) {
      const blocks = blocksOf(message, `messages[${index}]`);
      const sent = searches ? blocks : blocks.filter((block) => !isSearchBlock(block));
      const last = sent.at(-1);
      if (last && message['cache_control']) last['cache_control'] = message['cache_control'];
      return sent;
    },
  });

function blocksOf(message: ChatMessage, field: string): AnthropicBlock[] {
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      return contentBlocks(message.content, field);
    case 'assistant':
      return [
        // blocks that the client got of an earlier answer, for the model to go on from
        ...(message.reasoning_details ?? []).flatMap((detail) => [
          ...returnedBlock(detail),
          ...thinkingBlock(detail),
        ]),
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
