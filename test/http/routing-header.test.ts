import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routingHeader } from '../../src/http/routing-header.js';
import type { Plan, RankedCandidate } from '../../src/chooser/plan.js';
import { expectConforms } from '../helpers/conforms.js';
import { expressRows, startHost } from '../helpers/host.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const limits = {
  retriesPerCandidate: 2,
  firstEventTimeoutMs: 1,
  idleTimeoutMs: 1,
  totalTimeoutMs: 1,
};
const candidate = (label: string, learned?: string[]): RankedCandidate => ({
  label,
  provider: 'up',
  model: label,
  score: 1,
  why: {
    quality: 0.81234,
    uncertainty: 0.0312,
    price: 1,
    cost: 0.00123456,
    outputTokens: 311.7,
    latency: 0.41,
    reason: 'because',
    gate: 0.93456,
    ...(learned ? { learned } : {}),
  },
});
const planOf = (
  labels: readonly string[],
  excluded: readonly string[] = [],
  reason = 'best predicted quality, 0.812',
): Plan => ({
  id: 'plan',
  promptTokens: 5,
  candidates: [candidate(labels[0] ?? 'only'), ...labels.slice(1).map((label) => candidate(label))],
  limits,
  reason,
  gate: 0.93456,
  excluded: excluded.map((label) => ({
    candidate: { label, provider: null, model: label },
    reason: 'it does not call tools, but the request offers 1',
  })),
});

const none = () => undefined;

describe('the header that tells what was weighed', () => {
  it('is compact JSON, the best candidates first, then what was excluded', () => {
    expect(routingHeader(planOf(['a', 'b'], ['c']), none)).toBe(
      '{"reason":"best predicted quality, 0.812","gate":0.935,"candidates":[' +
        '{"label":"a","quality":0.812,"uncertainty":0.0312,"cost":0.00123,"output_tokens":312,"latency":0.41},{"label":"b","quality":0.812,"uncertainty":0.0312,"cost":0.00123,"output_tokens":312,"latency":0.41},' +
        '{"label":"c","excluded":"it does not call tools, but the request offers 1"}]}',
    );
  });

  it("says what the account's own traffic has changed", () => {
    const plan = {
      ...planOf(['a', 'b']),
      candidates: [candidate('a', ['feedback of 12 answers']), candidate('b')] as const,
    };
    expect(routingHeader(plan, none)).toContain('"learned":["feedback of 12 answers"]');
  });

  it('is none where there was nothing to weigh', () =>
    expect(routingHeader(planOf(['a']), none)).toBeNull());

  it('is at most a kilobyte of printable ASCII, valid JSON, and says how many are missing, whatever the names', () => {
    const names = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.constant('é'.repeat(2_000)),
        fc.constant('a'),
      ),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(
        names,
        names,
        fc.string({ unit: 'binary', maxLength: 500 }),
        (labels, excluded, reason) => {
          const header = routingHeader(planOf(labels, excluded, reason), none) ?? '';
          expect(header.length).toBeLessThanOrEqual(1_024);
          expect(header).toMatch(/^[\x20-\x7e]*$/);
          const told = JSON.parse(header) as { candidates: object[]; omitted?: number };
          expect(told.candidates.length + (told.omitted ?? 0)).toBe(
            labels.length + excluded.length,
          );
        },
      ),
    );
  });
});

describe('one conversation, asked for in every way', () => {
  const messages = [
    {
      role: 'user',
      content:
        'Write a function in Python that sorts a list of dictionaries by two keys, and explain how long it takes.',
    },
  ];
  const models = ['up/gpt-4o-mini', 'up/gpt-4o', 'up/claude-3-5-haiku-20241022', 'up/nobody-knows'];
  let upstream: Upstream;
  let gateway: RunningGateway;
  beforeAll(async () => {
    upstream = await startUpstream();
    gateway = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: Object.fromEntries(
        models.map((model, index) => [
          model,
          {
            inputPrice: 1 + index,
            outputPrice: 2 + index,
            latency: 1,
            ...(index === 3 ? { tools: false } : {}),
          },
        ]),
      ),
    });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });
  const told = (
    header: unknown,
  ): { reason: string; gate: number; candidates: { label: string }[] } =>
    JSON.parse(String(header)) as ReturnType<typeof told>;

  it.each([{}, { tradeoff: 'cost' }, { tradeoff: 'latency' }])(
    'has the same plan, and the same explanation: %j',
    async (wish) => {
      const selected = await post(
        `${gateway.url}/api/v1/model-select?explain=true`,
        { messages, llm_providers: models.map((name) => ({ name })), ...wish },
        gateway.auth,
      );
      expectConforms('model-select.response', selected.json);
      const order = listAt(selected.json, 'candidates').map((one) => textAt(one, 'label'));
      // the answers that are given change the cost of the next one
      const rule = (reason: string): string => reason.replace(/about [\d.e-]+ USD/, 'so much');
      const expected = {
        reason: rule(textAt(selected.json, 'reason')),
        gate: at(selected.json, 'gate'),
        order,
      };
      const seen = (header: unknown): object => ({
        reason: rule(told(header).reason),
        gate: told(header).gate,
        order: told(header).candidates.map(({ label }) => label),
      });
      const native = { messages, models, ...wish };
      const chat = { messages, model: 'auto', ...wish };
      expect(
        seen(
          (await post(`${gateway.url}/api/v1/completions`, native, gateway.auth)).headers[
            'x-signalbox-routing'
          ],
        ),
      ).toEqual(expected);
      expect(
        seen(
          (
            await postStream(
              `${gateway.url}/api/v1/completions`,
              { ...native, stream: true },
              { headers: gateway.auth },
            )
          ).headers['x-signalbox-routing'],
        ),
      ).toEqual(expected);
      expect(
        seen(
          (await post(`${gateway.url}/v1/chat/completions`, { ...chat, models }, gateway.auth))
            .headers['x-signalbox-routing'],
        ),
      ).toEqual(expected);
      expect(
        seen(
          (await post(`${gateway.url}/v1/chat/completions`, chat, gateway.auth)).headers[
            'x-signalbox-routing'
          ],
        ),
      ).toEqual(expected);
      expect(
        seen(
          (
            await postStream(
              `${gateway.url}/v1/chat/completions`,
              { ...chat, stream: true },
              { headers: gateway.auth },
            )
          ).headers['x-signalbox-routing'],
        ),
      ).toEqual(expected);
      const v2 = await post(
        `${gateway.url}/v2/modelRouter/modelSelect`,
        {
          messages,
          llm_providers: models.map((label) => ({ provider: 'up', model: label.slice(3) })),
          ...wish,
        },
        gateway.auth,
      );
      expect(listAt(v2.json, 'providers').map((one) => `up/${textAt(one, 'model')}`)).toEqual(
        order,
      );
    },
  );

  it.each(expressRows)('has the same plan in a stage, in %s', async (_version, express) => {
    const host = await startHost(
      express().post('/chat', gateway.gateway.selectModel, gateway.gateway.complete),
    );
    const alone = await post(
      `${gateway.url}/api/v1/completions`,
      { messages, models },
      gateway.auth,
    );
    const staged = await post(`${host.url}/chat`, { messages, models });
    // the first answer has taught how long answers are
    const [one, other] = [alone, staged].map(({ headers }) =>
      String(headers['x-signalbox-routing']).replaceAll(/"(cost|output_tokens)":[\d.]+/g, '"$1"'),
    );
    expect(one).toContain('"output_tokens"');
    expect(other).toBe(one);
    await host.close();
  });

  it.each([
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    { functions: [{ name: 'f' }] },
  ])('is explained in the request log and in its session, with what %o excludes', async (tools) => {
    const requestId = `told-${Object.keys(tools)[0]}-${Date.now()}`;
    await post(
      `${gateway.url}/v1/chat/completions`,
      { messages, model: 'auto', ...tools },
      { ...gateway.auth, 'x-request-id': requestId },
    );
    const { json } = await ask('GET', `${gateway.url}/api/v1/requests`, gateway.auth);
    const row = listAt(json, 'items').find((one) => at(one, 'requestId') === requestId);
    const request = await ask(
      'GET',
      `${gateway.url}/api/v1/requests/${textAt(row, 'id')}`,
      gateway.auth,
    );
    expectConforms('request.response', request.json);
    const figures = {
      quality: expect.any(Number) as number,
      uncertainty: expect.any(Number) as number,
      cost: expect.any(Number) as number,
      output_tokens: expect.any(Number) as number,
      latency: 1,
      reason: expect.any(String) as string,
    };
    expect(at(request.json, 'plan')).toMatchObject({
      reason: expect.any(String) as string,
      gate: expect.any(Number) as number,
    });
    expect(listAt(request.json, 'plan', 'candidates').map((one) => one)).toMatchObject([
      figures,
      figures,
      figures,
      { label: 'up/nobody-knows', excluded: 'it does not call tools, but the request offers 1' },
    ]);
    const selected = await post(
      `${gateway.url}/api/v1/model-select`,
      { messages, llm_providers: [{ name: models[0] }, { name: models[1] }] },
      gateway.auth,
    );
    const session = await ask(
      'GET',
      `${gateway.url}/api/v1/sessions/${textAt(selected.json, 'session_id')}`,
      gateway.auth,
    );
    expectConforms('session.response', session.json);
    expect(at(session.json, 'group', 0)).toMatchObject({
      gate: expect.any(Number) as number,
      candidates: [figures, figures],
    });
    expect(at(session.json, 'group', 0, 'candidates', 0)).not.toHaveProperty('gate');
  });

  it('has no header where there is one model, or the configuration wants none', async () => {
    expect(
      (
        await post(
          `${gateway.url}/v1/chat/completions`,
          { messages, model: 'up/gpt-4o' },
          gateway.auth,
        )
      ).headers,
    ).not.toHaveProperty('x-signalbox-routing');
    const silent = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      routing: { explainHeader: false },
    });
    const { status, headers } = await post(
      `${silent.url}/api/v1/completions`,
      { messages, models },
      silent.auth,
    );
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('x-signalbox-routing');
    await silent.close();
  });
});
