import { type Json, isObject, omit, textIn } from '../../text/is-object.js';

const cacheMark: ReadonlySet<string> = new Set(['cache_control']);

/** Whether Claude refuses a block: an empty text, or thinking that nobody signed. */
function isRefused(block: unknown): boolean {
  if (!isObject(block)) return false;
  const { type, text, signature, data } = block;
  if (type === 'text') return textIn(text).trim() === '';
  return (type === 'thinking' && !signature) || (type === 'redacted_thinking' && !data);
}

/** A block with its own blocks read; thinking has no mark of a cache. The same where nothing changes. */
function readBlock(block: unknown): unknown {
  if (!isObject(block)) return block;
  if (block['type'] === 'thinking' && 'cache_control' in block) return omit(block, cacheMark);
  return block['type'] === 'tool_result' ? withContent(block) : block;
}

function read(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const isChanged = (block: unknown): boolean => isRefused(block) || readBlock(block) !== block;
  return content.some(isChanged)
    ? content.filter((block) => !isRefused(block)).map(readBlock)
    : content;
}

function withContent(holder: Json): Json {
  const content = read(holder['content']);
  return content === holder['content'] ? holder : { ...holder, content };
}

/** Whether Claude refuses a turn because it says nothing. */
const isEmpty = ({ content }: Json): boolean =>
  Array.isArray(content) ? content.length === 0 : textIn(content).trim() === '';

/**
 * A body of Messages without what Claude refuses in histories that other servers have answered. The
 * same object where there is none of that.
 */
export function withoutRefused(body: Json): Json {
  const turns = body['messages'] as readonly Json[];
  const messages = turns.map(withContent).filter((turn) => !isEmpty(turn));
  const system = read(body['system']);
  const isSame =
    messages.length === turns.length && messages.every((turn, at) => turn === turns[at]);
  if ((isSame || messages.length === 0) && system === body['system']) return body;
  return { ...body, messages, ...(system === undefined ? {} : { system }) };
}
