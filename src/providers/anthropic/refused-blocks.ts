import { type Json, isObject, omit, textIn } from '../../text/is-object.js';
import { actualImageType } from '../image-type.js';

const cacheMark: ReadonlySet<string> = new Set(['cache_control']);
const isThinking = ({ type }: Json): boolean => type === 'thinking' || type === 'redacted_thinking';

/**
 * Whether Claude refuses a block: an empty text, or thinking without a signature. White space stays,
 * because Claude writes it between signed blocks and refuses them if their places change.
 */
const isRefused = (block: unknown): boolean =>
  isObject(block) &&
  (isThinking(block)
    ? !block[block['type'] === 'thinking' ? 'signature' : 'data']
    : block['type'] === 'text' && block['text'] === '');

/**
 * A block with its own blocks read; thinking has no mark of a cache, and an image the type that its
 * bytes have. The same where nothing changes.
 */
function readBlock(block: unknown): unknown {
  if (!isObject(block)) return block;
  if (isThinking(block) && 'cache_control' in block) return omit(block, cacheMark);
  if (block['type'] === 'image') return withOwnType(block);
  return block['type'] === 'tool_result' ? withContent(block) : block;
}

function withOwnType(image: Json): Json {
  const given = image['source'];
  const { type, media_type: stated, data, ...source } = isObject(given) ? given : {};
  const own = type === 'base64' ? actualImageType(textIn(data), textIn(stated)) : stated;
  return own === stated ? image : { ...image, source: { ...source, type, media_type: own, data } };
}

function readContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  // each block is read once, however deep it lies
  const read = content.filter((block) => !isRefused(block)).map(readBlock);
  const isSame = read.length === content.length && read.every((block, at) => block === content[at]);
  return isSame ? content : read;
}

function withContent(holder: Json): Json {
  const content = readContent(holder['content']);
  return content === holder['content'] ? holder : { ...holder, content };
}

const isEmpty = (content: unknown): boolean =>
  content === '' || (Array.isArray(content) && content.length === 0);

/**
 * A body of Messages without what Claude refuses in histories that other servers have answered. The
 * same object where there is none of that. What the client itself says is never empty afterwards.
 */
export function withoutRefused(body: Json): Json {
  const turns = body['messages'] as readonly Json[];
  const messages = turns.flatMap((turn, at) => {
    const taken = withContent(turn);
    if (!isEmpty(taken['content'])) return [taken];
    return turn['role'] === 'assistant' && at < turns.length - 1 ? [] : [turn];
  });
  const { system: given } = body;
  const read = readContent(given);
  const system = isEmpty(read) ? given : read;
  const isSame =
    messages.length === turns.length && messages.every((turn, at) => turn === turns[at]);
  if (isSame && system === given) return body;
  return { ...body, messages, ...(system === undefined ? {} : { system }) };
}
