import type { FieldWarning } from '../../../pipeline/request.js';
import { gatewayFields } from '../openai.js';
import { itemsOf, type Json, jsonList, type ResponsesBody, typeOf } from './body.js';
import { sentTools } from './flat-tools.js';

/** What of a request only providers of this dialect understand. */
export interface OnlyOriginal {
  /** The first thing without which an answer would be another one; null: none. */
  readonly needs: string | null;
  /** What other providers answer without. */
  readonly dropped: readonly FieldWarning[];
}

/**
 * What becomes of a thing where another dialect answers: it is translated or means nothing there, is
 * dropped with a warning, or the request cannot be answered there at all.
 */
type Fate = 'silent' | 'dropped' | 'needed';

const all = (names: string, fate: Fate): [string, Fate][] =>
  names.split(' ').map((name) => [name, fate]);

/** Every thing that is known, by where it is. What is not listed has the fate `unlisted`. */
export const fates: Readonly<
  Record<'field' | 'tool' | 'item' | 'part', { readonly [name: string]: Fate; unlisted: Fate }>
> = {
  field: {
    ...Object.fromEntries([
      ...all('model input instructions tools tool_choice parallel_tool_calls', 'silent'),
      ...all('max_output_tokens temperature top_p top_logprobs text reasoning', 'silent'),
      ...all('stream store previous_response_id user safety_identifier', 'silent'),
      ...all('prompt_cache_key prompt_cache_retention service_tier', 'silent'),
      ...all([...gatewayFields].join(' '), 'silent'),
      // what a client notes down for itself goes to no other maker
      ...all('metadata client_metadata include stream_options background', 'silent'),
      ...all('prompt_cache_options conversation prompt', 'silent'),
      ...all('truncation context_management max_tool_calls moderation', 'dropped'),
    ]),
    unlisted: 'dropped',
  },
  tool: {
    ...Object.fromEntries([
      ...all('function custom namespace', 'silent'),
      // without these an answer is still one; agents send them with every turn
      ...all('web_search web_search_preview tool_search', 'dropped'),
      ...all('image_generation code_interpreter', 'dropped'),
      ...all('file_search mcp computer computer_use_preview computer_use', 'needed'),
      ...all('local_shell shell apply_patch programmatic_tool_calling', 'needed'),
    ]),
    unlisted: 'needed',
  },
  item: {
    ...Object.fromEntries([
      ...all('message reasoning function_call function_call_output', 'silent'),
      ...all('custom_tool_call custom_tool_call_output additional_tools', 'silent'),
      ...all('compaction_trigger', 'silent'),
      // the traces of tools that a provider ran: what came of them is in its answer
      ...all('web_search_call file_search_call code_interpreter_call', 'dropped'),
      ...all('image_generation_call mcp_list_tools mcp_call', 'dropped'),
      ...all('tool_search_call tool_search_output', 'dropped'),
      ...all('compaction item_reference computer_call computer_call_output', 'needed'),
      ...all('local_shell_call local_shell_call_output shell_call shell_call_output', 'needed'),
      ...all('apply_patch_call apply_patch_call_output program program_output', 'needed'),
      ...all('mcp_approval_request mcp_approval_response', 'needed'),
    ]),
    unlisted: 'needed',
  },
  part: {
    ...Object.fromEntries([
      ...all('input_text output_text text refusal input_audio', 'silent'),
      ...all('input_image input_file', 'silent'),
    ]),
    unlisted: 'needed',
  },
};

/** One thing of a request, with where it is as a client would write it. */
interface Thing {
  readonly kind: keyof typeof fates;
  readonly name: string;
  readonly field: string;
}

/** Reads what of a request only providers of this dialect understand. */
export function onlyOriginal(body: ResponsesBody): OnlyOriginal {
  const dropped = new Map<string, FieldWarning>();
  let needs: string | null = null;
  for (const { kind, name, field } of thingsOf(body)) {
    const fate = name === 'unlisted' ? 'needed' : (fates[kind][name] ?? fates[kind].unlisted);
    if (fate === 'needed') needs ??= field;
    if (fate === 'dropped')
      dropped.set(field, { field, message: 'this model answered without it' });
  }
  return { needs, dropped: [...dropped.values()] };
}

function* thingsOf(body: ResponsesBody): Iterable<Thing> {
  for (const [name, value] of Object.entries(body))
    if (isAsked(name, value)) yield { kind: 'field', name, field: name };
  for (const tool of sentTools(body)) yield* toolThings(tool);
  const { tool_choice: choice } = body;
  // a model that has to call a tool must have it
  if (typeof choice === 'object' && choice !== null && isHosted(choice))
    yield { kind: 'tool', name: 'unlisted', field: `tool_choice: ${String(choice['type'])}` };
  for (const item of itemsOf(body)) {
    yield { kind: 'item', name: typeOf(item), field: `input: ${typeOf(item)}` };
    for (const content of [item['content'], item['output']])
      if (typeOf(item) !== 'reasoning') yield* partThings(content);
  }
}

function* toolThings(tool: Json): Iterable<Thing> {
  const type = String(tool['type']);
  const name = type.replace(/_\d{4}_\d{2}_\d{2}$/, '');
  yield { kind: 'tool', name, field: `tools: ${type}` };
  if (name === 'namespace') for (const one of jsonList(tool['tools'])) yield* toolThings(one);
}

function* partThings(content: unknown): Iterable<Thing> {
  for (const part of jsonList(content)) {
    const type = String(part['type']);
    const isReference = typeof part['file_id'] === 'string';
    yield {
      kind: 'part',
      name: isReference ? 'unlisted' : type,
      field: `input: ${type}${isReference ? ' with a file_id' : ''}`,
    };
  }
}

/** Whether a choice names a tool that a provider runs. */
const isHosted = ({ type }: Json): boolean =>
  type !== 'function' && type !== 'custom' && type !== 'allowed_tools';

/** A field that says what is so without it asks for nothing. */
const isAsked = (name: string, value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== false &&
  !(name === 'truncation' && value === 'disabled') &&
  !(Array.isArray(value) && value.length === 0);
