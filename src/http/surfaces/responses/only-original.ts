import { isObject, type Json } from '../../../text/is-object.js';
import { fateIn, type Fates, fatesOf, isGiven, OnlyOwn } from '../fates.js';
import { gatewayFields } from '../openai.js';
import { itemsOf, jsonList, type ResponsesBody, typeOf } from './body.js';
import { sentTools } from './flat-tools.js';

/** Every thing that is known, by where it is. */
export const fates = {
  field: fatesOf('dropped', {
    // what is translated, and what a client notes down for itself, which goes to no other maker
    silent: `
      model input instructions tools tool_choice parallel_tool_calls max_output_tokens temperature
      top_p top_logprobs text reasoning stream store previous_response_id user safety_identifier
      prompt_cache_key prompt_cache_retention service_tier ${[...gatewayFields].join(' ')}
      metadata client_metadata include stream_options background prompt_cache_options conversation
      prompt reasoning_effort thinking enable_thinking
    `,
    dropped: 'truncation context_management max_tool_calls moderation',
  }),
  tool: fatesOf('needed', {
    silent: 'function custom namespace',
    // without these an answer is still one; agents send them with every turn
    dropped: 'web_search web_search_preview tool_search image_generation code_interpreter',
    needed: `
      file_search mcp computer computer_use_preview computer_use local_shell shell apply_patch
      programmatic_tool_calling
    `,
  }),
  item: fatesOf('needed', {
    silent: `
      message reasoning function_call function_call_output custom_tool_call custom_tool_call_output
      additional_tools compaction_trigger web_search_call configuration_update
    `,
    // the traces of tools that a provider ran: what came of them is in its answer
    dropped: `
      file_search_call code_interpreter_call image_generation_call mcp_list_tools
      mcp_call tool_search_call tool_search_output
    `,
    needed: `
      compaction item_reference computer_call computer_call_output local_shell_call
      local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output
      program program_output mcp_approval_request mcp_approval_response agent_message
    `,
  }),
  part: fatesOf('needed', {
    silent: 'input_text output_text text refusal input_audio input_image input_file',
  }),
} satisfies Readonly<Record<string, Fates>>;

/** Finds what of a request only providers of this dialect understand; each as a client writes it. */
export function onlyOriginal(body: ResponsesBody): OnlyOwn {
  const found = new OnlyOwn();
  for (const [name, value] of Object.entries(body))
    // a field that says what is so without it asks for nothing
    if (isGiven(value) && value !== false && !(name === 'truncation' && value === 'disabled'))
      found.note(fateIn(fates.field, name), name);
  for (const tool of sentTools(body)) noteTool(tool, found);
  const { tool_choice: choice } = body;
  // a model that has to call a tool must have it
  if (isObject(choice) && isHosted(choice))
    found.note('needed', `tool_choice: ${String(choice['type'])}`);
  for (const item of itemsOf(body)) {
    const type = typeOf(item);
    found.note(fateIn(fates.item, type), `input: ${type}`);
    if (type === 'reasoning') continue;
    for (const content of [item['content'], item['output']])
      for (const part of jsonList(content)) notePart(part, found);
  }
  return found;
}

function noteTool(tool: Json, found: OnlyOwn): void {
  const type = String(tool['type']);
  const name = type.replace(/_\d{4}_\d{2}_\d{2}$/, '');
  found.note(fateIn(fates.tool, name), `tools: ${type}`);
  if (name === 'namespace') for (const one of jsonList(tool['tools'])) noteTool(one, found);
}

function notePart(part: Json, found: OnlyOwn): void {
  const type = String(part['type']);
  if (typeof part['file_id'] === 'string') found.note('needed', `input: ${type} with a file_id`);
  else found.note(fateIn(fates.part, type), `input: ${type}`);
}

/** Whether a choice names a tool that a provider runs. */
const isHosted = ({ type }: Json): boolean =>
  type !== 'function' && type !== 'custom' && type !== 'allowed_tools';
