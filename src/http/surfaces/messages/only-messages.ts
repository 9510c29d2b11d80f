import { isObject, nameSet } from '../../../text/is-object.js';
import { fateIn, fatesOf, isGiven, OnlyOwn } from '../fates.js';
import {
  blocksOf,
  isClientTool,
  type MessagesBlock,
  type MessagesRequest,
  type MessagesTool,
} from './request.js';

/** Fields of the body. */
export const fieldFates = fatesOf('dropped', {
  // what is translated; the prompt is the same without a cache; and who asks is not another vendor's
  // business
  silent: `
    model messages system max_tokens temperature top_p top_k stop_sequences stream tools
    tool_choice thinking output_config output_format cache_control betas metadata
    user_profile_id workspace_id
  `,
  dropped: 'context_management service_tier speed compaction fallbacks diagnostics billing_policy',
  needed: 'container mcp_servers thread inference_geo',
});

/** Fields of a client's tool; without `defer_loading` it is loaded. */
export const toolFieldFates = fatesOf('silent', {
  silent: 'defer_loading eager_input_streaming',
  dropped: 'input_examples allowed_callers',
});

/** Tools of Anthropic's, by the start of their type. */
export const toolFates = fatesOf('needed', {
  // by the model's own search, or the gateway's
  silent: 'web_search_',
  dropped: 'tool_search_tool_',
  needed: `
    web_fetch_ code_execution_ bash_ text_editor_ computer_ memory_ browser_ advisor_ mcp_toolset
  `,
});

const translated = `
  text image document search_result thinking redacted_thinking tool_use tool_result tool_reference
  compaction
`;
/** Content blocks that have a word in other dialects. */
export const translatedBlocks = nameSet(translated);

/** Content blocks. */
export const blockFates = fatesOf('needed', {
  // the answer that was written from what was found is there
  silent: `${translated} web_search_tool_result tool_search_tool_result fallback`,
  needed: `
    container_upload web_fetch_tool_result code_execution_tool_result mcp_tool_use mcp_tool_result
    bash_code_execution_tool_result text_editor_code_execution_tool_result
  `,
});

const searchTools = /^(web_search|tool_search_tool_\w+)$/;

/** A name that a client chose is repeated only where it can be no prompt and no secret. */
const shown = (name: unknown): string =>
  typeof name === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(name) ? name : 'another kind';

/** Finds what only Messages has, by the tables above. */
export function onlyMessages(body: MessagesRequest): OnlyOwn {
  const found = new OnlyOwn();
  for (const field of Object.keys(body)) {
    const fate = fateIn(fieldFates, field);
    if (fate !== 'silent' && isGiven(body[field]))
      found.note(fate, shown(field), `\`${shown(field)}\``);
  }
  // it writes the prompt to Anthropic's cache, and answers nothing
  if (body.max_tokens === 0) found.note('needed', 'max_tokens', '`max_tokens: 0`');
  for (const tool of body.tools ?? []) noteTool(tool, found);
  for (const { content } of body.messages)
    if (typeof content !== 'string') for (const block of blocksOf(content)) noteBlock(block, found);
  return found;
}

function noteTool(tool: MessagesTool, found: OnlyOwn): void {
  if (isClientTool(tool)) {
    for (const [field, fate] of toolFieldFates.known)
      if (isGiven(tool[field])) found.note(fate, `tools.${field}`);
    return;
  }
  const type = tool.type ?? '';
  const known = [...toolFates.known.keys()].find((start) => type.startsWith(start));
  found.note(fateIn(toolFates, known ?? ''), `tools.${shown(type)}`, `the tool \`${shown(type)}\``);
}

function noteBlock(block: MessagesBlock, found: OnlyOwn): void {
  const { type, source, name, content } = block;
  const isSearch = type === 'server_tool_use' && searchTools.test(name ?? '');
  const fate = isSearch ? 'silent' : fateIn(blockFates, type);
  if (fate !== 'silent') found.note(fate, shown(type), `content of type \`${shown(type)}\``);
  if (isObject(source) && source['type'] === 'file')
    found.note('needed', 'file', 'a file of the provider by its id');
  if ((block['citations'] as { enabled?: unknown } | null | undefined)?.enabled)
    found.note('dropped', 'citations');
  if (type === 'tool_result') for (const inner of blocksOf(content)) noteBlock(inner, found);
}
