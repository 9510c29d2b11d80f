import { type Fields, isObject } from '../../text/is-object.js';
import { beginsWell } from '../call-arguments.js';
import {
  type Begun,
  either,
  fits,
  isCount,
  isFull,
  isString,
  isTyped,
  list,
  nullable,
  object,
  OwnEvents,
  perhaps,
  type Shape,
} from '../own-events.js';
import type {
  ResponsesAnnotation,
  ResponsesAnswer,
  ResponsesError,
  ResponsesItem,
  ResponsesPart,
} from './answer.js';

/** An event of a stream, with the fields that are read. */
export interface ResponsesEvent extends ResponsesError {
  type?: string;
  response?: ResponsesAnswer;
  output_index?: number;
  content_index?: number;
  item_id?: string;
  summary_index?: number;
  item?: ResponsesItem;
  delta?: unknown;
  text?: unknown;
  part?: ResponsesPart | null;
  arguments?: string;
  input?: string;
  annotation?: ResponsesAnnotation;
  logprobs?: unknown[] | null;
  error?: ResponsesError | string | null;
}

const response: Shape = {
  id: isFull,
  created_at: Number.isFinite,
  model: isFull,
  output: Array.isArray,
};
const isUsage = nullable(
  object({
    input_tokens: isCount,
    output_tokens: isCount,
    input_tokens_details: nullable(isObject),
    output_tokens_details: nullable(isObject),
  }),
);

const link: Shape = { url: isFull, title: isString, start_index: isCount, end_index: isCount };
const isAnnotation = (value: unknown): boolean =>
  isTyped(value, { url_citation: link, file_citation: { file_id: isFull, filename: isString } });
const isLogprobs = nullable(list(isObject));

/** What clients read of a part or an item, by its type; of others they read what they know. */
const parts: Readonly<Record<string, Shape>> = {
  output_text: { text: isString, annotations: list(isAnnotation), logprobs: isLogprobs },
  refusal: { refusal: isString },
};
const isPart = (value: unknown): boolean =>
  isTyped(value, parts) && Object.hasOwn(parts, String(value['type']));
const isSummary = object({ type: isFull, text: isString });
const call: Shape = { call_id: isFull, name: isFull };
const status = either('in_progress', 'completed', 'incomplete');
const items: Readonly<Record<string, Shape>> = {
  message: { role: either('assistant'), content: list(isPart) },
  reasoning: { summary: list(isSummary), encrypted_content: nullable(isString) },
  function_call: { ...call, status, arguments: (args) => isFull(args) && beginsWell(args) },
  custom_tool_call: { ...call, status, input: isString },
};
/** Of one that begins: most clients pass over what it has already. */
const begun: Readonly<Record<string, Shape>> = {
  message: { role: either('assistant'), content: list(either()) },
  reasoning: { summary: list(either()) },
  function_call: { ...call, arguments: either('') },
  custom_tool_call: { ...call, input: perhaps(either('')) },
};

/** Of a call of the client's tools; the result of another kind of call has the same as the call. */
const callIdOf = ({ type, call_id: id }: Fields): string[] =>
  type === 'function_call' || type === 'custom_tool_call' ? [String(id)] : [];

const isItem = (value: unknown): value is Fields => isTyped(value, items) && isFull(value['id']);

const ended: Shape = {
  status: either('completed', 'incomplete'),
  output: list(isItem),
  usage: isUsage,
};

/** Whether clients of the Responses API can read a response that has ended. */
export function isRightResponse(value: unknown, status: unknown): boolean {
  if (!fits(value, response) || !fits(value, ended) || value['status'] !== status) return false;
  const { output, incomplete_details: details } = value;
  const ids = (output as Fields[]).flatMap(callIdOf);
  const isCut = status === 'incomplete';
  return (
    new Set(ids).size === ids.length &&
    (isCut ? fits(details, { reason: isString }) : nullable(either())(details))
  );
}

/** Passes on the events of the Responses API. */
export class OwnResponseEvents extends OwnEvents<ResponsesEvent> {
  /** The arguments of the call that ends, as told by an event of their own. */
  private told: string | null = null;

  protected isRight(event: ResponsesEvent): boolean {
    const type = event.type ?? '';
    if (!this.hasBegun) return type === 'response.created' && this.isStart(event);
    if (type.startsWith('response.output_item.')) return this.isItemEvent(type, event);
    if (/^response\.(completed|incomplete)$/.test(type)) return this.isEnd(type, event.response);
    if (event.response !== undefined || /^response\.\w+$/.test(type))
      return type !== 'response.done' && fits(event.response, response);
    if (event.output_index === undefined && !/delta|done/.test(type)) return type !== '';
    return this.isPiece(type, event);
  }

  private isStart(event: ResponsesEvent): boolean {
    return (this.hasBegun = fits(event.response, response));
  }

  private isEnd(type: string, value: unknown): boolean {
    if (this.open.size > 0 || !isRightResponse(value, type.slice('response.'.length))) return false;
    return ((value as Fields)['output'] as unknown[]).length === this.count;
  }

  private isItemEvent(type: string, { item, output_index: index }: ResponsesEvent): boolean {
    if (type.endsWith('.done')) {
      const known = this.open.get(index);
      if (!known || !isItem(item) || String(callIdOf(item)) !== known.callId) return false;
      if (item['type'] !== known.type || item['id'] !== known.id) return false;
      // LM Studio has none here, and all of them in the event before
      if (this.told !== null && this.told !== item['arguments']) return false;
      this.told = null;
      this.ended[known.index] = item;
      return this.open.delete(index);
    }
    if (index !== this.count || !isTyped(item, begun) || !isFull(item['id'])) return false;
    const [callId] = callIdOf(item);
    if (callId !== undefined && !this.isNew(callId)) return false;
    const { type: kind, id } = item;
    return this.begin(index, String(kind), String(id), callId);
  }

  /** An event inside an item. */
  private isPiece(type: string, event: ResponsesEvent): boolean {
    const known = this.open.get(event.output_index);
    if (!known || known.id !== event.item_id) return false;
    const isOfPart = ofPart.test(type);
    const isPartBegun = type.endsWith('_part.added');
    const part = event.content_index ?? event.summary_index;
    if (isOfPart && (isPartBegun ? !isCount(part) : !(Number(part) < known.parts))) return false;
    if (isPartBegun) known.parts++;
    const isOfText = type.startsWith('response.output_text.');
    if (isOfText && (known.type !== 'message' || !isRightText(type, event, known))) return false;
    this.speaking = known;
    if (type.endsWith('.delta')) {
      const isGoingOn = known.hasSpoken || known.type !== 'function_call';
      known.hasSpoken ||= event.delta !== '';
      return isString(event.delta) && (isGoingOn || beginsWell(event.delta));
    }
    if (isFull(event.arguments)) this.told = event.arguments ?? null;
    // the AI SDK refuses one without
    if (type.endsWith('_arguments.done') && !isString(event.arguments)) return false;
    return perhaps(isObject)(event.part) && perhaps(isString)(event.arguments);
  }
}

const ofPart = /^response\.(output_text|refusal|reasoning_(summary_)?(text|part)|content_part)\./;

/** What is said again at the end has come before, because most clients read the deltas alone. */
function isRightText(type: string, event: ResponsesEvent, known: Begun): boolean {
  if (type.endsWith('.annotation.added')) return isAnnotation(event.annotation);
  return isLogprobs(event.logprobs) && (known.hasSpoken || type.endsWith('.delta') || !event.text);
}
