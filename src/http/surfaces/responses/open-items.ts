import { customInput } from '../../../custom-tools.js';
import { unescapeJson } from '../../../completion.js';
import { byteJson } from '../streamed-answer.js';
import type { Json } from '../../../text/is-object.js';
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

/** A part with what has come of it. */
export function partOf({ type, escaped, annotations, logprobs }: OpenPart): Json {
  const text = unescapeJson(escaped);
  return type === 'refusal' ? { type, refusal: text } : { type, text, annotations, logprobs };
}

/** A part of a summary of reasoning. */
export const summary = (text: string): object => ({ type: 'summary_text', text });
