import { exactJson } from '../text/exact-json.js';
import { asList, type Fields, isObject, type Json, namesIn } from '../text/is-object.js';
import { mapSchema } from './json.js';
import { nearestEffort } from './asked-effort.js';
import {
  type ChatMessage,
  type ChatRequest,
  effortOf,
  efforts,
  isInstruction,
  type ReasoningEffort,
} from '../completion.js';
import { joinedTurns } from './strict-history.js';
import { forcesTool } from './tool-choice.js';
import { onlyWith, openaiModels, openaiName, type ParameterRule } from './model-parameters.js';

/**
 * Brings the parameters of a chat request within what a model takes, in place: a field that it
 * refuses is left out, an effort becomes the nearest that it takes, and the limit of the answer gets
 * the name that it has there. So a model does not lose its turn to a parameter.
 * @param names the model's, ours and the provider's
 * @param rules the provider's, in addition to those of OpenAI's models
 * @param api the API that gets the request
 * @returns the fields that were left out or changed
 */
export function fitParameters(
  body: Fields,
  names: readonly string[],
  rules: readonly ParameterRule[] = [],
  api: 'chat' | 'responses' = 'chat',
): string[] {
  const lost = new Set<string>();
  if (api === 'chat')
    for (const [field, needed] of onlyWith) if (!body[needed]) set(body, field, undefined, lost);
  const isOpenAI = names.some((name) => openaiName.test(name));
  const fitting = (isOpenAI ? [...openaiModels, ...rules] : rules).filter(({ models }) =>
    names.some((name) => models.test(name)),
  );
  if (fitting.some(({ refuses }) => refuses?.includes('reasoning'))) {
    const effort = nearestEffort(body as ChatRequest & Fields);
    if (effort) body['reasoning_effort'] = effort;
  }
  for (const rule of fitting) applyRule(body, rule, api === 'chat', lost);
  if (api === 'chat' && body['response_format']) fitFormat(body, fitting, lost);
  // once, though OpenAI's models and their providers both ask for it
  const refused = fitting.flatMap(({ closedSchemas }) => (closedSchemas ? [closedSchemas] : []));
  if (refused.length > 0) closeSchemas(body, [...looseKeywords, ...refused.flat()], lost);
  return [...lost];
}

function set(body: Fields, field: string, value: unknown, lost: Set<string>): void {
  if (body[field] === undefined || body[field] === value) return;
  if (!isUsual(field, body[field])) lost.add(field);
  // JSON omits what is undefined
  body[field] = value;
}

function applyRule(body: Fields, rule: ParameterRule, isChat: boolean, lost: Set<string>): void {
  const fit = (field: string, value: unknown): void => set(body, field, value, lost);
  const { tools } = body;
  const isForced = forcesTool(body);
  if (isForced && rule.toolChoice) fit('tool_choice', rule.toolChoice);
  else if (rule.reasoningOff && (isForced || body['reasoning_effort'] === 'none')) {
    fit('reasoning_effort', undefined);
    Object.assign(body, rule.reasoningOff);
  }
  const asked = effortOf(body['reasoning_effort']);
  if (rule.efforts && asked !== null) fit('reasoning_effort', nearest(asked, rule.efforts));
  const takesNone = rule.efforts?.includes('none');
  if (isChat && rule.toolsNeedNone && takesNone && asList(tools).length > 0) {
    fit('reasoning_effort', 'none');
    body['reasoning_effort'] = 'none';
  }
  if (rule.takesOnlyNone && body['reasoning_effort'] !== 'none') fit('reasoning_effort', undefined);
  const effort = body['reasoning_effort'] ?? (rule.restsUnasked ? 'none' : 'medium');
  for (const [field, least] of Object.entries(rule.least ?? {}))
    if (typeof body[field] === 'number' && body[field] < least) fit(field, least);
  for (const [field, most] of Object.entries(rule.most ?? {}))
    if (Number(body[field]) > most) fit(field, most);
  if (body['temperature'] === 0)
    for (const field of rule.refusesGreedy ?? []) fit(field, undefined);
  for (const field of rule.refuses ?? []) fit(field, undefined);
  if (effort !== 'none') for (const field of rule.refusesReasoning ?? []) fit(field, undefined);
  if (isChat && rule.newerLength) renameField(body, 'max_tokens', 'max_completion_tokens');
}

/** Asks in words for the form of an answer where the model takes it not otherwise. */
function fitFormat(body: Fields, rules: readonly ParameterRule[], lost: Set<string>): void {
  const { type, json_schema: schema } = fieldsOf(body['response_format']);
  if (type !== 'json_object' && type !== 'json_schema') return;
  const isAlone = asList(body['tools']).length === 0 && !body['web_search_options'];
  const takes = (form: 'json_object' | 'json_schema'): boolean =>
    rules.every(
      ({ formats, formatsAlone }) =>
        (formats?.includes(form) ?? true) && (isAlone || !formatsAlone),
    );
  const taken = takes(type) ? type : takes('json_object') ? 'json_object' : null;
  if (taken !== type) set(body, 'response_format', taken ? { type: taken } : undefined, lost);
  const needsWord = taken === 'json_object' && rules.some(({ saysJson }) => saysJson);
  const isSaid =
    needsWord && asList(body['messages']).some((one) => saysJson(fieldsOf(one)['content']));
  if (taken === type && (!needsWord || isSaid)) return;
  const asked =
    type === 'json_schema'
      ? ` It matches this JSON Schema: ${exactJson(fieldsOf(schema)['schema'] ?? {})}`
      : '';
  instruct(body, `${jsonInWords}${asked}`);
}

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

const saysJson = (content: unknown): boolean =>
  typeof content === 'string'
    ? /json/i.test(content)
    : asList(content).some((part) => saysJson(fieldsOf(part)['text']));

const jsonInWords = 'Answer with a single JSON object: no prose around it, no code fence.';

/** Adds to the instructions of a conversation, which some templates have only at its start. */
function instruct(body: Fields, text: string): void {
  const [first, ...rest] = asList(body['messages']) as ChatMessage[];
  body['messages'] =
    first && isInstruction(first)
      ? [joinedTurns(first, { role: first.role, content: text }), ...rest]
      : [{ role: 'system', content: text }, ...(first ? [first] : []), ...rest];
}

/** A value that means the same as none. */
const isUsual = (field: string, value: unknown): boolean =>
  value === null || value === false || value === 'none' || value === (usual[field] ?? 0);
const usual: Fields = { temperature: 1, top_p: 1, tool_choice: 'auto', parallel_tool_calls: true };

/** Of fields that a dialect has no word for, those with which a request asks for something. */
export const withoutWord = (request: Json, fields: readonly string[]): string[] =>
  fields.filter((field) =>
    field === 'parallel_tool_calls'
      ? request[field] === false && asList(request['tools']).length > 0
      : request[field] !== undefined && !isUsual(field, request[field]),
  );

/** The nearest effort that a model takes, the lower one of two; undefined: it takes none. */
const nearest = (
  asked: ReasoningEffort,
  taken: readonly ReasoningEffort[],
): ReasoningEffort | undefined => {
  const distance = (effort: ReasoningEffort): number =>
    Math.abs(efforts.indexOf(effort) - efforts.indexOf(asked));
  return [...taken].sort((one, other) => distance(one) - distance(other))[0];
};

/** A seed as a number; one of 64 bits is an object that keeps its digits. Null: there is none. */
export function seedOf({ seed }: { readonly seed?: unknown }): number | null {
  const number = Number(seed ?? NaN);
  return Number.isFinite(number) ? number : null;
}

/** Renames a field of a request's body, unless the caller also gave the new one. */
export function renameField(body: Fields, from: string, to: string): void {
  if (body[from] === undefined) return;
  body[to] ??= body[from];
  // JSON omits it
  body[from] = undefined;
}

/** Closes what is `strict`, and takes the mark from what would then mean something else. */
function closeSchemas(body: Fields, loose: readonly string[], lost: Set<string>): void {
  const close = (holder: unknown, inner: string, key: string, field: string): unknown => {
    const given = isObject(holder) ? holder[inner] : undefined;
    if (!isObject(given) || given['strict'] !== true) return holder;
    const schema = strictSchema(given[key] ?? { type: 'object', properties: {} }, loose);
    if (!schema) lost.add(field);
    const asked = schema ? { ...given, [key]: schema } : { ...given, strict: false };
    return { ...(holder as Fields), [inner]: asked };
  };
  const { tools, response_format: format } = body;
  if (format) body['response_format'] = close(format, 'json_schema', 'schema', 'response_format');
  if (Array.isArray(tools))
    body['tools'] = tools.map((tool) => close(tool, 'function', 'parameters', 'tools'));
}

/** What has no place in a strict schema, at OpenAI. */
const looseKeywords = namesIn(`
  allOf oneOf not if then else dependentRequired dependentSchemas patternProperties propertyNames
  minProperties maxProperties unevaluatedProperties unevaluatedItems contains uniqueItems
`);

/** A schema with its objects closed; null: it has open ones, optional fields or loose keywords. */
function strictSchema(given: unknown, loose: readonly string[]): Fields | null {
  if (!isObject(given)) return null;
  let fits = true as boolean;
  // a field that is always there needs no default, which Azure refuses
  const schema = mapSchema(given, ({ default: _unused, ...one }) => {
    const { type, properties, required = [], additionalProperties: more = false } = one;
    if (loose.some((key) => key in one)) fits = false;
    if (!properties && ![type].flat().includes('object')) return one;
    const needed = new Set(asList(required));
    if (!isObject(properties) || !Object.keys(properties).every((name) => needed.has(name)))
      fits = false;
    if (more !== false) fits = false;
    return { ...one, required: [...needed], additionalProperties: false };
  });
  return fits ? schema : null;
}
