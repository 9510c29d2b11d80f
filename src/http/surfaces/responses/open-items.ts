import { customInput } from '../../../custom-tools.js';
import { unescapeJson, type UrlCitation } from '../../../completion.js';
import { type Json, textIn } from '../../../text/is-object.js';
import { byteJson } from '../streamed-answer.js';
import type { FlatTool } from './flat-tools.js';

/** An item that is not whole yet, at its place in the output. */
export interface Open {
  readonly index: number;
  readonly id: string;
}
/** A message, with its parts that are whole. */
export interface OpenMessage extends Open {
  readonly content: object[];
  part: OpenPart | null;
}
/** A part of a message, as far as it has come. */
export interface OpenPart {
  readonly type: 'output_text' | 'refusal';
  /** Escaped for JSON (byte string). */
  escaped: string;
  readonly annotations: object[];
  readonly logprobs: unknown[];
  /** The start of its deltas. */
  readonly head: string;
}
/** Reasoning, as far as it has come. */
export interface OpenReasoning extends Open {
  text: string;
  readonly details: unknown[];
}
/** A call, as far as it has come. */
export interface BegunCall extends Open {
  readonly tool: Pick<FlatTool, 'name' | 'namespace' | 'isCustom'>;
  readonly callId: string;
  args: string;
  /** Whether the arguments are the text of a custom tool as it is, not JSON. */
  readonly isText: boolean;
  /** The length of what others have told the client of that text. */
  readonly told: number;
}

/** Where a message's open part is. */
export const partPlace = ({ id, index, content }: Omit<OpenMessage, 'part'>): Json => ({
  item_id: id,
  output_index: index,
  content_index: content.length,
});

/** The start of the deltas of a message's open part, as JSON without its braces. */
export const headOf = (message: Omit<OpenMessage, 'part'>): string =>
  byteJson(partPlace(message)).slice(1, -1);

/** A call of a function or a custom tool, as an item. */
export function callItem(
  { id, callId, tool, args, isText }: Omit<BegunCall, 'index'>,
  status: string,
): Json {
  const isDone = status !== 'in_progress';
  return {
    id,
    type: tool.isCustom ? 'custom_tool_call' : 'function_call',
    status,
    call_id: callId,
    name: tool.name,
    ...(tool.namespace === null ? {} : { namespace: tool.namespace }),
    ...(tool.isCustom
      ? { input: !isDone ? '' : isText ? args : customInput(args) }
      : { arguments: isDone ? args || '{}' : '' }),
  };
}

/** The events at the end of a call's arguments, before the item itself. */
export function callEnds({ tool, told }: BegunCall, item: Json): [type: string, fields: Json][] {
  const { input, arguments: args, name } = item;
  if (!tool.isCustom) return [['response.function_call_arguments.done', { name, arguments: args }]];
  const delta = textIn(input).slice(told);
  return [
    ['response.custom_tool_call_input.delta', { delta }],
    ['response.custom_tool_call_input.done', { input }],
  ];
}

/** An annotation of a part that begins behind some text of the answer. */
export function annotationOf(
  { url, title = '', start_index: from = 0, end_index: to = 0 }: UrlCitation['url_citation'],
  textLength: number,
): Json {
  const start = Math.max(0, from - textLength);
  const end = Math.max(start, to - textLength);
  return { type: 'url_citation', url, title, start_index: start, end_index: end };
}

/** A part with what has come of it. */
export function partOf({ type, escaped, annotations, logprobs }: OpenPart): Json {
  const text = unescapeJson(escaped);
  return type === 'refusal' ? { type, refusal: text } : { type, text, annotations, logprobs };
}

/** A part of a summary of reasoning. */
export const summary = (text: string): object => ({ type: 'summary_text', text });
