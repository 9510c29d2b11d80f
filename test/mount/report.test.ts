import express, { type RequestHandler } from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CallReport,
  createGateway,
  type Gateway,
  planOf,
  type ReportablePlan,
} from '../../src/index.js';
import { keepingLogger } from '../helpers/gateway.js';
import { type RunningHost, startHost } from '../helpers/host.js';
import { listAt } from '../helpers/json.js';
import { noUnhandledRejections } from '../helpers/rejections.js';
import { isWholeRun } from '../helpers/runs.js';
import { ask, post } from '../helpers/sse.js';

const messages = [{ role: 'user', content: 'Say hello' }];
const models = ['mine/large', 'mine/small'];
const key = { authorization: 'Bearer sk_mine' };
const report: CallReport = {
  ok: true,
  latencyMs: 2_000,
  firstTokenMs: 300,
  usage: { prompt_tokens: 1_000, completion_tokens: 200 },
  score: 0.9,
};

let gateway: Gateway;
let host: RunningHost;
/** What the handler behind the stage does with the plan. */
let handle: (plan: ReportablePlan) => void;
const log = keepingLogger();

beforeEach(async () => {
  log.lines.length = 0;
  gateway = createGateway(
    {
      auth: { keys: [{ name: 'me', key: 'sk_mine' }] },
      models: {
        'mine/large': { inputPrice: 5, outputPrice: 10, quality: 0.9 },
        'mine/small': { inputPrice: 1, outputPrice: 2, quality: 0.8 },
      },
      // its own provider, so that the labels name one
      providers: { mine: { api: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' } },
    },
    { env: {}, logger: log.logger },
  );
  const useThePlan: RequestHandler = (_req, res) => {
    const plan = planOf(res);
    handle(plan);
    res.json({ label: plan.candidates[0].label, plan });
  };
  const app = express()
    .use('/ai', gateway.router)
    .post('/chat', gateway.authenticate, gateway.selectModel, useThePlan);
  host = await startHost(app);
});
afterEach(async () => {
  await host.close();
  await gateway.close();
});
noUnhandledRejections();

const chat = (body: object = {}) => post(`${host.url}/chat`, { messages, models, ...body }, key);
const items = async (path: string): Promise<unknown[]> =>
  listAt((await ask('GET', `${host.url}/ai/api/v1/${path}`, key)).json, 'items');
const metrics = async (): Promise<string> => (await ask('GET', `${host.url}/ai/metrics`)).text;

describe("a report of the host's own call", () => {
  it('is in the request log, in usage with its cost, and in the log', async () => {
    handle = (plan) => plan.report(report);
    const reply = await chat();
    expect(reply.json).toMatchObject({ label: 'mine/large' });
    expect(await items('requests')).toEqual([
      expect.objectContaining({
        surface: 'reported',
        status: 200,
        provider: 'mine',
        model: 'large',
        ttftMs: 300,
        promptTokens: 1_000,
        completionTokens: 200,
        costUsd: 0.007,
        latencyMs: expect.closeTo(2_000, -3),
      }),
    ]);
    expect(await items('usage')).toEqual([
      expect.objectContaining({ provider: 'mine', model: 'large', requests: 1, costUsd: 0.007 }),
    ]);
    expect(log.lines).toContainEqual(
      expect.objectContaining({ surface: 'reported', model: 'mine/large' }),
    );
  });

  it('makes of the choice that was counted one with a known cost', async () => {
    handle = () => undefined;
    await chat();
    handle = (plan) => plan.report(report);
    await chat();
    const { json } = await ask('GET', `${host.url}/ai/api/v1/savings`, key);
    expect(json).toMatchObject({
      choices: 2,
      measured: 1,
      spentReason: '1 of 2 are estimated: the gateway did not see the answers',
      best: { model: 'mine/large', candidateIn: 2, chosenIn: 2 },
    });
  });

  it('is in the metrics: the attempt, the durations, the tokens and the cost', async () => {
    handle = (plan) => plan.report(report);
    await chat();
    const page = await metrics();
    for (const line of [
      /^signalbox_attempts_total\{provider="mine",model="large",outcome="ok"\} 1$/m,
      /^gen_ai_server_request_duration_seconds_sum\{[^}]*gen_ai_request_model="large"[^}]*\} 2\.0/m,
      /^gen_ai_server_time_to_first_token_seconds_sum\{[^}]*gen_ai_request_model="large"[^}]*\} 0\.3/m,
      /^gen_ai_client_token_usage_sum\{[^}]*gen_ai_token_type="output"[^}]*\} 200$/m,
      /^signalbox_cost_usd_total\{provider="mine",model="large"\} 0\.007$/m,
    ])
      expect(page).toMatch(line);
  });

  it('teaches: its score is feedback on the decision', async () => {
    handle = (plan) => plan.report(report);
    await chat();
    await expect
      .poll(() => items('feedback'))
      .toEqual([expect.objectContaining({ score: 0.9, provider: 'mine', model: 'large' })]);
  });

  // outcomes are written every five seconds
  it.runIf(isWholeRun)('teaches: its failure is an outcome of the model', async () => {
    handle = (plan) => plan.report(report);
    await chat();
    handle = (plan) =>
      plan.report({ ok: false, label: 'mine/small', error: new Error('timed out') });
    await chat();
    await expect
      .poll(async () => (await ask('GET', `${host.url}/ai/api/v1/learning`, key)).json)
      .toMatchObject({
        outcomes: expect.arrayContaining([
          expect.objectContaining({ provider: 'mine', model: 'large', faults: 0 }),
          expect.objectContaining({ provider: 'mine', model: 'small', answers: 1, faults: 1 }),
        ]),
      });
    expect((await items('requests'))[0]).toMatchObject({
      status: 502,
      code: 'upstream_error',
      model: 'small',
    });
  });

  it('changes which model is expected to be the faster', async () => {
    for (const [label, firstTokenMs] of [
      ['mine/large', 50],
      ['mine/small', 9_000],
    ] as const) {
      handle = (plan) => plan.report({ ...report, score: null, label, firstTokenMs });
      for (let times = 0; times < 5; times++) await chat();
    }
    handle = () => undefined;
    const reply = await post(
      `${host.url}/ai/api/v1/model-select?explain=true`,
      { messages, llm_providers: models.map((name) => ({ name })) },
      key,
    );
    expect(reply.json).toMatchObject({
      candidates: expect.arrayContaining([
        expect.objectContaining({ label: 'mine/large', latency: 0.05 }),
        expect.objectContaining({ label: 'mine/small', latency: 9 }),
      ]),
    });
  });

  it('counts once, works after the response has ended, and never throws', async () => {
    const plans: ReportablePlan[] = [];
    handle = (plan) => plans.push(plan);
    await chat();
    const [plan] = plans;
    expect(() => {
      plan!.report({ ok: true, latencyMs: NaN, firstTokenMs: -1, score: 7, usage: {} });
      plan!.report(report);
      plan!.report(undefined as never);
    }).not.toThrow();
    expect(await items('requests')).toEqual([
      expect.objectContaining({ surface: 'reported', ttftMs: null, promptTokens: 0 }),
    ]);
    handle = (other) => other.report(null as never);
    await chat();
    expect(log.lines).toContainEqual(
      expect.objectContaining({ msg: expect.stringContaining('report of the host app') }),
    );
  });

  it('of a model that only the client named is "other" in the metrics', async () => {
    handle = (plan) => plan.report(report);
    expect((await chat({ models: ['x'.repeat(50), 'invented/y'] })).status).toBe(200);
    const page = await metrics();
    expect(page).toMatch(/^signalbox_attempts_total\{provider="other",model="other"/m);
    expect(page).not.toMatch(/invented|xxxx/);
  });

  it('leaves the plan plain data', async () => {
    handle = () => undefined;
    const { json } = await chat();
    expect(Object.keys((json as { plan: object }).plan)).not.toContain('report');
  });

  it('works for gateway.select too', async () => {
    const caller = { account: 'alice' };
    const plan = await gateway.select(
      { messages: [{ role: 'user', content: 'hi' }], llm_providers: [{ name: 'mine/small' }] },
      { caller },
    );
    plan.report({ ...report, usage: { promptTokens: 10, completionTokens: 20 } });
    await expect.poll(metrics).toMatch(/attempts_total\{provider="mine",model="small"/);
    expect(log.lines).toContainEqual(
      expect.objectContaining({ surface: 'reported', accountId: 'host:alice', promptTokens: 10 }),
    );
  });
});
