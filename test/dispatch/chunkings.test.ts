import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialectOf } from '../helpers/dialects/index.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { post } from '../helpers/sse.js';
import { fullAnswer } from '../helpers/steps.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { ask, wayRows } from '../helpers/ways.js';
import { runs } from '../helpers/runs.js';

const paths: Record<string, string> = {
  'openai-compatible': '/v1/chat/completions',
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
  bedrock: '/model/m/converse-stream',
  cohere: '/v2/chat',
  'openai-responses': '/v1/responses',
};
const basePaths: Record<string, string> = {
  'openai-compatible': '/v1',
  anthropic: '',
  gemini: '/v1beta',
  bedrock: '',
  cohere: '',
  'openai-responses': '/v1',
};

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const provider = ([api, path]: [string, string]) =>
    [
      api,
      {
        api,
        baseUrl: `${upstream.url}${path}`,
        apiKey: 'k',
        ...(api === 'bedrock' ? { region: 'eu-west-1' } : {}),
      },
    ] as const;
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    providers: Object.fromEntries(Object.entries(basePaths).map(provider)),
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/**
 * Text that breaks careless readers: line ends, quotes, escapes, multi-byte characters, stream
 * frames.
 */
const word = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    '\n',
    '\r\n\r\n',
    '"',
    '\\',
    '\\n',
    '\u2028',
    'é',
    '漢字',
    '👩‍👩‍👧',
    'data: [DONE]\n\n',
    '","finish_reason":"stop"',
    '{"error":1}',
    '</s>',
    '\u0000',
    '\u007f',
    '\ufeff',
  ),
);
const answers = fc.record({
  text: fc.array(word, { minLength: 1, maxLength: 8 }),
  cuts: fc.array(fc.nat(), { maxLength: 12 }),
});

/** Cuts a body at the given offsets. */
function cutAt(body: Buffer, cuts: number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % body.length), body.length])].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((place, n) => body.subarray(places[n], place));
}

describe('a stream that is cut anywhere', () => {
  it.each(Object.keys(paths))(
    'reads the same on every surface, and as the provider sent it: %s',
    async (api) => {
      const dialect = dialectOf(paths[api] ?? '');
      await fc.assert(
        fc.asyncProperty(answers, async ({ text, cuts }) => {
          const frames =
            dialect?.frames(fullAnswer({ text }), {
              path: paths[api] ?? '',
              body: { model: 'm', stream: true },
            }) ?? [];
          const body = Buffer.concat(frames.map(({ bytes }) => bytes));
          upstream.script([
            { raw: body, contentType: dialect?.streamType ?? '', events: cutAt(body, cuts) },
          ]);
          for (const [, way] of wayRows) {
            const heard = await ask(gateway, way, { models: [`${api}/m`] });
            expect([way.name, heard.ended, heard.text]).toEqual([way.name, 'whole', text.join('')]);
          }
        }),
        { numRuns: runs(25) },
      );
    },
  );

  it.each(['gemini', 'bedrock', 'cohere'])(
    'has no breaks of lines but its own where another dialect is written: %s',
    async (api) => {
      upstream.script([{ text: ['a\u2028b\u2029', 'c\u0085d'] }]);
      const messages = [{ role: 'user', content: 'Hi' }];
      const body = { model: `${api}/m`, stream: true, messages };
      const { text } = await post(`${gateway.url}/v1/chat/completions`, body, gateway.auth);
      expect(text).toContain(String.raw`a\u2028b\u2029`);
      expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
    },
  );
});
