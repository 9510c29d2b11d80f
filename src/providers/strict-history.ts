import {
  type ChatMessage,
  type ContentPart,
  functionName,
  isInstruction,
  type ToolCall,
} from '../completion.js';
import { withoutLegacyFunctions } from '../legacy-functions.js';
import { type Fields, present } from '../text/is-object.js';

/** Texts for turns and results that strict providers require and the conversation lacks. */
export const filler = {
  opening: '(The conversation begins.)',
  noText: '(no text)',
  /** A tool's result without content, or none at all. */
  noResult: '(no result)',
  /** The user asks for the rest of an answer, where the conversation may not end with its beginning. */
  goOn: 'Go on with your last message exactly where it ends. Repeat nothing of it, and do not mention this request.',
};

const told = (text = ''): string => {
  if (text === '') return 'Error';
  return /^\W*\w*error/i.test(text) ? text : `Error: ${text}`;
};

/**
 * The content of a message, for dialects that have no field for a tool that failed: a model takes a
 * result that does not say so for a success.
 */
export function toldContent({ content, is_error: failed }: ChatMessage): ChatMessage['content'] {
  if (!failed) return content;
  if (!Array.isArray(content)) return told(content ?? '');
  const [first, ...rest] = content;
  return first?.type === 'text'
    ? [{ ...first, text: told(first.text) }, ...rest]
    : [{ type: 'text', text: told() }, ...content];
}

/** Two turns of a role as one. A name stays where both have it. */
export function joinedTurns(first: ChatMessage, second: ChatMessage): ChatMessage {
  const [one, two] = [first.content ?? '', second.content ?? ''];
  const isText = typeof one === 'string' && typeof two === 'string';
  const content = isText
    ? [one, two].filter((text) => text !== '').join('\n\n')
    : [...partsOf(one), ...partsOf(two)];
  const calls = [...(first.tool_calls ?? []), ...(second.tool_calls ?? [])];
  const { name: _name, ...both } = { ...first, ...second, content };
  return {
    ...both,
    ...present({ name: first.name === second.name ? first.name : undefined }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

const partsOf = (content: string | ContentPart[]): ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Calls of one turn that a client sent as several turns, before any result: each wants its result. */
export function withJoinedCalls(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const goesOn = ({ tool_calls: calls }: ChatMessage, at: number): boolean =>
    Boolean(calls?.length && messages[at - 1]?.tool_calls?.length);
  if (!messages.some(goesOn)) return messages;
  const turns: ChatMessage[] = [];
  messages.forEach((message, at) => {
    const last = turns.at(-1);
    if (last && goesOn(message, at)) turns.splice(-1, 1, joinedTurns(last, message));
    else turns.push(message);
  });
  return turns;
}

/**
 * Completes turns where a user must begin and end, in place.
 * @param says makes a turn of the user
 * @param prefill whether the conversation may end with a turn of the model
 */
export function completeTurns<Turn extends { role?: string }>(
  turns: Turn[],
  says: (text: string) => Turn,
  prefill = false,
): void {
  if (turns.length === 0) turns.push(says(filler.noText));
  if (turns[0]?.role !== 'user') turns.unshift(says(filler.opening));
  if (turns.at(-1)?.role !== 'user' && !prefill) turns.push(says(filler.goOn));
}

/** One turn, where successive turns have different roles. */
export interface AlternatingTurn<Block> {
  role: 'user' | 'assistant';
  content: Block[];
}

/**
 * Translates a conversation for Claude, and for what is asked as Claude is: instructions before the
 * first turn go to `system`, later ones into the user's turn at their place, so that the start of the
 * prompt stays the same and its cache valid; tool results become part of a user turn; successive
 * messages of one role become one turn, and messages without content none.
 * @param dialect.prefill whether the conversation may end with a turn of the model; else the user
 *   asks it to go on
 * @param dialect.isMark says of blocks that they belong to the result before them
 */
export function alternatingTurns<Block extends Fields>(
  messages: readonly ChatMessage[],
  dialect: {
    blocksOf(message: ChatMessage, index: number): Block[];
    textBlock(text: string): Block;
    prefill: boolean;
    isResult(block: Block): boolean;
    isMark?(block: Block): boolean;
  },
): { system: Block[]; turns: AlternatingTurn<Block>[] } {
  const { isMark = () => false, isResult } = dialect;
  const system: Block[] = [];
  const turns: AlternatingTurn<Block>[] = [];
  for (const [index, message] of messages.entries()) {
    const content = dialect.blocksOf(message, index);
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (isInstruction(message) && !last) system.push(...content);
    else if (last?.role !== role) {
      if (content.length > 0) turns.push({ role, content });
    } else {
      // Claude requires the results of tools first
      let after = content.some(isResult) ? last.content.findLastIndex(isResult) + 1 : Infinity;
      while (after < last.content.length && isMark(last.content[after]!)) after++;
      last.content.splice(after, 0, ...content);
    }
  }
  const last = turns.at(-1);
  const end: Fields | undefined =
    last?.role === 'assistant' ? last.content.findLast((block) => !isMark(block)) : undefined;
  // Claude refuses a started answer that ends in white space
  if (typeof end?.['text'] === 'string') end['text'] = end['text'].trimEnd();
  // and a conversation that consists only of instructions
  if (!last && system.length > 0) turns.push({ role: 'user', content: system.splice(0) });
  completeTurns<AlternatingTurn<Block>>(
    turns,
    (text) => ({ role: 'user', content: [dialect.textBlock(text)] }),
    // a last message without content has no turn
    dialect.prefill && messages.at(-1)?.role === 'assistant',
  );
  return { system, turns };
}

/** The functions that a conversation has calls of: some providers refuse it without them as tools. */
export const calledNames = (messages: readonly ChatMessage[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap(({ role, tool_calls: calls }) =>
      role === 'assistant' ? (calls?.map(functionName) ?? []) : [],
    ),
  );

/** The ids of tool calls that a provider takes. */
export interface CallIdForm {
  /** Matches each character that is refused. */
  readonly refused: RegExp;
  readonly maxLength: number;
}

/**
 * The same conversation with calls of tools as every strict provider takes them: without OpenAI's
 * older functions, ids of the given form, each only once, and a result for each call, right after it.
 * Results of calls that share an id, or have none, follow in the order of the calls; a result of no
 * call becomes a message of the user. A longer conversation with the same beginning has the same ids
 * there, so that caches stay valid.
 */
export function withPairedCalls(
  given: readonly ChatMessage[],
  form: CallIdForm,
): readonly ChatMessage[] {
  const messages = withJoinedCalls(withoutLegacyFunctions(given));
  if (!messages.some(({ role, tool_calls: calls }) => role === 'tool' || calls?.length))
    return messages;
  const ids = new CallIds(form);
  const paired: ChatMessage[] = [];
  let endOfResults = 0;
  for (const message of messages) {
    const { role, content, tool_calls: calls } = message;
    if (role === 'tool') {
      const id = ids.ofResult(message.tool_call_id ?? '');
      if (id === undefined) paired.push({ role: 'user', content: content ?? '' });
      else paired.splice(endOfResults++, 0, { ...message, tool_call_id: id });
      continue;
    }
    if (!calls?.length) {
      paired.push(message);
      continue;
    }
    ids.beginTurn();
    const fitting = calls.map((call: Omit<ToolCall, 'id'> & { id?: string | null }) => {
      const id = ids.ofCall(call.id ?? '');
      return id === call.id ? call : { ...call, id };
    });
    endOfResults = paired.push({ ...message, tool_calls: fitting as ToolCall[] });
  }
  return ids.unanswered.size === 0
    ? paired
    : paired.flatMap((message) => [message, ...missingResults(message, ids.unanswered)]);
}

/** For calls that were broken off, as by a user who went on. */
const missingResults = (
  { tool_calls: calls = [] }: ChatMessage,
  unanswered: ReadonlySet<string>,
): ChatMessage[] =>
  calls
    .filter(({ id }) => unanswered.has(id))
    .map(({ id }) => ({ role: 'tool', tool_call_id: id, content: filler.noResult }));

/** A call without a result, by its id in the conversation and the one that is sent. */
export interface OpenCall {
  readonly given: string;
  readonly sent: string;
}

/** Takes out the call that a result names: the first of its id, or without an id the first one. */
export function takeCall(open: OpenCall[], id: string): OpenCall | undefined {
  const named = open.findIndex((call) => call.given === id);
  const at = id === '' ? Math.max(named, 0) : named;
  return at === -1 ? undefined : open.splice(at, 1)[0];
}

class CallIds {
  readonly unanswered = new Set<string>();
  private readonly taken = new Set<string>();
  /** Of the last calls: those without a result. */
  private open: OpenCall[] = [];

  constructor(private readonly form: CallIdForm) {}

  /** Results that come from here on are those of the calls that follow. */
  beginTurn(): void {
    this.open = [];
  }

  ofCall(id: string): string {
    const { refused, maxLength } = this.form;
    const plain = id.replace(refused, '_') || 'call';
    let fitting = plain.slice(0, maxLength);
    for (let number = 2; this.taken.has(fitting); number++)
      fitting = `${plain.slice(0, maxLength - `_${number}`.length)}_${number}`;
    this.taken.add(fitting);
    this.unanswered.add(fitting);
    this.open.push({ given: id, sent: fitting });
    return fitting;
  }

  /** A result that names no call answers the first one that is open. Undefined: there is no call. */
  ofResult(id: string): string | undefined {
    const call = takeCall(this.open, id);
    if (call) this.unanswered.delete(call.sent);
    return call?.sent;
  }
}
