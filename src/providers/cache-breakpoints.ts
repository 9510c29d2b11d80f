import { isInstruction } from '../completion.js';
import { asList, isObject, omit, present } from '../text/is-object.js';

/** What is read of a request: of the internal dialect and of Messages, which mark alike. */
interface Markable {
  messages: readonly { role: string; content?: unknown }[];
  system?: unknown;
  tools?: readonly unknown[] | null;
  [field: string]: unknown;
}

const mark = { cache_control: { type: 'ephemeral' } } as const;
/** Of the conversation's end: this request writes the last one, and reads the one before. */
const markedTurns = 2;

const isMarked = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isMarked)
    : isObject(value) && (isObject(value['cache_control']) || isMarked(value['content']));

/** A content whose last part is marked; unchanged without a part. */
function markedContent(content: unknown): unknown {
  if (typeof content === 'string')
    return content === '' ? content : [{ type: 'text', text: content, ...mark }];
  if (!Array.isArray(content) || !isObject(content.at(-1))) return content;
  return [...(content.slice(0, -1) as unknown[]), { ...(content.at(-1) as object), ...mark }];
}

/**
 * A request that asks Anthropic's models to keep its beginning: the instructions (or without them
 * the tools), and the last two turns of the user, so that the next request of the conversation finds
 * what this one wrote. A request with marks of its own stays as it is.
 */
export function withCacheBreakpoints<Request extends Markable>(request: Request): Request {
  const { messages, system, tools } = request;
  if ([request, system, tools, messages].some(isMarked)) return request;
  const firstTurn = messages.findIndex((message) => !isInstruction(message));
  const users = messages.flatMap(({ role }, at) =>
    role === 'user' || role === 'tool' ? [at] : [],
  );
  const marked = new Set(users.slice(-markedTurns));
  if (firstTurn > 0) marked.add(firstTurn - 1);
  const hasInstructions = system !== undefined || firstTurn > 0;
  return {
    ...request,
    messages: messages.map((message, at) =>
      marked.has(at) ? { ...message, content: markedContent(message.content) } : message,
    ),
    ...(system === undefined ? {} : { system: markedContent(system) }),
    ...(hasInstructions || !tools?.length
      ? {}
      : { tools: [...tools.slice(0, -1), { ...(tools.at(-1) as object), ...mark }] }),
  };
}

/** Claude refuses a fifth, and so does Bedrock; Alibaba reads the last four. */
const maxMarks = 4;
const markField: ReadonlySet<string> = new Set(['cache_control']);

/** What is marked, in the order of the prompt. */
const marksIn = (value: unknown): object[] => {
  if (Array.isArray(value)) return value.flatMap(marksIn);
  if (!isObject(value)) return [];
  const inner = marksIn(value['content']);
  // of a message and of its last part one is left
  const isSaid = 'role' in value && inner.at(-1) === (asList(value['content']).at(-1) ?? null);
  return isObject(value['cache_control']) && !isSaid ? [...inner, value] : inner;
};

/**
 * The same request with at most four marks: the last two of its tools and instructions, which every
 * turn shares, and the latest of the conversation. Where one has fewer the other keeps more.
 */
export function withFewMarks<Request extends Markable>(request: Request): Request {
  const { messages, system, tools } = request;
  const start = marksIn([tools, system, messages.filter(isInstruction)]);
  const turns = marksIn(messages.filter((message) => !isInstruction(message)));
  // a mark of the whole request is one at its end
  const most = isObject(request['cache_control']) ? maxMarks - 1 : maxMarks;
  if (start.length + turns.length <= most) return request;
  const latest = turns.slice(-Math.max(markedTurns, most - start.length));
  const kept = new Set([...start.slice(latest.length - most), ...latest]);
  const unmarked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(unmarked);
    if (!isObject(value)) return value;
    const left = kept.has(value) ? value : omit(value, markField);
    return 'content' in left ? { ...left, content: unmarked(left['content']) } : left;
  };
  const [fewer, ...others] = [messages, system, tools].map(unmarked);
  return { ...request, messages: fewer, ...present({ system: others[0], tools: others[1] }) };
}
