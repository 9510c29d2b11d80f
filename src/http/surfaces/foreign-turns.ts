import type { ChatMessage, ToolCall } from '../../completion.js';
import { withCallIds } from '../../legacy-functions.js';
import { argumentsJson, exactJson, parseExactJson } from '../../text/exact-json.js';
import {
  asList,
  isObject,
  type Json,
  nameSet,
  objectsIn,
  present,
  textIn,
} from '../../text/is-object.js';
import { jsonFields, parsedJson } from '../../text/json-values.js';
import { sealReasoning } from './foreign-reasoning.js';
import { translatedBlocks } from './messages/only-messages.js';
import { plainTurns } from './plain-content.js';
import { typeOf } from './responses/body.js';
import { ownReasoningId } from './responses/output-items.js';
import { chatMessages, contentPart } from './responses/read-input.js';

type Turns = readonly unknown[];

/** What only turns of chat have. */
const chatFields = nameSet(`
  tool_calls tool_call_id function_call name refusal audio annotations reasoning reasoning_content
  reasoning_details
`);
const isResult = ({ role }: Json): boolean => role === 'tool' || role === 'function';
/** Types of parts that Messages has not, and that Responses has not. */
const notOfMessages = nameSet(
  'image_url file refusal input_text output_text input_image input_file',
);
const notOfResponses = new Set([...translatedBlocks, 'image_url', 'file']);

function isForeign(turn: Json, parts: ReadonlySet<string>): boolean {
  if (isResult(turn)) return true;
  for (const field in turn) if (chatFields.has(field)) return true;
  return hasForeign(turn['content'], parts);
}

/** Whether a content has parts of other dialects, in results of tools too. */
const hasForeign = (content: unknown, parts: ReadonlySet<string>): boolean =>
  Array.isArray(content) &&
  (content as Turns).some((part) => {
    const { type, content: inner, input, image_url: image } = jsonFields(part);
    return (
      parts.has(textIn(type)) ||
      (type === 'tool_result' && (isObject(inner) || hasForeign(inner, parts))) ||
      (type === 'tool_use' && !isObject(input)) ||
      (type === 'input_image' && isObject(image))
    );
  });

/** The turns with those that are in other words changed; the same list where there are none. */
function changed(turns: Turns, isOther: (turn: Json) => boolean, change: (turn: Json) => Json[]) {
  if (!turns.some((turn) => isObject(turn) && isOther(turn))) return turns;
  return plainChat(turns).flatMap((turn) =>
    isObject(turn) && isOther(turn) ? change(turn) : [turn],
  );
}

/** Turns of Messages, of which some may be those of chat, or items of Responses. */
export function turnsOfMessages(turns: Turns): Turns {
  let results: unknown[] | null = null;
  return changed(
    withoutItems(turns),
    (turn) => turn['role'] === 'developer' || isForeign(turn, notOfMessages),
    (turn) => {
      if (!isResult(turn)) {
        results = null;
        return [messagesTurn(turn)];
      }
      const { tool_call_id: id, content, is_error, cache_control } = turn;
      const said = typeof content === 'string' ? content : blocksOf(content);
      const fields = present({ is_error, cache_control });
      const result = { type: 'tool_result', tool_use_id: id, content: said, ...fields };
      // Anthropic requires all results of a turn in one
      if (results?.push(result)) return [];
      return [{ role: 'user', content: (results = [result]) }];
    },
  );
}

function messagesTurn({ role, content, ...turn }: Json): Json {
  const { tool_calls: calls, reasoning_content: thought, reasoning = thought } = turn;
  const { reasoning_details: details } = turn;
  const sealed = { signature: sealReasoning(asList(details)) };
  const blocks = [
    ...(reasoning ? [{ type: 'thinking', thinking: textIn(reasoning), ...sealed }] : []),
    ...blocksOf(content),
    ...objectsIn(asList(calls) as Json[]).map(callBlock),
  ];
  return { role: role === 'developer' ? 'system' : role, content: blocks };
}

function callBlock({ id, function: named, custom = named }: Json): Json {
  const { name, arguments: args, input = args } = jsonFields(custom);
  return { type: 'tool_use', id, name, input: inputOf(input) };
}

const inputOf = (input: unknown): Json =>
  jsonFields(typeof input === 'string' ? parsedJson(argumentsJson(input), parseExactJson) : input);

function blocksOf(content: unknown): Json[] {
  if (Array.isArray(content)) return objectsIn(content as Json[]).map(blockOf);
  const text = isObject(content) ? exactJson(content) : textIn(content);
  return text === '' ? [] : [{ type: 'text', text }];
}

/** A part of any dialect as a block. */
function blockOf(part: Json): Json {
  const [plain = part] = notOfMessages.has(textIn(part['type'])) ? contentPart(part) : [];
  const { type, image_url: image, file, refusal, content, ...fields } = plain;
  if (type === 'image_url')
    return { type: 'image', source: sourceOf(jsonFields(image)['url'] ?? image), ...fields };
  if (type === 'refusal') return { type: 'text', text: refusal };
  if (type === 'tool_result') return { ...part, content: blocksOf(content) };
  // PHP writes empty objects as lists
  if (type === 'tool_use') return { ...part, input: inputOf(part['input']) };
  if (type !== 'file') return plain;
  const { file_data: data, file_id: id, filename: title } = jsonFields(file);
  const source = id ? { type: 'file', file_id: id } : sourceOf(data);
  return { type: 'document', source, ...present({ title }), ...fields };
}

/** Where a `data:` URL, or another one, says that something is. */
function sourceOf(url: unknown): Json {
  const found = /^data:([^;,]*)[^,]*,/.exec(textIn(url).slice(0, 200));
  if (!found) return { type: 'url', url: textIn(url) };
  return { type: 'base64', media_type: found[1], data: textIn(url).slice(found[0].length) };
}

/** Items of Responses, of which some may be turns of chat or of Messages. */
export const itemsOfResponses = (turns: Turns): Turns =>
  changed(
    turns,
    (turn) =>
      typeOf(turn) === 'message'
        ? isForeign(turn, notOfResponses) || isOtherSide(turn)
        : isPart(turn) || plainItem(turn) !== turn,
    (turn) => {
      if (typeOf(turn) === 'message') return plainTurns(turn as ChatMessage).flatMap(itemsOf);
      if (isPart(turn)) return itemsOf({ role: 'user', content: contentPart(turn) });
      return [plainItem(turn)];
    },
  );

/** OpenAI refuses what a model said as input, and what others said as output. */
const isOtherSide = ({ role, content }: Json): boolean =>
  asList(content).some(
    (part) => jsonFields(part)['type'] === (role === 'assistant' ? 'input_text' : 'output_text'),
  );

const plainItem = (item: Json): Json =>
  item['type'] === 'agent_message'
    ? agentMessage(item)
    : withText('arguments' in item ? withTextArguments(item) : item, 'output');

/** What one agent of Codex tells another is what its user says; OpenAI alone can read what it sealed. */
function agentMessage(item: Json): Json {
  const texts = objectsIn([item['content']].flat() as Json[]).map(
    ({ text, encrypted_content: sealed = text }) => textIn(sealed),
  );
  if (texts.some((text) => text.startsWith('gAAAA'))) return item;
  const content = texts.map((text) => ({ type: 'input_text', text }));
  return { type: 'message', role: 'user', content };
}
const isPart = ({ type, role }: Json): boolean =>
  role === undefined && /^(text|input_(text|image|file))$/.test(textIn(type));

function itemsOf(turn: ChatMessage): Json[] {
  const { role, content, tool_calls: calls, tool_call_id: id } = turn;
  const said = Array.isArray(content) ? content.map((part) => itemPart(part, role)) : content;
  if (isResult(turn)) return [{ type: 'function_call_output', call_id: id, output: said ?? '' }];
  const { reasoning_details: details, reasoning, reasoning_content: thought = reasoning } = turn;
  return [
    ...(thought || details ? [reasoningItem(thought, details)] : []),
    ...(said?.length ? [{ type: 'message', role, content: said }] : []),
    ...objectsIn(calls).map(callItem),
  ];
}

const reasoningItem = (text: unknown, details: unknown): Json => ({
  type: 'reasoning',
  id: ownReasoningId,
  summary: text ? [{ type: 'summary_text', text }] : [],
  encrypted_content: sealReasoning(asList(details)),
});

function callItem({ id, function: named }: Partial<ToolCall>): Json {
  const { name, arguments: args } = jsonFields(named);
  return { type: 'function_call', call_id: id, name, arguments: textIn(args) };
}

function itemPart({ type, text, image_url: image, file, ...part }: Json, role: string): Json {
  if (type === 'text') return { type: role === 'assistant' ? 'output_text' : 'input_text', text };
  if (type === 'file') return { type: 'input_file', ...jsonFields(file) };
  if (type !== 'image_url') return { type, ...part };
  const { url, detail = 'auto' } = jsonFields(image);
  return { type: 'input_image', image_url: url, detail };
}

/** The turns as those of chat, where some are items of Responses. */
function withoutItems(turns: Turns): Turns {
  if (!turns.some((turn) => isObject(turn) && turn['role'] === undefined && 'type' in turn))
    return turns;
  return chatMessages({ model: '', input: objectsIn(itemsOfResponses(turns) as Json[]) });
}

/** Turns of chat, of which some may be items of Responses. */
export function turnsOfChat(given: Turns): Turns {
  const turns = withoutItems(given);
  return turns.some((turn) => chatTurn(turn) !== turn) ? plainChat(turns) : turns;
}

/** Turns of which those of chat are as OpenAI's current API has them. */
function plainChat(given: Turns): Turns {
  const turns = given.map(chatTurn);
  return turns.every(isObject) ? withCallIds(turns as unknown[] as ChatMessage[]) : turns;
}

/** Ollama's own API has the arguments of a call as an object, and some results of tools are one. */
function chatTurn(turn: unknown): unknown {
  if (!isObject(turn)) return turn;
  const { tool_calls: sent, content } = turn;
  if (isResult(turn) && isObject(content)) return withText(turn, 'content');
  if (!Array.isArray(sent)) return turn;
  const calls = sent.map((call: unknown) => {
    const called = jsonFields(call)['function'];
    const plain = isObject(called) ? withTextArguments(called) : called;
    return plain === called ? call : { ...jsonFields(call), function: plain };
  });
  return calls.every((call, at) => call === sent[at]) ? turn : { ...turn, tool_calls: calls };
}

const withTextArguments = (called: Json): Json =>
  withText(called, 'arguments', argumentsJson(called['arguments']));

/** The same object where the field is no object. */
const withText = (holder: Json, field: string, text = textOf(holder[field])): Json =>
  text === holder[field] ? holder : { ...holder, [field]: text };

const textOf = (value: unknown): unknown =>
  isObject(value) || typeof value === 'number' || typeof value === 'boolean'
    ? exactJson(value)
    : value;
