import type { ChatMessage, ContentPart, ToolCall } from '../../../completion.js';
import { exactJson } from '../../../text/exact-json.js';
import { isObject, nameSet, textIn } from '../../../text/is-object.js';
import { openReasoning } from '../foreign-reasoning.js';
import {
  blocksOf,
  type MessagesBlock,
  type MessagesRequest,
  type MessagesSource,
  type MessagesTurn,
} from './request.js';

/** The `format` of reasoning that Anthropic's models signed. */
const claudeFormat = 'anthropic-claude-v1';

/** The entry of sealed reasoning that has what a provider attached to one call. */
export const callDetail = 'signalbox.call';

/**
 * Translates the conversation of a body. Results of tools become messages of their own, before the
 * rest of their turn; a message of the role `system` stays in its place.
 */
export function toChatMessages({ system, messages }: MessagesRequest): ChatMessage[] {
  const instructions =
    typeof system === 'string'
      ? system.replace(makersLine, '') || null
      : contentOf(blocksOf(system).flatMap(withoutMakersLine));
  const turns = messages.flatMap(messagesOf);
  return instructions === null ? turns : [{ role: 'system', content: instructions }, ...turns];
}

/**
 * Claude Code begins the instructions with a line for its maker's accounts (2026-11). It differs in
 * each request, so that other providers' prompt caches miss, and Bedrock refuses it.
 */
const makersLine = /^x-anthropic-[\w-]+:[^\n]*\n*/;

function withoutMakersLine(block: MessagesBlock): MessagesBlock[] {
  const text = block.text?.replace(makersLine, '');
  if (text === block.text) return [block];
  return text ? [{ ...block, text }] : [];
}

/** The messages of one turn: results of tools before the rest. */
export function messagesOf({
  role,
  content,
}: Omit<MessagesTurn, 'role'> & { readonly role: string }): ChatMessage | ChatMessage[] {
  // a text is not taken for a list of one block, which costs several µs
  if (typeof content === 'string') return { role, content };
  const blocks = blocksOf(content);
  if (role === 'assistant') return assistantMessages(blocks);
  const results = blocks.filter(({ type }) => type === 'tool_result').map(resultOf);
  const rest = contentOf(blocks.filter(({ type }) => type !== 'tool_result'));
  return [...results, ...(rest === null ? [] : [{ role, content: rest }])];
}

function resultOf(block: MessagesBlock): ChatMessage {
  return {
    role: 'tool',
    tool_call_id: block.tool_use_id ?? '',
    content: contentOf(blocksOf(block.content)) ?? '',
    ...(block.is_error ? { is_error: true } : {}),
    ...marked(block),
  };
}

/** Marks of a prompt cache, which some providers of other dialects know too. */
const marked = ({ cache_control: control }: MessagesBlock): { cache_control?: object } =>
  control ? { cache_control: control } : {};

const contentOf = (blocks: readonly MessagesBlock[]): string | ContentPart[] | null =>
  simplified(blocks.flatMap(partsOf));

/** A single text becomes a string, because some providers do not know parts. Null: nothing. */
function simplified(parts: ContentPart[]): string | ContentPart[] | null {
  const [first] = parts;
  if (!first) return null;
  const isText = parts.length === 1 && first.type === 'text' && !first['cache_control'];
  return isText ? (first.text ?? '') : parts;
}

function partsOf(block: MessagesBlock): ContentPart[] {
  const { type, source, title } = block;
  const text = (written: string): ContentPart[] => [
    { type: 'text', text: written, ...marked(block) },
  ];
  switch (type) {
    case 'text':
      return text(block.text ?? '');
    case 'image':
      return isObject(source)
        ? [{ type: 'image_url', image_url: { url: urlOf(source) }, ...marked(block) }]
        : [];
    case 'document':
      return isObject(source) ? documentOf(source, block) : [];
    case 'search_result': {
      const found = blocksOf(block.content).map((inner) => inner.text ?? '');
      const address = textIn(source);
      return text([title ?? '', address, ...found].filter(Boolean).join('\n'));
    }
    case 'compaction':
      return textParts(block.content);
    case 'tool_reference':
      return text(`The tool ${String(block['tool_name'])} is available.`);
    default:
      // a chat message may have blocks among its own parts
      return chatParts.has(type) ? [block as ContentPart] : [];
  }
}

const chatParts = nameSet('image_url video_url file input_audio refusal');

const urlOf = ({ type, url, media_type: mediaType, data }: MessagesSource): string =>
  type === 'url' ? (url ?? '') : `data:${mediaType ?? 'image/png'};base64,${data ?? ''}`;

/** What is said of a document comes before it. */
const textParts = (...texts: unknown[]): ContentPart[] =>
  texts.flatMap((text) => (typeof text === 'string' && text ? [{ type: 'text', text }] : []));

function documentOf(source: MessagesSource, block: MessagesBlock): ContentPart[] {
  const { title, context } = block;
  if (source.type === 'text' || source.type === 'content') {
    const parts =
      source.type === 'text' ? textParts(source.data) : blocksOf(source.content).flatMap(partsOf);
    const named = [...textParts(title, context), ...parts];
    const mark = marked(block);
    return named.map((part, index) => (index === named.length - 1 ? { ...part, ...mark } : part));
  }
  if (source.type === 'file') return [];
  const url = urlOf({ ...source, media_type: source.media_type ?? 'application/pdf' });
  const file = { filename: title ?? 'document.pdf', file_data: url };
  return [...textParts(context), { type: 'file', file, ...marked(block) }];
}

const newDraft = () => ({
  parts: [] as ContentPart[],
  calls: [] as ToolCall[],
  details: [] as unknown[],
  reasoning: '',
  mark: {},
});
type AssistantDraft = ReturnType<typeof newDraft>;

/**
 * A message has its reasoning first, then its text, then its calls: reasoning after text begins
 * another one. After a call it does not, because a call's result must come next.
 */
function assistantMessages(blocks: readonly MessagesBlock[]): ChatMessage[] {
  const drafts = [newDraft()];
  const extras = new Map<string, unknown>();
  for (const block of blocks) {
    let draft = drafts.at(-1)!;
    const isReasoning = block.type === 'thinking' || block.type === 'redacted_thinking';
    if (isReasoning && draft.parts.length > 0 && draft.calls.length === 0)
      drafts.push((draft = newDraft()));
    if (isReasoning) addReasoning(draft, block, extras);
    else if (block.type === 'tool_use') {
      draft.calls.push(callOf(block, extras));
      Object.assign(draft.mark, marked(block));
    } else draft.parts.push(...partsOf(block));
  }
  return drafts.flatMap(messageOf);
}

function messageOf({ parts, calls, details, reasoning, mark }: AssistantDraft): ChatMessage[] {
  if (parts.length + calls.length + details.length === 0 && reasoning === '') return [];
  return [
    {
      role: 'assistant',
      content: simplified(parts),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(details.length > 0 ? { reasoning_details: details } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...mark,
    },
  ];
}

/** What Anthropic signed stays as it is; what the gateway sealed is opened. */
function addReasoning(
  draft: AssistantDraft,
  { type, thinking, signature, data }: MessagesBlock,
  extras: Map<string, unknown>,
): void {
  const sealed = openReasoning(type === 'thinking' ? signature : data);
  if (sealed !== null || (type === 'thinking' && !signature)) draft.reasoning += thinking ?? '';
  else if (type === 'thinking')
    draft.details.push({
      type: 'reasoning.text',
      text: thinking ?? '',
      signature,
      format: claudeFormat,
    });
  else draft.details.push({ type: 'reasoning.encrypted', data: data ?? '', format: claudeFormat });
  for (const detail of sealed ?? [])
    if (isObject(detail) && detail['type'] === callDetail)
      extras.set(String(detail['id']), detail['extra_content']);
    else draft.details.push(detail);
}

function callOf({ id, name, input }: MessagesBlock, extras: Map<string, unknown>): ToolCall {
  const extra = extras.get(id ?? '');
  return {
    id: id ?? '',
    type: 'function',
    function: { name: name ?? '', arguments: exactJson(input ?? {}) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  };
}
