import { createHash } from 'node:crypto';
import {
  type ChatMessage,
  type ContentPart,
  reasoningOf,
  type ToolCall,
} from '../../completion.js';
import { withoutLegacyFunctions } from '../../legacy-functions.js';
import { toolInput } from '../call-arguments.js';
import {
  filler,
  type OpenCall,
  takeCall,
  toldContent,
  withJoinedCalls,
} from '../strict-history.js';
import { arrangedTurns, type TurnRules } from './arrange-turns.js';
import { nameSet } from '../../text/is-object.js';

/** What a provider takes of a conversation. Every field that is absent means: what all take. */
export interface HistoryRules extends TurnRules {
  /** True: it takes the role `developer`; else that becomes `system`. */
  readonly developer?: boolean;
  /**
   * Fields of messages that it takes in addition to content, name and tool calls; `all`: it ignores
   * those that it does not know.
   */
  readonly fields?: readonly string[] | 'all';
  /** True: it takes Anthropic's `cache_control`. */
  readonly cacheControl?: boolean;
  /** True: it takes OpenAI's `prompt_cache_breakpoint`. */
  readonly breakpoints?: boolean;
  /** False: it takes no names of users and assistants. */
  readonly names?: boolean;
  /**
   * Where it takes lists of texts. Absent: in what users say. True: everywhere, and it takes turns
   * without text too. False: nowhere.
   */
  readonly lists?: boolean;
  /** What each id of a call must match. Absent: `usualCallId`. */
  readonly callIds?: RegExp;
}

/** OpenAI refuses longer ones; Kimi's own contain dots and colons. */
const usualCallId = /^[\w.:-]{1,40}$/;
const nineCharacters = /^[a-zA-Z0-9]{9}$/;

/** Mistral's templates check this wherever its models run (mistral-common, 2026-11). */
export const mistralHistory: HistoryRules = {
  callIds: nineCharacters,
  alternates: true,
  answerAfterTools: true,
};
const mistralModel = /mi[sx]tral|ministral|codestral|devstral|magistral|pixtral/i;

/** Their templates take instructions at the start alone, wherever they run (vLLM issue 41114). */
const qwenModel = /qwen-?(3[.p][5-9]|[4-9](?!\d*b))/i;

/** These refuse a conversation with tool calls in which an answer lacks its reasoning. */
const returnsReasoning = /deepseek-(v[4-9]|chat|reasoner)|kimi-(k2[.p-]?[5-9]|k[3-9]|.*thinking)/i;
/** For the answers of other makers' models. An empty text counts as absent. */
const noReasoning = ' ';

const plainFields = ['role', 'content', 'name', 'tool_calls', 'tool_call_id'];

/** A provider's rules, made once, for one message after another. */
interface Compiled extends HistoryRules {
  readonly kept: ReadonlySet<string> | null;
  readonly callIds: RegExp;
}

const compiled = (rules: HistoryRules): Compiled => ({
  ...rules,
  kept:
    rules.fields === 'all'
      ? null
      : new Set([...plainFields, ...(rules.fields ?? []), ...(rules.cacheControl ? [mark] : [])]),
  callIds: rules.callIds ?? usualCallId,
});

const mark = 'cache_control';
const end = 'prompt_cache_breakpoint';

/**
 * Makes conversations those of one provider: its roles, fields, call ids and turns, without what it
 * refuses. What has no place there moves: pictures and files of a tool's result follow in a message
 * of the user. A request is not changed; a message that is right as it is stays the same object.
 *
 * What it costs: one walk over the messages, which looks at keys and not at texts, about 0.1 µs for
 * each (2026-11). Where all is right it allocates a few small objects for a turn with tool calls, and
 * copies nothing. Only a provider that is strict about turns needs a second walk.
 */
export function historyAdapter(
  rules: HistoryRules,
): (messages: readonly ChatMessage[], model: string) => readonly ChatMessage[] {
  const own = compiled(rules);
  const ofMistral = compiled({ ...rules, ...mistralHistory });
  const ofQwen = compiled({ ...rules, alternates: true });
  const ofOthers = (model: string): Compiled => (qwenModel.test(model) ? ofQwen : own);
  return (messages, model) => {
    const applied = mistralModel.test(model) ? ofMistral : ofOthers(model);
    const turns = withJoinedCalls(withoutLegacyFunctions(messages));
    const needsReasoning =
      (own.kept?.has('reasoning_content') ?? true) &&
      returnsReasoning.test(model) &&
      messages.some(({ tool_calls: calls }) => calls?.length);
    return arrangedTurns(new History(applied, needsReasoning).adapted(turns), applied);
  };
}

class History {
  /** Null while every message is right as it is. */
  private result: ChatMessage[] | null = null;
  /** Pictures and files that tools returned. They follow the results. */
  private following: ContentPart[] = [];
  /** Calls without a result, as they were and as they are sent. */
  private open: OpenCall[] = [];
  /** The ids of the turn's calls: servers refuse two with one id. */
  private readonly sent = new Set<string>();
  /** Results of no call, between those of calls. They follow too. */
  private strays: ChatMessage[] = [];

  constructor(
    private readonly rules: Compiled,
    private readonly needsReasoning: boolean,
  ) {}

  adapted(messages: readonly ChatMessage[]): readonly ChatMessage[] {
    for (const [at, given] of messages.entries()) {
      // the results of one turn must follow one another
      if (given.role !== 'tool') this.endResults(messages, at);
      const isAsked = at === messages.length - 1 && given.role === 'user';
      const message = this.taken(given, at);
      const isStray = given.role === 'tool' && message.role === 'user' && this.open.length > 0;
      const isNone = !this.rules.lists && !isAsked && isEmpty(message);
      if (isStray && !isNone) this.strays.push(message);
      const isDropped = isStray || isNone;
      if (message !== given || isDropped) this.result ??= messages.slice(0, at);
      if (!isDropped) this.result?.push(message);
    }
    this.endResults(messages, messages.length);
    return this.result ?? messages;
  }

  /** Providers want a result for each call, also of one that was broken off. */
  private endResults(messages: readonly ChatMessage[], at: number): void {
    if (this.open.length > 0) this.result ??= messages.slice(0, at);
    for (const { sent } of this.open)
      this.result?.push({ role: 'tool', tool_call_id: sent, content: filler.noResult });
    this.result?.push(...this.strays);
    [this.open, this.strays] = [[], []];
    this.sent.clear();
    if (this.following.length > 0) this.result?.push({ role: 'user', content: this.following });
    this.following = [];
  }

  private taken(given: ChatMessage, at: number): ChatMessage {
    const message = keptFields(given, (key) => isTaken(given, key, this.rules));
    const { role, content: said, tool_calls: calls } = given;
    const content = this.contentOf(given);
    const fields: Partial<ChatMessage> = {};
    if (content !== said) fields.content = content;
    if (role === 'developer' && !this.rules.developer) fields.role = 'system';
    if (role !== 'tool' && message.name && message.name.search(refusedInNames) !== -1)
      fields.name = message.name.replace(refusedInNames, '_').slice(0, 64);
    if (role === 'tool') {
      const call = takeCall(this.open, given.tool_call_id ?? '');
      // the result of no call is what the user says
      if (!call) return { role: 'user', content: content ?? '' };
      if (call.sent !== given.tool_call_id) fields.tool_call_id = call.sent;
    }
    if (calls?.length) {
      const sent = calls.map((call, index) => this.takenCall(call, `${at} ${index}`));
      if (sent.some((call, index) => call !== calls[index])) fields.tool_calls = sent;
    }
    if (this.needsReasoning && role === 'assistant' && !given.reasoning_content)
      fields.reasoning_content = reasoningOf(given) || noReasoning;
    for (const _changed in fields) return { ...message, ...fields };
    return message;
  }

  private contentOf(given: ChatMessage): ChatMessage['content'] {
    const { role } = given;
    const content = toldContent(given);
    const { lists } = this.rules;
    if (!content?.length) return this.emptyOf(given);
    if (role === 'tool') return this.resultOf(content);
    if (!Array.isArray(content)) return content;
    const isText =
      role !== 'user' || (lists === false && content.every(({ type }) => type === 'text'));
    if (!lists && isText) return textOf(content, role === 'assistant' ? '' : '\n');
    const parts = content.flatMap((part) => this.takenPart(part));
    return parts.some((part, index) => part !== content[index]) || parts.length < content.length
      ? parts
      : content;
  }

  /** Providers take null only from an assistant with calls or the like, and no empty list. */
  private emptyOf(given: ChatMessage): ChatMessage['content'] {
    const { role, content, tool_calls: calls, function_call: called, audio, refusal } = given;
    // Kimi K3 takes no empty text beside calls
    const isNone = Array.isArray(content) || (this.needsReasoning && calls?.length);
    const empty = isNone ? null : content;
    if (role !== 'assistant') return '';
    if (!this.rules.lists) return unspoken(given) ?? empty;
    return calls?.length || called || audio || refusal ? empty : '';
  }

  private takenPart(part: ContentPart): ContentPart[] {
    if (part.type === 'text' && part.text === '' && !this.rules.lists) return [];
    const { kept, cacheControl, breakpoints = kept === null } = this.rules;
    if (cacheControl && breakpoints) return [part];
    return [keptFields(part, (key) => (key === mark ? cacheControl : key !== end || breakpoints))];
  }

  /** A tool's result is a text; other parts of it follow in a message of the user. */
  private resultOf(content: ChatMessage['content']): ChatMessage['content'] {
    if (!Array.isArray(content)) return content;
    const texts = content.filter(({ type }) => type === 'text');
    if (texts.length === content.length)
      return this.rules.lists && (this.rules.cacheControl || !texts.some((part) => mark in part))
        ? content
        : textOf(content, '\n');
    this.following.push(...content.filter(({ type }) => type !== 'text'));
    return [...texts.map((part) => part.text ?? ''), '(What it returned follows.)'].join('\n');
  }

  private takenCall(given: ToolCall, place: string): ToolCall {
    const { kept, callIds } = this.rules;
    const own = (given.id as string | null | undefined) ?? '';
    const fitting = callIds.test(own) ? own : shortId(own || place);
    const id = this.sent.has(fitting) ? shortId(`${own} ${place}`) : fitting;
    this.sent.add(id);
    this.open.push({ given: own, sent: id });
    const call = kept === null ? given : keptFields(given, (key) => callFields.has(key));
    const { function: called } = call;
    // custom tools have none
    const args = (called as ToolCall['function'] | undefined)?.arguments;
    const isWhole = args === undefined || object.test(args);
    const isTyped = 'type' in call || 'custom' in call;
    if (id === given.id && isWhole && isTyped) return call;
    return {
      ...call,
      id,
      type: isTyped ? call.type : 'function',
      ...(!isWhole && { function: { ...called, arguments: JSON.stringify(toolInput(args)) } }),
    };
  }
}

/** Servers parse the arguments of earlier calls. Those that were cut off end otherwise. */
const object = /^\s*\{[^]*\}\s*$/;

/** OpenAI and others refuse these in the names of users and assistants. */
const refusedInNames = /[\s<|\\/>]+/g;
const callFields: ReadonlySet<string> = new Set(['id', 'type', 'function', 'custom']);

/** The same for the same id, so that the beginning of a conversation stays the same. */
function shortId(id: string): string {
  const digits = createHash('sha256').update(id).digest().readBigUInt64BE();
  return digits.toString(36).slice(-9).padStart(9, '0');
}

/** The same object where all its fields are kept. */
function keptFields<Holder extends object>(holder: Holder, keeps: (key: string) => unknown) {
  for (const field in holder)
    if (!keeps(field))
      return Object.fromEntries(Object.entries(holder).filter(([key]) => keeps(key))) as Holder;
  return holder;
}

function isTaken(message: ChatMessage, key: string, rules: Compiled): boolean {
  const { kept, names = true, cacheControl = false } = rules;
  if (kept === null) {
    // `toldContent` says that a tool failed: this dialect has no field for it
    if (key === 'is_error' || (key === mark && !cacheControl)) return false;
  } else if (!kept.has(key)) return false;
  if (key === 'name' && !names && message.role !== 'tool') return false;
  const value = message[key];
  const isEmptied = value === null || (key === 'tool_calls' && message.tool_calls?.length === 0);
  return !isEmptied || !neverEmpty.has(key);
}

/** OpenAI's schema has no null there, and no empty list of calls. */
const neverEmpty = nameSet('name tool_calls tool_call_id function_call audio');

/** What an answer without content said: a refusal, or the text of its speech. */
function unspoken({ refusal, audio }: ChatMessage): string | null {
  const { transcript } = (audio ?? {}) as { transcript?: unknown };
  return refusal || (typeof transcript === 'string' ? transcript : null);
}

const textOf = (parts: readonly ContentPart[], separator: string): string =>
  parts
    .map((part) => part.text ?? part['refusal'])
    .filter((text) => typeof text === 'string' && text !== '')
    .join(separator);

const isEmpty = ({ role, content, tool_calls: calls }: ChatMessage): boolean =>
  role !== 'tool' && !content?.length && !calls?.length;
