import { isObject, namesIn } from '../../../text/is-object.js';
import {
  blocksOf,
  isClientTool,
  type MessagesBlock,
  type MessagesRequest,
  type MessagesTool,
} from './request.js';

/**
 * What becomes of something that only Messages has where another dialect is to answer: `needed`: no
 * other dialect can; `dropped`: it is left out, and the answer says so; `hint`: it is left out.
 */
type Fate = 'needed' | 'dropped' | 'hint';

const fates = <Of extends string>(rows: Readonly<Record<Of, string>>): Record<string, Of> =>
  Object.fromEntries(
    (Object.entries(rows) as [Of, string][]).flatMap(([fate, names]) =>
      names
        .split(' ')
        .filter(Boolean)
        .map((name) => [name, fate]),
    ),
  );

/** Fields of the body. One that is not listed here or translated is `dropped`. */
export const fieldFates = fates<Fate>({
  needed: 'container mcp_servers thread inference_geo',
  dropped: 'context_management service_tier speed compaction fallbacks diagnostics billing_policy',
  // the prompt is the same without it; and who asks is not another vendor's business
  hint: 'cache_control betas metadata',
});

/** Fields of a client's tool; without `defer_loading` it is loaded. Others are a `hint`. */
export const toolFieldFates = fates<Fate>({
  needed: '',
  dropped: 'input_examples allowed_callers',
  hint: 'defer_loading eager_input_streaming',
});

/** Tools of Anthropic's, by the start of their type. One that is not listed is `needed`. */
export const toolFates = fates<Fate | 'searched'>({
  needed:
    'web_fetch_ code_execution_ bash_ text_editor_ computer_ memory_ browser_ advisor_ mcp_toolset',
  dropped: 'tool_search_tool_',
  hint: '',
  // by the model's own search, or the gateway's
  searched: 'web_search_',
});

/** Content blocks. One that is not listed here or translated is `needed`. */
export const blockFates = fates<Fate>({
  needed:
    'container_upload web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result text_editor_code_execution_tool_result mcp_tool_use mcp_tool_result compaction',
  dropped: '',
  // the answer that was written from it is there
  hint: 'web_search_tool_result tool_search_tool_result',
});

const translatedFields = new Set(
  namesIn(`
  model messages system max_tokens temperature top_p top_k stop_sequences stream tools
  tool_choice thinking output_config output_format
`),
);
/** Content blocks that have a word in other dialects. */
export const translatedBlocks: ReadonlySet<string> = new Set(
  namesIn(`
  text image document search_result thinking redacted_thinking tool_use tool_result
  tool_reference
`),
);
const searchTools = /^(web_search|tool_search_tool_\w+)$/;

/** What a body has that only Messages has. */
export interface OnlyMessages {
  /** Why only providers of Messages can answer it; null: others can too. */
  readonly needs: string | null;
  /** What others answer without, by name. */
  readonly dropped: readonly string[];
}

/** A name that a client chose is repeated only where it can be no prompt and no secret. */
const shown = (name: unknown): string =>
  typeof name === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(name) ? name : 'another kind';

/** Finds what only Messages has, by the tables above. */
export function onlyMessages(body: MessagesRequest): OnlyMessages {
  const needs: string[] = [];
  const dropped = new Set<string>();
  const note = (fate: Fate | 'searched', name: string, need: string): void => {
    if (fate === 'needed') needs.push(need);
    else if (fate === 'dropped') dropped.add(name);
  };
  for (const [field, value] of Object.entries(body))
    if (!translatedFields.has(field) && isGiven(value))
      note(fieldFates[field] ?? 'dropped', shown(field), `\`${shown(field)}\``);
  for (const tool of body.tools ?? []) noteTool(tool, note);
  for (const { content } of body.messages)
    for (const block of blocksOf(content)) noteBlock(block, note);
  return { needs: needs[0] ?? null, dropped: [...dropped] };
}

type Note = (fate: Fate | 'searched', name: string, need: string) => void;

const isGiven = (value: unknown): boolean =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

function noteTool(tool: MessagesTool, note: Note): void {
  if (isClientTool(tool)) {
    for (const [field, fate] of Object.entries(toolFieldFates))
      if (isGiven(tool[field])) note(fate, `tools.${field}`, `tools with \`${field}\``);
    return;
  }
  const type = tool.type ?? '';
  const known = Object.keys(toolFates).find((start) => type.startsWith(start));
  const fate = known === undefined ? 'needed' : (toolFates[known] ?? 'needed');
  note(fate, `tools.${shown(type)}`, `the tool \`${shown(type)}\``);
}

function noteBlock(block: MessagesBlock, note: Note): void {
  const { type, source, name, content } = block;
  const isSearch = type === 'server_tool_use' && searchTools.test(name ?? '');
  if (!translatedBlocks.has(type) && !isSearch)
    note(blockFates[type] ?? 'needed', shown(type), `content of type \`${shown(type)}\``);
  if (isObject(source) && source['type'] === 'file')
    note('needed', 'file', 'a file of the provider by its id');
  if (type === 'document' && (block['citations'] as { enabled?: unknown } | null)?.enabled)
    note('dropped', 'citations', '');
  if (type === 'tool_result') for (const inner of blocksOf(content)) noteBlock(inner, note);
}
