import type { Schema } from '../../api/schema.js';
import { texts } from '../../texts/texts.js';

/** A function of the client. */
type ClientTool = Schema<'ChatCompletionsRequestTool'>;

/** What the next requests ask for beside their messages. */
export interface PlaygroundSettings {
  /** Of the system message; `''`: none. */
  readonly instructions: string;
  readonly search: 'off' | 'auto' | 'required';
  readonly research: 'off' | 'low' | 'medium' | 'high';
  readonly toolkits: readonly string[];
  readonly tools: readonly ClientTool[];
  /** JSON as it was typed, of which `tools` was the last that was valid. */
  readonly toolsText: string;
  /** From 0 to 1; null: the provider's own. */
  readonly temperature: number | null;
  readonly effort: 'default' | 'none' | 'minimal' | 'low' | 'medium' | 'high';
  /** Null: as long as the model likes. */
  readonly maxTokens: number | null;
  readonly stores: boolean;
}

/** Nothing but an answer is asked for. */
export const plainSettings: PlaygroundSettings = {
  instructions: '',
  search: 'off',
  research: 'off',
  toolkits: [],
  tools: [],
  toolsText: '',
  temperature: null,
  effort: 'default',
  maxTokens: null,
  stores: true,
};

/**
 * Reads a list of function tools in JSON, in OpenAI's form or as bare functions; empty text: none.
 * `problem`: what is wrong with it.
 */
export function readTools(text: string) {
  if (text.trim() === '') return { tools: [], problem: null };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { tools: null, problem: error instanceof Error ? error.message : String(error) };
  }
  const list: unknown[] = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
  const tools: ClientTool[] = [];
  for (const [index, entry] of list.entries()) {
    const tool = toolOf(entry);
    if (!tool) return { tools: null, problem: `[${index}]: needs a function with a name` };
    tools.push(tool);
  }
  return { tools, problem: null };
}

interface WrittenFunction {
  name?: unknown;
  description?: unknown;
  parameters?: unknown;
}

function toolOf(entry: unknown): ClientTool | null {
  if (typeof entry !== 'object' || entry === null) return null;
  const written = ('function' in entry ? entry.function : entry) as WrittenFunction | null;
  if (typeof written?.name !== 'string' || written.name === '') return null;
  const { name, description, parameters } = written;
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A tool to begin with. */
export const exampleTools = JSON.stringify(
  [
    {
      name: 'get_weather',
      description: 'The weather of a city now.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
  null,
  2,
);

/** What is asked for beside an answer, in a few words. */
export function requestedOf(settings: PlaygroundSettings): string[] {
  const { search, research, toolkits, tools, instructions, maxTokens, stores } = settings;
  const { temperature, effort } = settings;
  const { options: words } = texts.playground;
  return [
    ...(search === 'off' ? [] : [words.search]),
    ...(research === 'off' ? [] : [words.research]),
    ...(research === 'off' ? toolkits : []),
    ...(research === 'off' ? tools.map((tool) => tool.function?.name ?? '') : []),
    ...(instructions.trim() === '' ? [] : [texts.common.instructions]),
    ...(temperature === null ? [] : [words.temperature]),
    ...(effort === 'default' ? [] : [words.effort]),
    ...(maxTokens === null ? [] : [texts.common.longestAnswer]),
    ...(stores ? [] : [words.notStored]),
  ];
}
