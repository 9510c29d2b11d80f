import type { CompletionChunk } from '../../completion.js';
import {
  asList,
  type Fields,
  isObject,
  nameSet,
  objectsIn,
  omit,
  pick,
  present,
} from '../../text/is-object.js';
import { completeCitation } from '../../completion-builder.js';
import { type FinishReason, readFinishReason } from '../finish-reason.js';
import { textOf } from '../answer-chunks.js';
import { parseJson } from '../json.js';
import { isString, list, nullable, object } from '../own-events.js';
import type { MendedCalls } from './tool-calls.js';
import { mendUsage } from './usage.js';

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
/** The last second that a JavaScript date can be. */
const maxSeconds = 8.64e12;
const isTime = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxSeconds;

const wrappers = ['data', 'result', 'response', 'output', 'body'];
/** Some relays write JSON into a JSON text. */
const opened = (value: unknown): unknown => (typeof value === 'string' ? parseJson(value) : value);

/** What relays put an answer or an event into, and a list of one; the same value where it is bare. */
export function unwrapped(given: unknown): unknown {
  const sent: unknown = opened(Array.isArray(given) && given.length === 1 ? given[0] : given);
  if (!isObject(sent) || 'choices' in sent) return sent;
  const inner = wrappers
    .map((field) => opened(sent[field]))
    .find((one) => isObject(one) && 'choices' in one);
  return inner ? { ...pick(sent, ['id', 'usage']), ...inner } : sent;
}

/** What is around the choices, and when it is wrong. */
const envelope: readonly (readonly [field: string, isWrong: (value: unknown) => boolean])[] = [
  ['id', (value) => !isAbsent(value) && !isText(value)],
  ['model', (value) => !isAbsent(value) && !isText(value)],
  ['created', (value) => !isAbsent(value) && !isTime(value)],
  // some clients take the mere field for a failure
  ['error', (value) => value !== undefined],
];

/**
 * Corrects a chunk or a completion in place, except what its choices contain. SDKs that check an
 * answer refuse all of it where one field is of another type, so what is wrong becomes undefined.
 * @returns whether anything was changed, or is missing that they need
 */
export function mendEnvelope(answer: { choices: unknown; [field: string]: unknown }): boolean {
  // OpenAI's SDK passes over usage without an id
  let changed = mendUsage(answer) || (isObject(answer['usage']) && !answer['id']);
  for (const [field, isWrong] of envelope)
    if (isWrong(answer[field])) {
      const whole = Math.floor(Number(answer[field]));
      answer[field] = field === 'created' && isTime(whole) ? whole : undefined;
      changed = true;
    }
  const { choices, finish_reason: finish } = answer;
  const isRight = Array.isArray(choices) && choices.every(isObject);
  if (isRight && isAbsent(finish)) return changed;
  const list = [choices].flat().filter(isObject);
  // some servers end an answer beside its only choice
  answer.choices = list.map((choice) => ({
    ...choice,
    finish_reason: choice['finish_reason'] ?? finish,
  }));
  answer['finish_reason'] = undefined;
  return true;
}

/**
 * Drops choices of a chunk beyond the one requested, which some clients would add to its text.
 * @param only the number of that one, as the server writes it
 * @returns whether there were any
 */
export function keepOne(chunk: CompletionChunk, only: number | undefined): boolean {
  const { choices } = chunk;
  const own = choices.filter(({ index }) => typeof index !== 'number' || index === only);
  if (own.length === choices.length && !own[0]?.index) return false;
  chunk.choices = own.map((choice) => ({ ...choice, index: 0 }));
  return true;
}

/** A message that follows deltas says all of them again, and may bring calls that none of them had. */
export function dropRepeated(choice: AnyChoice, hasCalls: boolean): void {
  if (isObject(choice.delta) || !isObject(choice.message)) return;
  choice.delta = hasCalls ? {} : pick(choice.message, ['tool_calls']);
}

/** A choice of a chunk, which has its message in `delta`, or of a completion. */
interface AnyChoice {
  index: number;
  finish_reason?: string | null;
  /** Other servers' names for it; vLLM has a token or a text in the second, beside the first. */
  finishReason?: unknown;
  stop_reason?: unknown;
  /** OpenRouter: the word of the provider behind it, which it may have made `stop` of. */
  native_finish_reason?: unknown;
  tool_calls?: unknown;
  delta?: unknown;
  message?: unknown;
  logprobs?: unknown;
  text?: unknown;
}

/**
 * Corrects a choice in place, so that every client can read it.
 * @param position in the list of choices
 * @param calls those of this choice
 * @returns what it says of its end, and whether anything was changed
 * @throws GatewayError `upstream_error` where the provider says that it broke off
 */
export function mendChoice(
  provider: string,
  choice: AnyChoice,
  position: number,
  holder: 'delta' | 'message',
  calls: MendedCalls,
): FinishReason & { changed: boolean } {
  let changed = false;
  const isWhole = holder === 'message';
  if (typeof choice.index !== 'number' || (isWhole && choice.index !== position)) {
    choice.index = position;
    changed = true;
  }
  if (!isObject(choice[holder])) {
    // Azure's content filter sends none; some servers call it by the other name, or send bare text
    const other = isWhole ? choice.delta : choice.message;
    choice[holder] = isObject(other) ? other : { content: choice.text ?? choice[holder] };
    changed = true;
  }
  // the answer so far: SDKs would add it to what the deltas say
  if (!isWhole && choice.message !== undefined) {
    choice.message = undefined;
    changed = true;
  }
  const logprobs = isRightLogprobs(choice.logprobs) ? choice.logprobs : rightLogprobs(choice);
  if (logprobs !== choice.logprobs) {
    choice.logprobs = logprobs;
    changed = true;
  }
  const part = choice[holder] as Fields;
  if (movesFields(choice, part)) changed = true;
  if (mendPart(part, isWhole)) changed = true;
  if (calls.mend(part)) changed = true;
  const { finish_reason: own, finishReason, stop_reason: other = finishReason } = choice;
  const { reason, unknown } = readFinishReason(provider, own ?? other, calls.hasAny);
  if (reason !== null) readFinishReason(provider, choice.native_finish_reason, false);
  const told = reason !== null && !isWhole && calls.isEarly(reason) ? null : reason;
  if (told !== null && calls.complete(part, told)) changed = true;
  // clients expect the field, whether or not there is a reason
  if (told !== (isWhole ? own : (own ?? null))) {
    choice.finish_reason = told;
    if (isAbsent(own)) choice.stop_reason = undefined;
    changed = true;
  }
  return { reason, unknown, changed };
}

const isToken = object({ token: isString, logprob: Number.isFinite });
const isTokens = nullable(
  list((one) => isToken(one) && list(isToken)((one as Fields)['top_logprobs'])),
);
const isRightLogprobs = nullable(object({ content: isTokens, refusal: isTokens }));

/** The log probabilities of a choice, each token with its list of others; null where they are odd. */
function rightLogprobs({ logprobs }: AnyChoice): object | null {
  const content = objectsIn((logprobs as { content?: object[] }).content);
  const right = content.map((one) => ({ top_logprobs: [], ...present(one) }));
  return content.length > 0 && isTokens(right) ? { content: right } : null;
}

/** Puts the end of a choice, and its calls, where they belong. @returns whether they were not there */
function movesFields(choice: AnyChoice, part: Fields): boolean {
  const { finish_reason: end } = part;
  const { tool_calls: calls } = choice;
  if (isAbsent(end) && isAbsent(calls)) return false;
  choice.finish_reason ??= end as string | null;
  part['tool_calls'] ??= calls;
  part['finish_reason'] = choice.tool_calls = undefined;
  return true;
}

const textFields = ['content', 'refusal', 'reasoning_content', 'reasoning'];
/** Fields that are lists of objects, and what a client gets of an entry; null: nothing. */
const listFields: readonly (readonly [field: string, read: (entry: Fields) => Fields | null])[] = [
  ['annotations', readAnnotation],
  ['reasoning_details', (detail) => detail],
];

/** Some servers have the fields of a citation beside its type; OpenRouter has parsed files, too. */
function readAnnotation(given: Fields): Fields | null {
  const { type, url_citation: cited = omit(given, typeField) } = given;
  if (!isObject(cited) || !isText(cited['url'])) return null;
  const isWhole = type === 'url_citation' && cited === given['url_citation'];
  return completeCitation(isWhole ? given : { type: 'url_citation', url_citation: cited });
}
const typeField = nameSet('type');

/** Corrects the texts of a message, its role and its lists. */
function mendPart(part: Fields, isWhole: boolean): boolean {
  let changed = false;
  const { role, content } = part;
  // later deltas need not have one
  if (role !== 'assistant' && (isWhole || !isAbsent(role))) {
    part['role'] = 'assistant';
    changed = true;
  }
  if (typeof content === 'object' && content !== null) {
    splitContentParts(part, [content].flat());
    changed = true;
  }
  for (const field of textFields) {
    const value = part[field];
    const isMissing =
      field === 'content' && value === undefined && (isWhole || isText(part['text']));
    if (typeof value === 'string' || (isAbsent(value) && !isMissing)) continue;
    const said = field === 'content' ? textOf(part['text']) : '';
    part[field] = said || [value].flat().map(textOf).join('') || null;
    changed = true;
  }
  for (const [field, read] of listFields) {
    const given = part[field];
    if (isAbsent(given)) continue;
    const entries = asList(given).filter(isObject).map(read).filter(isObject);
    const isRight = Array.isArray(given) && given.length === entries.length;
    if (isRight && entries.every((one, at) => one === given[at])) continue;
    part[field] = entries;
    changed = true;
  }
  return changed;
}

/**
 * Splits a content that is a list of parts: Mistral's reasoning models think in some of them, and
 * some servers send those of other dialects.
 */
function splitContentParts(part: Fields, list: readonly unknown[]): void {
  let text = '';
  let reasoning = '';
  for (const piece of list) {
    const {
      type,
      refusal,
      text: said = refusal,
      thinking,
    }: Fields = isObject(piece) ? piece : { text: piece };
    const thought = [thinking].flat().map((one) => (isObject(one) ? one['text'] : one));
    reasoning += thought.filter(isText).join('');
    if (!isText(said)) continue;
    if (type === 'reasoning' || type === 'thinking') reasoning += said;
    else text += said;
  }
  part['content'] = text;
  if (reasoning) part['reasoning_content'] = reasoning;
}
