import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at } from '../helpers/json.js';
import {
  searchingModels,
  searchingProviders,
  streamedAnswer,
  wholeAnswer,
} from '../helpers/native-search.js';
import { post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Is Heron 4.0 out?' }];
let upstream: Upstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await startUpstream({ hasLists: false });
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    providers: searchingProviders(upstream.url),
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** The bytes, cut at any places. */
const cutAt = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...new Set(places.map((place) => place % bytes.length))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
};

describe('an answer with searches of the model’s own', () => {
  it.each(searchingModels)('of %s is the same however its stream is cut', async (label, answer) => {
    const body = { messages, models: [label], search: true };
    upstream.script([wholeAnswer(answer)]);
    const { json: whole } = await post(`${gateway.url}/api/v1/completions`, body, gateway.auth);
    const bytes = Buffer.from(answer.stream);
    const places = fc.array(fc.nat({ max: bytes.length }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(places, async (cuts) => {
        upstream.script([streamedAnswer(answer, cutAt(bytes, cuts))]);
        const { events } = await postStream(
          `${gateway.url}/api/v1/completions`,
          { ...body, stream: true },
          { headers: gateway.auth },
        );
        const text = events.map((event) => String(at(event, 'text'))).join('');
        expect(text).toBe(at(whole, 'message', 'content', 0, 'text'));
        for (const field of ['sources', 'citations'])
          expect(at(events.at(-1), 'message', field)).toEqual(at(whole, 'message', field));
        const { latency: _latency, ...figures } = at(events.at(-1), 'grounding') as object & {
          latency: number;
        };
        expect(at(whole, 'grounding')).toMatchObject(figures);
      }),
      { numRuns: 25 },
    );
  });
});
