import { has, tryJson } from '../json.js';
import type { Finish } from '../steps.js';

/** What a client must get of a recorded answer, however it reached the gateway. */
export interface Expected {
  text: string;
  reasoning: string;
  refusal: string;
  /**
   * Only those that the client is to run; the arguments parsed ({} where there are none, the text
   * where it is no JSON).
   */
  toolCalls: { name: string; arguments: unknown }[];
  finish: Finish | null;
  /**
   * `prompt` includes cached and cache-written tokens, `completion` includes reasoning. Null where
   * nothing was reported.
   */
  usage: { prompt: number; completion: number; cached: number; reasoning: number } | null;
  /**
   * The failure, with the status that it was or (inside a 200) means. Text and usage are then what
   * came before it.
   */
  error: { status: number } | null;
}

/** The dialects that recorded traffic is in and that an oracle reads. */
export type OracleName =
  'openai-chat' | 'anthropic' | 'gemini' | 'bedrock' | 'cohere' | 'openai-responses';

/** Reads all events of an answer at once; an answer that was not streamed is a single event. */
export type Oracle = (events: unknown[], streamed: boolean) => Expected;

/** An answer of which nothing is known yet. */
export function nothing(): Expected {
  return {
    text: '',
    reasoning: '',
    refusal: '',
    toolCalls: [],
    finish: null,
    usage: null,
    error: null,
  };
}

/** A tool call of its name and argument text. */
export function toolCall(name: string, args: unknown): Expected['toolCalls'][number] {
  if (typeof args !== 'string') return { name, arguments: args ?? {} };
  if (args.trim() === '') return { name, arguments: {} };
  const parsed = tryJson(args);
  return { name, arguments: parsed === undefined ? args : (parsed ?? {}) };
}

/** The last event with something at a path. */
export function lastWith(events: unknown[], ...path: (string | number)[]): unknown {
  return events.findLast((event) => has(event, ...path));
}
