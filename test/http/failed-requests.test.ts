import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databasesOfRun, type TestDatabase } from '../helpers/databases.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt } from '../helpers/json.js';
import { ask, post, postStream, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const prompt = 'The launch code of the rocket is nine eight seven.';
const messages = [{ role: 'user', content: prompt }];
const auth = { authorization: 'Bearer sk_one' };
const refusal = (message: string): object => ({ status: 400, body: { error: { message } } });

describe.each(databasesOfRun)('a failed request on %s', (_name, make) => {
  let upstream: Upstream;
  let database: TestDatabase;
  let gateway: RunningGateway;
  let log: ReturnType<typeof keepingLogger>;
  beforeAll(async () => {
    upstream = await startUpstream();
  });
  afterAll(() => upstream.close());
  beforeEach(async () => {
    upstream.script([]);
    database = await make();
    log = keepingLogger();
    gateway = await startGateway(
      {
        providers: {
          up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-up' },
        },
        models: { 'up/known': { inputPrice: 1, outputPrice: 2 }, 'up/other': {} },
        database: { url: database.url },
        auth: {
          keys: [
            { name: 'one', key: 'sk_one' },
            { name: 'poor', key: 'sk_poor', limits: { dayBudgetUsd: 1e-9 } },
          ],
        },
      },
      { logger: log.logger },
    );
  });
  afterEach(async () => {
    await gateway.close();
    await database.drop();
  });

  const native = (body: object = {}, headers = auth): Promise<Reply> =>
    post(`${gateway.url}/api/v1/completions`, { messages, models: ['up/known'], ...body }, headers);
  const get = (path: string): Promise<Reply> => ask('GET', `${gateway.url}/api/v1/${path}`, auth);
  /** The newest row, with its attempts, once there are so many. */
  async function newest(count = 1): Promise<unknown> {
    let items: unknown[] = [];
    await until(async () => {
      items = listAt((await get('requests')).json, 'items');
      return items.length >= count;
    });
    return (await get(`requests/${String(at(items, 0, 'id'))}`)).json;
  }
  const usage = async (by = 'model'): Promise<unknown> => (await get(`usage?by=${by}`)).json;

  it('tells why: the text of the provider, without what it repeats of the prompt', async () => {
    upstream.script([refusal(`No. "${prompt}" is against our rules about rockets.`)]);
    await native();
    const error = 'up answered 400: No. "[…]" is against our rules about rockets.';
    expect(await newest()).toMatchObject({
      status: 422,
      code: 'request_refused',
      error,
      attempts: [{ outcome: 'request_refused', error }],
    });
    expect(log.lines[0]).toMatchObject({ error, code: 'request_refused', model: 'up/known' });
    expect(await database.text()).not.toContain('launch code');
    expect(log.text()).not.toContain('launch code');
  });

  it('tells why a stream broke off, and what an embedding was refused for', async () => {
    upstream.script([{ reset: 'afterContent' }]);
    await postStream(
      `${gateway.url}/api/v1/completions`,
      { messages, models: ['up/known'], stream: true },
      { headers: auth },
    );
    expect(await newest()).toMatchObject({
      status: 200,
      code: 'connection_failed',
      error: expect.stringMatching(/^up broke off its answer/) as string,
    });
    upstream.script([refusal(`What is ${prompt}?`)]);
    await post(`${gateway.url}/v1/embeddings`, { model: 'up/known', input: prompt }, auth);
    expect(await newest(2)).toMatchObject({
      surface: 'embeddings',
      error: 'up answered 400: What is […]?',
      provider: 'up',
      model: 'known',
    });
  });

  it('is attributed to the model that was tried last, in the sums too', async () => {
    upstream.script([{ status: 404 }, { status: 404 }]);
    await native({ models: ['up/known', 'up/gpt-other'] });
    expect(await newest()).toMatchObject({ status: 422, provider: 'up', model: 'gpt-other' });
    expect(await usage()).toMatchObject({
      items: [{ provider: 'up', model: 'other', requests: 1, errors: 1 }],
    });
  });

  it('is attributed to the model that was asked for if none was tried', async () => {
    await native({ models: ['up/known'], previous_session: 'unknown' });
    expect(await newest()).toMatchObject({
      provider: 'up',
      model: 'known',
      error: 'previous_session: not found',
      field: 'previous_session',
    });
    await native({ models: ['nobody/known'] });
    expect(await newest(2)).toMatchObject({
      provider: 'nobody',
      model: 'known',
      error: expect.stringContaining('not configured') as string,
    });
    await native({}, { authorization: 'Bearer sk_poor' });
    await until(() => log.lines.some(({ code }) => code === 'budget_too_small'));
    expect(log.lines.at(-1)).toMatchObject({ caller: 'poor', model: 'up/known' });
  });

  it('adds no rows to the sums with names that clients invent, nor does model selection', async () => {
    for (let count = 0; count < 5; count++) {
      await native({ models: [`invented${count}/model`] });
      upstream.script([{ status: 404 }]);
      await native({ models: [`up/invented${count}`] });
      await post(
        `${gateway.url}/api/v1/model-select`,
        { messages, llm_providers: [{ name: `mine${count}/model${count}` }] },
        auth,
      );
    }
    upstream.script([]);
    await native();
    await newest(16);
    expect(await usage()).toMatchObject({
      items: [
        { provider: 'other', model: 'other', requests: 10, errors: 5 },
        { provider: 'up', model: 'known', requests: 1, errors: 0 },
        { provider: 'up', model: 'other', requests: 5, errors: 5 },
      ],
    });
  });
});
