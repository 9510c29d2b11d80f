import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import type { ErrorTraceEntry } from '../../src/errors.js';
import type { RunningGateway } from './gateway.js';
import { at, listAt, numberAt, textAt } from './json.js';
import type { Plays } from './plays.js';
import { post, postStream, type SseFrame, type StreamOptions } from './sse.js';
import type { Step } from './steps.js';

/** A way to ask for a completion. */
export interface Way {
  name: string;
  surface: 'native' | 'openai';
  streamed: boolean;
}

const way = (surface: Way['surface'], streamed: boolean): Way => ({
  name: `${surface === 'native' ? 'natively' : "in OpenAI's dialect"}, ${streamed ? 'streamed' : 'not streamed'}`,
  surface,
  streamed,
});

/** The four ways, streamed and not, on both surfaces. */
export const ways: readonly Way[] = [
  way('native', true),
  way('native', false),
  way('openai', true),
  way('openai', false),
];
/** The ways as rows for `it.each`: all, and those of one kind. */
export const wayRows = ways.map((each): [name: string, way: Way] => [each.name, each]);
export const streamedRows = wayRows.filter(([, { streamed }]) => streamed);
export const wholeRows = wayRows.filter(([, { streamed }]) => !streamed);

/** A question in the terms of both surfaces. */
export interface Question {
  /** The first candidate and its fallbacks. */
  models: readonly string[];
  /** Fields of the surface's own. */
  more?: Record<string, unknown>;
}

/** What a client received, in the same terms for every way. */
export interface Heard {
  status: number;
  headers: IncomingHttpHeaders;
  /**
   * `whole`: an answer with its proper end. `refused`: an error status. `broken`: a stream that
   * ends in an error. `cut`: none of these.
   */
  ended: 'whole' | 'refused' | 'broken' | 'cut';
  /** The provider's name for the model that answered. */
  model: string;
  text: string;
  /** The error's message, '' if there is none. */
  message: string;
  /** The whole error object of a refusal or a broken stream. */
  error: unknown;
  errorTrace: ErrorTraceEntry[];
  usage: unknown;
  /** The last chunk of a stream, or the whole body. */
  last: unknown;
  frames: SseFrame[];
}

const addressOf = (gateway: RunningGateway, { surface }: Way): string =>
  `${gateway.url}${surface === 'native' ? '/api/v1/completions' : '/v1/chat/completions'}`;

function bodyOf({ surface, streamed }: Way, { models, more }: Question): object {
  const [first, ...fallbacks] = models;
  const named = surface === 'native' ? { models: [first] } : { model: first };
  return {
    messages: [{ role: 'user', content: 'Hi' }],
    ...named,
    ...(fallbacks.length > 0 ? { fallback_models: fallbacks } : {}),
    ...(streamed ? { stream: true } : {}),
    ...more,
  };
}

/** The request by itself, for tests that do not wait for its answer. */
export function requestOf(
  gateway: RunningGateway,
  asked: Way,
  question: Question,
): { url: string; body: object } {
  return { url: addressOf(gateway, asked), body: bodyOf(asked, question) };
}

/** Asks in one of the ways and reads the answer. */
export async function ask(
  gateway: RunningGateway,
  asked: Way,
  question: Question,
  options: StreamOptions = {},
): Promise<Heard> {
  const { url, body } = requestOf(gateway, asked, question);
  if (!asked.streamed) {
    const reply = await post(url, body, gateway.auth);
    return heardWhole(asked, reply.status, reply.headers, reply.json);
  }
  const { status, headers, frames, json } = await postStream(url, body, {
    ...options,
    headers: gateway.auth,
  });
  if (frames.length === 0) return heardWhole(asked, status, headers, json);
  return heardStream(asked, status, headers, frames);
}

const nothing = {
  model: '',
  text: '',
  message: '',
  error: null,
  errorTrace: [],
  usage: undefined,
  last: undefined,
  frames: [],
};

function heardWhole(
  { surface }: Way,
  status: number,
  headers: IncomingHttpHeaders,
  json: unknown,
): Heard {
  const error = surface === 'native' ? json : at(json, 'error');
  if (status !== 200)
    return {
      ...nothing,
      status,
      headers,
      ended: 'refused',
      message: textAt(error, 'message'),
      error,
      errorTrace: traceAt(error),
      last: json,
    };
  const message = surface === 'native' ? at(json, 'message') : at(json, 'choices', 0, 'message');
  const text =
    surface === 'native' ? textAt(message, 'content', 0, 'text') : textAt(message, 'content');
  const ended = message === undefined ? 'cut' : 'whole';
  return {
    ...nothing,
    status,
    headers,
    ended,
    model: textAt(json, 'model'),
    text,
    errorTrace: traceAt(json),
    usage: at(json, 'usage'),
    last: json,
  };
}

function heardStream(
  { surface }: Way,
  status: number,
  headers: IncomingHttpHeaders,
  frames: SseFrame[],
): Heard {
  const datas = frames.map(({ data }) => data).filter((data) => data !== undefined);
  const chunks = datas
    .filter((data) => data.startsWith('{'))
    .map((data) => JSON.parse(data) as unknown);
  const error = surface === 'native' ? parsedError(frames) : at(chunks.at(-1), 'error');
  const done = datas.filter((data) => data === '[DONE]').length;
  const ended =
    done === 1 && datas.at(-1) === '[DONE]'
      ? 'whole'
      : error !== undefined && done === 0
        ? 'broken'
        : 'cut';
  const textOf = (chunk: unknown): string =>
    surface === 'native'
      ? at(chunk, 'type') === 'text'
        ? textAt(chunk, 'text')
        : ''
      : textAt(chunk, 'choices', 0, 'delta', 'content');
  const last = chunks.at(-1);
  return {
    status,
    headers,
    ended,
    model: textAt(chunks[0], 'model'),
    text: chunks.map(textOf).join(''),
    message: textAt(error, 'message'),
    error: error ?? null,
    errorTrace: traceAt(error ?? last),
    usage: at(error ?? last, 'usage'),
    last,
    frames,
  };
}

/**
 * The native error event, where what existing clients look for comes right after it and ends the
 * stream.
 */
function parsedError(frames: SseFrame[]): unknown {
  const [named, told] = frames.slice(-2);
  if (named?.event !== 'error' || told?.event !== undefined) return undefined;
  const error = JSON.parse(named.data ?? '') as unknown;
  return told?.data === `[Error] ${textAt(error, 'message')}` ? error : undefined;
}

function traceAt(value: unknown): ErrorTraceEntry[] {
  return listAt(value, 'errorTrace').map((entry) => ({
    provider: textAt(entry, 'provider'),
    model: textAt(entry, 'model'),
    error: textAt(entry, 'error'),
    status: (at(entry, 'status') ?? null) as number | null,
    attempt: numberAt(entry, 'attempt'),
    latency: numberAt(entry, 'latency'),
  }));
}

/** A provider that takes the step is asked once, and the provider `good` answers, each way. */
export async function expectOneCall(
  gateway: RunningGateway,
  plays: Plays,
  provider: string,
  step: Step,
): Promise<void> {
  for (const way of ways) {
    const [model, good] = [plays.newModel(), plays.newModel()];
    plays.set(model, step);
    const models = [`${provider}/${model}`, `good/${good}`];
    expect(await ask(gateway, way, { models })).toMatchObject({ ended: 'whole', model: good });
    expect(plays.of(model)).toHaveLength(1);
  }
}
