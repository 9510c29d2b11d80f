import fc from 'fast-check';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import { runs } from '../helpers/runs.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up) => ({ providers: { up } })));
});
afterAll(() => gateway.close());

interface Piece {
  index?: number;
  id?: string;
  type?: string;
  function: { name?: string | null; arguments?: string };
}
interface Delta {
  role?: string;
  content?: string;
  tool_calls?: Piece[] | Piece;
}
interface Choice {
  index?: number;
  delta?: Delta | null;
  message?: Delta | null;
  finish_reason?: string | null;
  [field: string]: unknown;
}
interface Chunk {
  choices?: (Choice | null)[];
  usage?: object;
  [field: string]: unknown;
}

const chunkOf = (delta: Delta, finish: string | null = null): Chunk => ({
  id: 'c-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
});
const callOf = (index: number, piece: Omit<Piece, 'index'>): Chunk =>
  chunkOf({ tool_calls: [{ index, ...piece }] });
const moreOf = (index: number, pieces: string[]): Chunk[] =>
  pieces.map((piece) => callOf(index, { function: { arguments: piece } }));
const firstOf = (index: number, name: string): Chunk =>
  callOf(index, { id: `call_${index}abc`, type: 'function', function: { name, arguments: '' } });

/** What OpenAI would send: a text, two calls with their arguments in pieces, usage. */
const whole = (): Chunk[] => [
  chunkOf({ role: 'assistant', content: '' }),
  ...['Grüße ', 'aus "Rom"', '\n', '🌍'].map((content) => chunkOf({ content })),
  firstOf(0, 'weather'),
  ...moreOf(0, ['{"ci', 'ty":"Ro', 'me"}']),
  firstOf(1, 'time'),
  ...moreOf(1, ['{"zone"', ':"CET"}']),
  chunkOf({}, 'tool_calls'),
  {
    ...chunkOf({}),
    choices: [],
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
  },
];

const choices = (chunks: Chunk[]): Choice[] =>
  chunks.flatMap(({ choices: all = [] }) => all.filter((choice) => choice !== null));
const deltas = (chunks: Chunk[]): Delta[] => choices(chunks).flatMap(({ delta }) => delta ?? []);
const pieces = (chunks: Chunk[]): Piece[] =>
  deltas(chunks).flatMap(({ tool_calls: calls }) => calls ?? []);
const lastOf = (chunks: Chunk[]): Choice => choices(chunks).at(-1)!;

/** What servers do to it. Each keeps what the answer says. */
const deformations: Readonly<Record<string, (chunks: Chunk[]) => unknown>> = {
  'no role': (chunks) => deltas(chunks).forEach((delta) => delete delta.role),
  'no index of choices': (chunks) => choices(chunks).forEach((choice) => delete choice.index),
  'empty finish reasons': (chunks) =>
    choices(chunks).forEach((choice) => (choice.finish_reason ??= '')),
  'no finish reasons but the last': (chunks) =>
    choices(chunks).forEach((choice) => choice.finish_reason ?? delete choice.finish_reason),
  'stop beside calls': (chunks) => (lastOf(chunks).finish_reason = 'stop'),
  'a spelling of its own': (chunks) => (lastOf(chunks).finish_reason = 'TOOL_USE'),
  'a reason that nobody knows': (chunks) => (lastOf(chunks).finish_reason = 'ended'),
  'no delta at the end': (chunks) => delete lastOf(chunks).delta,
  'a delta that is null at the end': (chunks) => (lastOf(chunks).delta = null),
  'a chunk of the filter': (chunks) =>
    chunks.splice(2, 0, { choices: [{ index: 0, content_filter_results: {} }] }),
  'a chunk without choices': (chunks) => chunks.splice(1, 0, { prompt_filter_results: [] }),
  'a choice that is null': (chunks) => chunks.splice(3, 0, { choices: [null] }),
  'empty ids': (chunks) => pieces(chunks).forEach((piece) => piece.id && (piece.id = '')),
  'no ids': (chunks) => pieces(chunks).forEach((piece) => delete piece.id),
  'ids in each piece': (chunks) =>
    pieces(chunks).forEach((piece) => (piece.id = `call_${piece.index ?? 0}abc`)),
  'names in each piece': (chunks) =>
    pieces(chunks).forEach(
      (piece) => (piece.function.name = piece.index === 0 ? 'weather' : 'time'),
    ),
  'no types': (chunks) => pieces(chunks).forEach((piece) => delete piece.type),
  'names that are null in later pieces': (chunks) =>
    pieces(chunks).forEach((piece) => (piece.function.name ??= null)),
  'one call that is no list': (chunks) =>
    deltas(chunks).forEach((delta) => {
      if (delta.tool_calls) delta.tool_calls = [delta.tool_calls].flat()[0]!;
    }),
  'usage in each chunk': (chunks) =>
    chunks.forEach((chunk) => (chunk.usage ??= { prompt_tokens: 7, completion_tokens: 1 })),
  'messages in place of deltas': (chunks) =>
    choices(chunks).forEach((choice) => {
      choice.message = choice.delta ?? null;
      delete choice.delta;
    }),
};
/** These change what others look for, so they come last. */
const last = ['one call that is no list', 'messages in place of deltas'];
const names = Object.keys(deformations).sort((a, b) => last.indexOf(a) - last.indexOf(b));

it('keeps text, calls and usage of a stream however servers deform it, and the SDK reads each frame', async () => {
  const client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(names),
      fc.boolean(),
      fc.constantFrom('text/event-stream', 'application/json', 'text/plain'),
      fc.constantFrom('whole' as const, 'events' as const, 7),
      async (chosen, isDone, contentType, writes) => {
        const chunks = whole();
        for (const name of chosen) deformations[name]!(chunks);
        const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
        const raw = Buffer.from(isDone ? `${body}data: [DONE]\n\n` : body);
        const model = plays.newModel();
        plays.set(model, { raw, contentType, writes });
        const stream = client.chat.completions.stream({
          model: `up/${model}`,
          messages: [{ role: 'user', content: 'Hi' }],
          stream_options: { include_usage: true },
        });
        for await (const { choices: got } of stream)
          for (const choice of got) {
            expect(choice.delta).toEqual(expect.any(Object));
            expect([undefined, null, 'tool_calls']).toContain(choice.finish_reason);
          }
        const { choices: answered, usage } = await stream.finalChatCompletion();
        const { message, finish_reason: finish } = answered[0]!;
        const calls = (message.tool_calls ?? []).map(({ function: called }) => [
          called.name,
          called.arguments,
        ]);
        expect({ text: message.content, calls, finish }).toEqual({
          text: 'Grüße aus "Rom"\n🌍',
          calls: [
            ['weather', '{"city":"Rome"}'],
            ['time', '{"zone":"CET"}'],
          ],
          finish: 'tool_calls',
        });
        expect(message.tool_calls?.every(({ id }) => /^\w{6,}$/.test(id))).toBe(true);
        expect(usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 5 });
        expect(plays.of(model)).toHaveLength(1);
      },
    ),
    { numRuns: runs(100) },
  );
});
