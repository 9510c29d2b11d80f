import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { listAt, at, textAt } from '../helpers/json.js';
import { ask, post } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const wordy = 'up/claude-sonnet-4-5',
  usual = 'up/claude-3-5-haiku-20241022';
const messages = [{ role: 'user', content: 'Why is the sky blue? Explain it.' }];

describe('the expected tokens of an answer', () => {
  let upstream: Upstream;
  let gateway: RunningGateway;
  beforeAll(async () => {
    upstream = await startUpstream();
    gateway = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: Object.fromEntries(
        [wordy, usual].map((model) => [model, { inputPrice: 1, outputPrice: 1 }]),
      ),
    });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });

  const select = (body: object = {}) =>
    post(
      `${gateway.url}/api/v1/model-select?explain=true`,
      { messages, llm_providers: [{ name: wordy }, { name: usual }], ...body },
      gateway.auth,
    );
  const expectedOf = async (label: string, body: object = {}): Promise<number> => {
    const { json } = await select(body);
    const found = listAt(json, 'candidates').find((one) => at(one, 'label') === label);
    return Number(at(found, 'output_tokens'));
  };
  /** Lets one model answer several times, with so many tokens. */
  const answer = async (completion: number, times: number): Promise<void> => {
    upstream.script([{ usage: { prompt: 20, completion } }]);
    for (let time = 0; time < times; time++) {
      const { status, json } = await post(
        `${gateway.url}/api/v1/completions`,
        { messages, models: [wordy, usual], order: 'ranked' },
        gateway.auth,
      );
      expect(status).toBe(200);
      expect(`up/${textAt(json, 'model')}`).toBe(wordy);
    }
  };

  it('follow a model that always writes ten times as much, within bounds and not at once', async () => {
    const before = await expectedOf(wordy),
      other = await expectedOf(usual);
    await answer(Math.round(before * 10), 1);
    expect(await expectedOf(wordy)).toBeLessThan(before * 3);
    await answer(Math.round(before * 10), 30);
    expect(await expectedOf(wordy)).toBeGreaterThan(before * 4);
    expect(await expectedOf(wordy)).toBeLessThanOrEqual(before * 8 + 1);
    expect(await expectedOf(usual)).toBe(other);
  });

  it('are stored with the decision as they were', async () => {
    const { json } = await ask('GET', `${gateway.url}/api/v1/requests`, gateway.auth);
    const plans = await Promise.all(
      listAt(json, 'items')
        .filter((row) => at(row, 'surface') === 'completions')
        .map(async (row) => {
          const url = `${gateway.url}/api/v1/requests/${textAt(row, 'id')}`;
          const { json: one } = await ask('GET', url, gateway.auth);
          return Number(at(listAt(one, 'plan', 'candidates')[0], 'output_tokens'));
        }),
    );
    expect(new Set(plans).size).toBeGreaterThan(1);
  });

  it('are compared with the answers, by model, in the metrics', async () => {
    const text = await (await fetch(`${gateway.url}/metrics`, { headers: gateway.auth })).text();
    const series = /^signalbox_answer_tokens_ratio_(\w+)\{(.*)\} (\S+)$/gm;
    const own = [...text.matchAll(series)].filter(([, , labels]) =>
      labels!.includes(`provider="up",model="${wordy.slice(3)}"`),
    );
    const valueOf = (name: string): number => Number(own.find(([, one]) => one === name)?.[3]);
    expect(valueOf('count')).toBe(31);
    expect(valueOf('sum') / valueOf('count')).toBeGreaterThan(1);
    expect(valueOf('sum') / valueOf('count')).toBeLessThan(10.1);
  });

  it('follow nothing that no provider has counted', async () => {
    const before = await expectedOf(wordy);
    upstream.script([{ usage: null, text: ['word '.repeat(5)] }]);
    for (let time = 0; time < 16; time++)
      await post(
        `${gateway.url}/api/v1/completions`,
        { messages, models: [wordy, usual] },
        gateway.auth,
      );
    expect(await expectedOf(wordy)).toBe(before);
  });

  it('are what the request asks for, with what the model reasons before', async () => {
    const essay = [{ role: 'user', content: 'Write an essay of 1,500 words on the sea.' }];
    const labels = [{ name: 'openai/gpt-5' }, { name: 'openai/gpt-4o-mini' }];
    const tokens = async (effort: string): Promise<number> =>
      expectedOf('openai/gpt-5', {
        messages: essay,
        llm_providers: labels.map((one) => ({ ...one, attributes: { reasoning_effort: effort } })),
      });
    const [low, high] = [await tokens('low'), await tokens('high')];
    expect(low).toBeGreaterThan(1_800);
    expect(high).toBeGreaterThan(low + 2_000);
  });
});
