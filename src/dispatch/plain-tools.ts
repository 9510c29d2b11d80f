import { createHash } from 'node:crypto';
import type { ChatRequest, ToolDefinition } from '../completion.js';
import { jsonFields } from '../text/json-values.js';

type Json = Readonly<Record<string, unknown>>;

/** A request that every provider takes, and the client's names of tools that were renamed. */
export interface PlainRequest {
  readonly request: ChatRequest;
  /** The client's names, by the names that are sent. */
  readonly names: ReadonlyMap<string, string>;
}

/** OpenAI and Bedrock take these names alone; Gemini wants a letter first. */
const usualName = /^[a-z_][\w-]{0,63}$/i;

/** A name that every provider takes. Always the same one, so that prompt caches still match. */
function plainName(name: string): string {
  if (name === '' || usualName.test(name)) return name;
  const digits = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const start = name.replace(/[^\w-]/g, '_').replace(/^(?![a-z_])/i, '_');
  return `${start.slice(0, 55)}_${digits}`;
}

/**
 * Brings names, schemas and the choice of tools, and the name of an output schema, to the form that
 * every provider takes. The request stays the same object where all is right.
 * @param isTranslated whether the provider speaks another dialect than chat
 */
export function plainTools(request: ChatRequest, isTranslated = false): PlainRequest {
  const names = new Map<string, string>();
  const nameOf = (name: string): string => {
    const plain = plainName(name);
    if (plain !== name) names.set(plain, name);
    return plain;
  };
  const changes: Partial<ChatRequest> = {};
  const { tools, tool_choice: choice, response_format: sent, messages } = request;
  const format = isTranslated ? nestedSchema(sent) : sent;
  const fitting = tools?.map((tool) => plainTool(tool, nameOf));
  if (fitting?.some((tool, at) => tool !== tools?.[at]) || repeatsName(fitting))
    changes.tools = withoutCopies(fitting ?? []);
  const chosen = plainChoice(choice, nameOf);
  if (chosen !== choice) changes.tool_choice = chosen;
  const turns = messages.map((message) => plainTurn(message, nameOf));
  if (turns.some((turn, at) => turn !== messages[at])) changes.messages = turns;
  const schema = jsonFields(format?.json_schema);
  if (format && schema === format.json_schema) {
    const name = typeof schema['name'] === 'string' ? plainName(schema['name']) : '';
    if (name === '' || name !== schema['name'])
      changes.response_format = { ...format, json_schema: { ...schema, name: name || 'answer' } };
  }
  return { names, request: Object.keys(changes).length > 0 ? { ...request, ...changes } : request };
}

/** llama.cpp, Together and Fireworks have the schema of an answer beside `json_object`. */
function nestedSchema(format: ChatRequest['response_format']): ChatRequest['response_format'] {
  const { type, schema } = jsonFields(format);
  return type === 'json_object' && jsonFields(schema) === schema
    ? { type: 'json_schema', json_schema: { schema: jsonFields(schema) } }
    : format;
}

type Rename = (name: string) => string;

/** The same object where the name stays. */
export function renamed<Called extends { function?: { name?: string } }>(
  one: Called,
  nameOf: Rename,
) {
  const name = one.function?.name;
  if (typeof name !== 'string' || nameOf(name) === name) return one;
  return { ...one, function: { ...one.function, name: nameOf(name) } };
}

function plainTurn(message: ChatRequest['messages'][number], nameOf: Rename) {
  // a model that failed may have called nothing; all providers want a name
  const nameOfCall: Rename = (name) => nameOf(name) || 'unnamed';
  const calls = message.tool_calls?.map((call) => renamed(call, nameOfCall));
  const named = message.role === 'tool' && typeof message.name === 'string';
  const name = named ? nameOf(message.name as string) : message.name;
  if (name === message.name && !calls?.some((call, at) => call !== message.tool_calls?.[at]))
    return message;
  return { ...message, ...(named ? { name } : {}), ...(calls ? { tool_calls: calls } : {}) };
}

function plainTool(tool: ToolDefinition, nameOf: Rename): ToolDefinition {
  const called = (tool as Partial<ToolDefinition>).function;
  const plain = renamed(tool, nameOf);
  if (called?.parameters === undefined) return plain;
  const parameters = objectSchema(called.parameters);
  return parameters === called.parameters
    ? plain
    : { ...plain, function: { ...plain.function, parameters } };
}

/** Drops exact copies of a tool, which most providers refuse. */
function withoutCopies(tools: readonly ToolDefinition[]): ToolDefinition[] {
  const seen = new Set<string>();
  return tools.filter((tool) => {
    const text = JSON.stringify(tool);
    return !seen.has(text) && seen.add(text);
  });
}

function repeatsName(tools: readonly Partial<ToolDefinition>[] | undefined): boolean {
  if (!tools || tools.length < 2) return false;
  const names = tools.flatMap((tool) => tool.function?.name ?? []);
  return new Set(names).size < names.length;
}

/** The choice in the form of OpenAI's chat API, from those of Anthropic, Mistral and Responses. */
function plainChoice(choice: ChatRequest['tool_choice'], nameOf: Rename) {
  if (typeof choice === 'string') {
    const mode = choice.toLowerCase();
    return mode === 'any' ? 'required' : isMode(mode) ? mode : choice;
  }
  if (typeof choice !== 'object' || choice === null) return choice;
  const { type, name, function: called } = choice as Json & typeof choice;
  if (type === 'any' || type === 'required') return 'required';
  if (type === 'auto' || type === 'none') return type;
  const chosen: unknown = called?.name ?? (type === 'tool' || type === 'function' ? name : null);
  if (typeof chosen !== 'string') return choice;
  if (called && type === 'function' && nameOf(chosen) === chosen) return choice;
  return { type: 'function', function: { name: nameOf(chosen) } };
}

const isMode = (mode: string): mode is 'auto' | 'none' | 'required' =>
  mode === 'auto' || mode === 'none' || mode === 'required';

const combined = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * The parameters of a tool as an object at the root, which OpenAI, Anthropic and Bedrock require.
 * Alternatives become one object with all their fields; required are those that each requires.
 */
function objectSchema(given: unknown): Record<string, unknown> {
  const schema = jsonFields(given);
  const isPlain =
    schema['type'] === 'object' &&
    jsonFields(schema['properties']) === schema['properties'] &&
    !('$ref' in schema) &&
    schema['required'] !== null &&
    !combined.some((key) => key in schema);
  return isPlain ? (given as Record<string, unknown>) : merged(schema, { schema, left: 200 }, 0);
}

const maxDepth = 4;

/** The root schema, and how many more parts may be merged: references multiply them. */
interface MergedRoot {
  readonly schema: Json;
  left: number;
}

function merged(schema: Json, root: MergedRoot, depth: number): Record<string, unknown> {
  const { $ref: ref, allOf, anyOf, oneOf, required, properties, ...rest } = schema;
  const branches = (of: unknown): Record<string, unknown>[] =>
    Array.isArray(of) && depth < maxDepth
      ? of.flatMap((one) => (root.left-- > 0 ? [merged(jsonFields(one), root, depth + 1)] : []))
      : [];
  const target = typeof ref === 'string' ? branches([targetOf(ref, root.schema)]) : [];
  const all = [...target, ...branches(allOf)];
  const groups = [branches(anyOf), branches(oneOf)];
  const needed = new Set([required, ...all.map((one) => one['required'])].flatMap(textsIn));
  for (const [first, ...others] of groups) {
    const fields = others.map((one) => new Set(textsIn(one['required'])));
    for (const field of textsIn(first?.['required']))
      if (fields.every((one) => one.has(field))) needed.add(field);
  }
  const parts = [...all, ...groups.flat()];
  const { properties: _own, required: _needed, ...said } = Object.assign({}, ...all, rest) as Json;
  return {
    ...said,
    type: 'object',
    properties: Object.assign(
      {},
      ...parts.map((one) => one['properties']),
      jsonFields(properties),
    ) as Json,
    ...(needed.size > 0 ? { required: [...needed] } : {}),
  };
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? (value as string[]) : []);

const targetOf = (ref: string, root: Json): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => jsonFields(value)[key], root);
