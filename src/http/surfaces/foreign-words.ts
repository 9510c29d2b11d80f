import {
  isObject,
  type Json,
  nameSet,
  objectsIn,
  omit,
  pick,
  present,
  textIn,
} from '../../text/is-object.js';
import { type ContentPart, effortOf } from '../../completion.js';
import { contentText } from '../../text/content-text.js';
import { jsonFields } from '../../text/json-values.js';
import { mendSchema } from '../../text/mend-schema.js';
import { itemsOfResponses, turnsOfChat, turnsOfMessages } from './foreign-turns.js';

/** How an API writes what others have other words for. Absent: all words for it are read later. */
interface Words {
  /** Its fields, by the names that others have for the same. */
  readonly fields: Readonly<Record<string, string>>;
  /** Its field for an effort; absent: its own is the one in `output_config`. */
  readonly effort?: string;
  /** Whether a tool is written so, or is one that a provider runs. */
  isOwnTool(tool: Json): boolean;
  /** Its field for the conversation, and what others call theirs. */
  readonly lists: readonly [own: string, ...others: string[]];
  /** The turns of the conversation; the same list where all are written so. */
  turns(turns: readonly unknown[]): readonly unknown[];
  /** Fields of others for instructions, which it has in a turn. */
  readonly systems?: readonly string[];
  /** Fields that come with another API's list and have no word here. */
  readonly without?: readonly string[];
  /** @param plain name, description, parameters and so on of a function */
  tool(plain: Json): Json;
  /** Whether a choice of tools is written so. */
  isOwnChoice?(choice: unknown): boolean;
  /** @param name of the only tool that may be called; else an empty text */
  choice?(mode: string, name: string): unknown;
  /** Whether the form of an answer is written so. @param place the field that has it */
  isOwnFormat(place: string, format: Json): boolean;
  /** The fields for the form of an answer. @param plain its type, name, schema and so on */
  format(plain: Json, body: Json): Json;
}

/** Limits of an answer. Some clients send -1 for none. */
const limits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];
/** PHP writes empty objects as lists. */
const objects = ['logit_bias', 'metadata', 'stream_options'];
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const formatPlaces = ['response_format', 'text', 'output_config', 'output_format'];

const chatWords: Words = {
  fields: { max_output_tokens: 'max_tokens', stop_sequences: 'stop' },
  effort: 'reasoning_effort',
  lists: ['messages', 'input'],
  turns: turnsOfChat,
  systems: ['system', 'instructions'],
  without: ['include', 'truncation', 'text'],
  isOwnTool: ({ type, function: called }) =>
    type === 'function' ? isObject(called) : (type ?? 'custom') !== 'custom',
  tool: ({ cache_control: mark, ...called }) => ({
    type: 'function',
    function: called,
    ...present({ cache_control: mark }),
  }),
  isOwnFormat: (place, { type, json_schema: schema }) =>
    place === 'response_format' && (type !== 'json_schema' || isObject(schema)),
  format: ({ type, ...schema }) => ({
    response_format: type === 'json_schema' ? { type, json_schema: schema } : { type },
  }),
};

/** OpenAI's chat API. */
export const asChat = withWordsOf(chatWords);

/** The native API, which has tools and forms as chat has, and names fields that it does not know. */
export const asNative = withWordsOf({ ...chatWords, fields: {}, lists: ['messages'], systems: [] });

/** Types of choices of tools in Messages. */
const ofMessages = nameSet('auto any tool none');

/** Anthropic's Messages. */
export const asMessages = withWordsOf({
  fields: {
    max_completion_tokens: 'max_tokens',
    max_output_tokens: 'max_tokens',
    instructions: 'system',
  },
  lists: ['messages', 'input'],
  turns: turnsOfMessages,
  isOwnTool: ({ type, name, input_schema: schema = null }) =>
    type === undefined || type === 'custom'
      ? name !== undefined && schema !== null
      : type !== 'function',
  tool: ({ parameters, ...plain }) => ({
    ...plain,
    input_schema: parameters ?? noFields(),
  }),
  isOwnChoice: (choice) => ofMessages.has(textIn(jsonFields(choice)['type'])),
  choice: (mode, name) =>
    name ? { type: 'tool', name } : { type: mode === 'required' ? 'any' : mode },
  isOwnFormat: (place, { type, json_schema: schema }) =>
    type !== 'json_schema' || (place.startsWith('output') && !isObject(schema)),
  format: ({ type, schema }, { output_config: config }) => ({
    output_config: { ...jsonFields(config), format: { type, schema } },
  }),
});

/** OpenAI's Responses. Functions as in the chat API become its own later, with others. */
export const asResponses = withWordsOf({
  fields: {
    max_tokens: 'max_output_tokens',
    max_completion_tokens: 'max_output_tokens',
    system: 'instructions',
  },
  lists: ['input', 'messages'],
  turns: itemsOfResponses,
  effort: 'reasoning_effort',
  isOwnTool: (tool) => 'type' in tool && !('input_schema' in tool),
  // true is the default there, and would make every optional argument a required one
  tool: ({ cache_control: _mark, ...plain }) => ({ type: 'function', strict: false, ...plain }),
  isOwnChoice: (choice) =>
    isObject(choice)
      ? !ofMessages.has(textIn(choice['type'])) && choice['type'] !== 'required'
      : choice !== 'any',
  choice: (mode, name) => (name ? { type: 'function', name } : mode),
  isOwnFormat: (place, { json_schema: schema }) => place === 'text' && !isObject(schema),
  format: (format, { text }) => ({ text: { ...jsonFields(text), format } }),
});

/**
 * Brings what a body says in the words of other APIs to those of its own, before it is checked. The
 * same object where there is nothing to change.
 */
function withWordsOf(words: Words): (body: unknown) => unknown {
  const { fields, lists, systems = [], without = [] } = words;
  const [own, other = own] = lists;
  const renamed = Object.entries(fields);
  const places = [...Object.keys(fields), ...formatPlaces, ...systems, ...lists.slice(1)];
  places.push('tools', 'tool_choice', 'instructions');
  return (given): unknown => {
    const sent = asPlain(given);
    if (!isObject(sent)) return sent;
    const ownTurns = turnsOf(sent, words);
    // most requests have none of them
    if (ownTurns === sent[own] && places.every((place) => sent[place] === undefined)) return sent;
    for (const place of formatPlaces) if (isObject(sent[place])) mendSchemas(sent[place]);
    const changes: Record<string, unknown> = {};
    const foreign = new Set(systems.filter((field) => sent[field] !== undefined));
    for (const [from, to] of renamed)
      if (sent[from] !== undefined) {
        foreign.add(from);
        changes[to] = sent[to] ?? changes[to] ?? sent[from];
      }
    const { tools, tool_choice: choice } = sent;
    const effort = words.effort && effortOf(jsonFields(sent['output_config'])['effort']);
    if (words.effort && effort) changes[words.effort] = sent[words.effort] ?? effort;
    if (ownTurns !== sent[own]) changes[own] = ownTurns;
    if (sent[own] === undefined && ownTurns !== undefined)
      for (const field of [other, ...without]) foreign.add(field);
    if (Array.isArray(tools)) {
      const own = tools.flatMap((tool: unknown) => ownTool(tool, words));
      if (own.length !== tools.length || own.some((tool, at) => tool !== tools[at]))
        changes['tools'] = own;
    }
    const chosen = words.choice && !words.isOwnChoice?.(choice) ? readChoice(choice) : null;
    if (chosen) changes['tool_choice'] = words.choice?.(...chosen);
    const instructions = changes['instructions'] ?? sent['instructions'];
    if (own === 'input' && Array.isArray(instructions))
      // a list of blocks, or of items with a content
      changes['instructions'] = objectsIn(instructions as ContentPart[])
        .map((one) => contentText('content' in one ? (one['content'] as ContentPart[]) : [one]))
        .join('\n');
    Object.assign(changes, foreignFormat(sent, words, foreign));
    if (words.effort && foreign.has('text'))
      Object.assign(changes, present(pick(jsonFields(sent['text']), ['verbosity'])));
    if (foreign.size === 0 && Object.keys(changes).length === 0) return sent;
    return { ...omit(sent, foreign), ...changes };
  };
}

/** A body of any surface without what says nothing, and with the fields of its `extra_body`. */
export const asPlain = (body: unknown): unknown => (isObject(body) ? plainBody(body) : body);

/** Some clients say so that the model is to choose its effort. */
const isUnsaid = (effort: unknown): boolean => effort === '' || effort === 'auto';
/** What Google's clients send to its OpenAI API. */
export const extraBody = nameSet('google extra_body');

/**
 * A body without the fields that say nothing, and with those that OpenAI's SDKs take out of
 * `extra_body` and other clients leave there, as Google reads its own.
 */
function plainBody(sent: Json): Json {
  const empty = [
    ...limits.filter((field) => Number(sent[field]) < 0),
    ...objects.filter((field) => isEmptyList(sent[field])),
    ...['reasoning_effort'].filter((field) => isUnsaid(sent[field])),
  ];
  if (empty.length > 0) return plainBody(omit(sent, new Set(empty)));
  const { reasoning, extra_body: extra } = sent;
  if (isObject(reasoning) && isUnsaid(reasoning['effort']))
    return plainBody({ ...sent, reasoning: omit(reasoning, new Set(['effort'])) });
  if (!isObject(extra) || String(Object.keys(extra)) === 'google') return sent;
  const own = { ...omit(extra, extraBody), ...omit(sent, new Set(['extra_body'])) };
  return plainBody(extra['google'] ? { ...own, extra_body: { google: extra['google'] } } : own);
}

/** The conversation of a body in an API's words; the same list where it is written so. */
function turnsOf(sent: Json, { lists, systems = [], turns }: Words): unknown {
  const [own, other = own] = lists;
  const given = sent[own] ?? sent[other];
  // Responses has a text as its conversation; no other API has
  const isText = own !== 'input' && sent[own] === undefined && typeof given === 'string';
  const list: unknown = isText ? [{ role: 'user', content: given }] : given;
  if (!Array.isArray(list)) return list;
  const said = systems.map((field) => sent[field] ?? '').find((content) => content !== '');
  return turns(said ? [{ role: 'system', content: said }, ...(list as unknown[])] : list);
}

function ownTool(tool: unknown, words: Words): unknown[] {
  if (isObject(tool)) mendSchemas(tool);
  if (!isObject(tool) || words.isOwnTool(tool)) return [tool];
  return functionsIn(tool)?.map((plain) => words.tool(present(plain))) ?? [tool];
}

/** The functions that a tool of any API describes; null: it describes none. */
function functionsIn(tool: Json): Json[] | null {
  const { functionDeclarations, function_declarations: declared = functionDeclarations } = tool;
  if (Array.isArray(declared)) return objectsIn(declared as Json[]).map(plainFunction);
  const { function: nested, toolSpec: spec = nested, name, type, cache_control } = tool;
  // Bedrock's and OpenAI's
  if (isObject(spec)) return [{ ...plainFunction(spec), cache_control }];
  const schema = tool['input_schema'] ?? tool['inputSchema'];
  const isFunction = type === undefined || type === null || type === 'function' || isObject(schema);
  return typeof name === 'string' && isFunction
    ? [{ ...plainFunction(tool), cache_control }]
    : null;
}

function plainFunction({ name, description, strict, ...tool }: Json): Json {
  const { parameters = tool['parametersJsonSchema'], input_schema: own = tool['inputSchema'] } =
    tool;
  const schema = parameters ?? own;
  return { name, description, parameters: jsonFields(schema)['json'] ?? schema, strict };
}

const noFields = () => ({ type: 'object', properties: {} });
const roots = nameSet('parameters input_schema inputSchema parametersJsonSchema schema');

/** Mends the schemas of a tool, or of the form of an answer, in place. */
function mendSchemas(holder: Record<string, unknown>): void {
  for (const key in holder) {
    const value = holder[key];
    if (key === 'type' && typeof value === 'string') holder[key] = value.toLowerCase();
    else if (key === 'description' && value === null) Reflect.deleteProperty(holder, key);
    else if (isEmptyList(value) && roots.has(key)) holder[key] = noFields();
    else if (typeof value !== 'object' || value === null || key === 'input_examples') continue;
    else if (roots.has(key) && isObject(value)) {
      const { json } = value;
      mendSchema(isObject(json) ? json : value);
    } else mendSchemas(value as Record<string, unknown>);
  }
}

/** The mode of a choice of tools, and the name of the only one; null: it is in no known words. */
function readChoice(choice: unknown): [mode: string, name: string] | null {
  const { type = choice, name, function: called } = jsonFields(choice);
  const mode = textIn(type).toLowerCase();
  if (mode === 'function' || mode === 'tool') {
    const chosen = textIn(jsonFields(called)['name'] ?? name);
    return chosen === '' ? null : [mode, chosen];
  }
  if (mode === 'any' || mode === 'required') return ['required', ''];
  return mode === 'auto' || mode === 'none' ? [mode, ''] : null;
}

/** The fields for the form of an answer, where another API's ask for one. */
function foreignFormat(sent: Json, words: Words, foreign: Set<string>): Json {
  const given = formatPlaces.flatMap((place) => {
    const isInner = place === 'text' || place === 'output_config';
    const format = isInner ? jsonFields(sent[place])['format'] : sent[place];
    return isObject(format) && format['type'] !== 'text' ? [{ place, format }] : [];
  });
  const [first] = given;
  if (!first || given.some(({ place, format }) => words.isOwnFormat(place, format))) return {};
  foreign.add(first.place);
  const { json_schema: nested, ...flat } = first.format;
  return words.format({ ...flat, ...jsonFields(nested) }, sent);
}
