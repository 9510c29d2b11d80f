import type { ChatMessage, ContentPart, ToolCall } from '../../../completion.js';
import { openReasoning } from '../foreign-reasoning.js';
import { isObject, type Json, objectsIn, pick, present, textIn } from '../../../text/is-object.js';
import { itemsOf, jsonList, type ResponsesBody, typeOf } from './body.js';
import { customArguments } from '../../../custom-tools.js';
import { flatName } from './flat-tools.js';

/**
 * The conversation of a request as chat messages. What only providers of this dialect understand is
 * left out: `onlyOriginal` says what that is.
 */
export function chatMessages(body: ResponsesBody): ChatMessage[] {
  const reader = new ItemReader();
  if (body.instructions) reader.messages.push({ role: 'system', content: body.instructions });
  for (const item of itemsOf(body)) reader.read(item);
  return reader.messages;
}

class ItemReader {
  readonly messages: ChatMessage[] = [];

  read(item: Json): void {
    switch (typeOf(item)) {
      case 'message':
        this.message(item);
        break;
      case 'reasoning':
        this.reasoning(item);
        break;
      case 'function_call':
        this.call(item, textIn(item['arguments']));
        break;
      case 'custom_tool_call':
        this.call(item, customArguments(item['input']));
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.messages.push({
          role: 'tool',
          tool_call_id: textIn(item['call_id']),
          content: contentOf(item['output']),
        });
    }
  }

  private message({ role, content }: Json): void {
    if (role === 'assistant') this.answer(content);
    // other makers than OpenAI refuse the role "developer"
    else
      this.messages.push({
        role: role === 'developer' ? 'system' : textIn(role) || 'user',
        content: contentOf(content),
      });
  }

  private answer(sent: unknown): void {
    const parts = typeof sent === 'string' ? [] : objectsIn(sent as Json[]);
    const refusal = parts.map((part) => textIn(part['refusal'])).join('');
    const text =
      typeof sent === 'string' ? sent : parts.map((part) => textIn(part['text'])).join('');
    // chat turns have their text before their calls
    const turn = this.unspokenTurn('');
    turn.content = `${typeof turn.content === 'string' ? turn.content : ''}${text}`;
    if (refusal) turn.refusal = refusal;
  }

  /** Reasoning comes before text and calls, so that it begins a turn. */
  private reasoning(item: Json): void {
    const details = openReasoning(item['encrypted_content']);
    const texts = jsonList(item['summary']).length > 0 ? item['summary'] : item['content'];
    const text = jsonList(texts)
      .map((part) => textIn(part['text']))
      .join('\n\n');
    if (!details?.length && text === '') return;
    // between calls it stays in their turn: chat turns with calls have to be followed by the results
    const turn = this.unspokenTurn(null);
    if (text) turn.reasoning_content = [turn.reasoning_content, text].filter(Boolean).join('\n\n');
    if (details?.length) turn.reasoning_details = [...(turn.reasoning_details ?? []), ...details];
  }

  private call({ id: own, call_id: id = own, namespace, name }: Json, args: string): void {
    const turn = this.openTurn() ?? this.begin({ role: 'assistant', content: null });
    const call: ToolCall = {
      id: textIn(id),
      type: 'function',
      function: { name: flatName(namespace, name), arguments: args },
    };
    (turn.tool_calls ??= []).push(call);
  }

  /** The model's turn that the last item belongs to. */
  private openTurn(): ChatMessage | null {
    const last = this.messages.at(-1);
    return last?.role === 'assistant' ? last : null;
  }

  /** The same, where it has calls or no text; else a new one. */
  private unspokenTurn(content: '' | null): ChatMessage {
    const last = this.openTurn();
    if (last && (last.tool_calls || !last.content)) return last;
    return this.begin({ role: 'assistant', content });
  }

  private begin(message: ChatMessage): ChatMessage {
    this.messages.push(message);
    return message;
  }
}

/** One text without marks stays a text, because some providers do not know parts. */
function contentOf(sent: unknown): string | ContentPart[] {
  if (typeof sent === 'string') return sent;
  const parts = objectsIn(sent as Json[]).flatMap(contentPart);
  const [first] = parts;
  const isPlain = parts.length === 1 && first?.type === 'text' && Object.keys(first).length === 2;
  return isPlain ? (first.text ?? '') : parts;
}

/** A part of a Responses message as one of a chat message; none: it has no translation. */
export function contentPart(part: Json): ContentPart[] {
  const cacheEnd = pick(part, ['prompt_cache_breakpoint']);
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return [{ type: 'text', text: textIn(part['text']), ...cacheEnd }];
    case 'input_image': {
      const { image_url: given } = part;
      const url = textIn(isObject(given) ? given['url'] : given);
      const { detail } = part;
      const image = { url, ...(typeof detail === 'string' ? { detail } : {}) };
      return url === '' ? [] : [{ type: 'image_url', image_url: image, ...cacheEnd }];
    }
    case 'input_file': {
      const { filename, file_data: bytes, file_url: url, file_id } = part;
      const file = present({ filename, file_data: bytes ?? url, file_id });
      return [{ type: 'file', file, ...cacheEnd }];
    }
    case 'input_audio':
      return [{ type: 'input_audio', input_audio: part['input_audio'] }];
    default:
      return [];
  }
}
