import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at } from '../../helpers/json.js';
import {
  everyModel,
  finalOf,
  ownModel,
  type ResponsesWorld,
  startResponses,
  textOf,
  typesOf,
} from '../../helpers/responses.js';
import { tooLong } from '../../helpers/sdk-gateway.js';

let world: ResponsesWorld;
beforeEach(async () => {
  world = await startResponses({ limits: { maxRetries: 1 } });
});
afterEach(() => world.close());

const failed = ['response.created', 'response.in_progress', 'response.failed'];

describe.each(everyModel)('a failure of %s', (model) => {
  it('after all retries is told inside a stream, so that agents do not repeat it', async () => {
    world.upstream.script([{ status: 500 }]);
    const streamed = await world.stream({ model, input: 'Hi' });
    expect(streamed.status).toBe(200);
    expect(typesOf(streamed)).toEqual(failed);
    expect(finalOf(streamed)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: expect.stringContaining('answered 500') },
      output: [],
    });
    expect(world.upstream.requests).toHaveLength(2);
  });

  it('is an HTTP error where the answer is not streamed', async () => {
    world.upstream.script([{ status: 500 }]);
    expect(await world.ask({ model, input: 'Hi' })).toMatchObject({
      status: 502,
      json: { error: { code: 'all_failed' } },
    });
  });

  it('by a rate limit is called so, with how long to wait in the text', async () => {
    world.upstream.script([{ status: 429, headers: { 'retry-after': '1' } }]);
    const streamed = await world.stream({ model, input: 'Hi' });
    expect(finalOf(streamed)).toMatchObject({
      error: {
        code: 'rate_limit_exceeded',
        message: expect.stringMatching(/Please try again in \d+s\.$/),
      },
    });
  });

  it('in the middle of an answer ends it with what there is', async () => {
    world.upstream.script([{ text: ['Hel', 'lo'], reset: 'afterContent' }]);
    const streamed = await world.stream({ model, input: 'Hi' });
    expect(typesOf(streamed)).toContain('response.output_text.delta');
    expect(typesOf(streamed).at(-1)).toBe('response.failed');
    expect(finalOf(streamed)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    if (model !== ownModel) expect(textOf(finalOf(streamed))).toBe('Hel');
    const numbers = streamed.events.map((event) => at(event, 'sequence_number'));
    expect(numbers).toEqual(numbers.map((_number, index) => index));
  });

  it('that the request is to blame for is an HTTP error', async () => {
    world.upstream.script([{ status: 400 }]);
    const streamed = await world.stream({ model, input: 'Hi' });
    expect(streamed.status).toBe(400);
    expect(streamed.json).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(world.upstream.requests).toHaveLength(1);
  });
});

it('a conversation that is too long has the code, also in the text', async () => {
  world.upstream.script([{ status: 400, body: Object.values(tooLong)[0] }]);
  const streamed = await world.stream({ model: ownModel, input: 'Hi' });
  expect(streamed.status).toBe(400);
  expect(streamed.json).toMatchObject({
    error: {
      code: 'context_length_exceeded',
      message: expect.stringContaining('(context_length_exceeded)'),
    },
  });
});

it('an unknown model is 404 with the code model_not_found', async () => {
  expect(await world.stream({ model: 'nope/nope', input: 'Hi' })).toMatchObject({
    status: 404,
    json: { error: { code: 'model_not_found' } },
  });
});

it('a limit of the key is a 429 of HTTP', async () => {
  const limited = await startResponses({
    auth: { keys: [{ name: 'k', key: 'sk_limited_0123456789', limits: { requestsPerMinute: 1 } }] },
  });
  await limited.ask({ input: 'Hi' });
  expect(await limited.stream({ input: 'Hi' })).toMatchObject({
    status: 429,
    json: { error: { code: 'rate_limit_exceeded' } },
  });
  await limited.close();
});
