import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallReport, createGateway, type Gateway, planOf } from '../../src/index.js';
import { type RunningHost, startHost } from '../helpers/host.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { post } from '../helpers/sse.js';

const messages = [{ role: 'user', content: 'Explain how tides work.' }];
const key = { authorization: 'Bearer sk_mine' };
const models = ['mine/slow', 'mine/quick'];
/** Twenty seconds for what the other one writes in five. */
const answers: Record<string, Partial<CallReport>> = {
  'mine/slow': { firstTokenMs: 200, latencyMs: 20_200 },
  'mine/quick': { firstTokenMs: 900, latencyMs: 5_900 },
};

let gateway: Gateway;
let host: RunningHost;
beforeAll(async () => {
  gateway = createGateway(
    {
      auth: { keys: [{ name: 'me', key: 'sk_mine' }] },
      models: Object.fromEntries(
        models.map((model) => [model, { inputPrice: 1, outputPrice: 2, quality: 0.8 }]),
      ),
      providers: { mine: { api: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' } },
    },
    { env: {} },
  );
  host = await startHost(
    express()
      .use('/ai', gateway.router)
      .post('/chat', gateway.authenticate, gateway.selectModel, (_req, res) => {
        const plan = planOf(res);
        const [{ label }] = plan.candidates;
        const usage = { prompt_tokens: 20, completion_tokens: 400 };
        plan.report({ ok: true, label, usage, ...answers[label] });
        res.json({ label });
      }),
  );
});
afterAll(async () => {
  await host.close();
  await gateway.close();
});

const select = (body: object = {}) =>
  post(
    `${host.url}/ai/api/v1/model-select?explain=true`,
    { messages, llm_providers: models.map((name) => ({ name })), tradeoff: 'latency', ...body },
    key,
  );

describe('the time of an answer', () => {
  it('is expected, and marked so, before answers were timed', async () => {
    const { json } = await select();
    for (const one of listAt(json, 'candidates')) {
      expect(at(one, 'latency')).toBeNull();
      expect(Number(at(one, 'answer_time'))).toBeGreaterThan(0);
      expect(at(one, 'answer_time_basis')).toBe('expected');
      expect(textAt(one, 'reason')).toMatch(/\(expected, not measured\)$/);
    }
  });

  it('decides by the whole answer once both models were timed', async () => {
    for (const model of models)
      for (let time = 0; time < 4; time++)
        await post(`${host.url}/chat`, { messages, models: [model] }, key);
    const { json } = await select();
    expect(textAt(json, 'llm_label')).toBe('mine/quick');
    const [quick, slow] = listAt(json, 'candidates');
    expect(at(quick, 'latency')).toBe(0.9);
    expect(at(slow, 'latency')).toBe(0.2);
    expect(Number(at(slow, 'answer_time'))).toBeGreaterThan(2 * Number(at(quick, 'answer_time')));
    expect(at(quick, 'answer_time_basis')).toBe('measured');
    expect(textAt(quick, 'reason')).toMatch(/^fastest within .* s to the end of the answer$/);
  });

  it('gives way to latencies that the caller states', async () => {
    const stated = models.map((name, place) => ({ name, latency: 1 + place }));
    const { json } = await select({ llm_providers: stated });
    expect(textAt(json, 'llm_label')).toBe('mine/slow');
  });
});
