import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway, testKey } from '../helpers/gateway.js';
import { at, listAt, numberAt, textAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { ask, post, postStream, type StreamReply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Step, type Upstream, type UpstreamCall } from '../helpers/upstream.js';

const whole =
  'Here is the list 🎉:\n\n- one apple\n- two pears\n\n```js\nconst sum = 1 + 2;\n```\n\nThat is “all”.';
const cutAt = whole.indexOf('pears') + 2;
const begun = whole.slice(0, cutAt);

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream({ hasLists: false });
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    auth: {
      keys: [
        { name: 'test', key: testKey, scopes: ['completions', 'admin'] },
        // for one answer of a hundred tokens, whichever model gives it
        { name: 'tight', key: 'sk_tight', limits: { dayBudgetUsd: 0.0025 } },
        { name: 'wide', key: 'sk_wide', limits: { dayBudgetUsd: 1 } },
      ],
    },
    breaker: { enabled: false },
    providers: {
      first: up,
      second: up,
      claude: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'key' },
      mistral: { ...up, api: 'mistral', apiKey: 'key' },
      impatient: { ...up, timeouts: { firstEventMs: 5_000, idleMs: 200 } },
    },
    models: {
      'first/m': { inputPrice: 1, outputPrice: 10 },
      'second/m': { inputPrice: 2, outputPrice: 20 },
      'second/short': { maxOutput: 90 },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

interface Surface {
  path: string;
  bodyOf(models: readonly string[]): object;
  /** The text that an event adds. */
  textOf(data: unknown): string;
  isWhole(stream: StreamReply): boolean;
}
const question = [{ role: 'user', content: 'List the fruit' }];
const listed = ([model, ...fallback_models]: readonly string[]): object => ({
  model,
  fallback_models,
});
const lastType = ({ frames }: StreamReply): string => textAt(jsonOf(frames.at(-1)?.data), 'type');
const surfaces: Record<string, Surface> = {
  native: {
    path: '/api/v1/completions',
    bodyOf: ([model, ...fallback_models]) => ({
      models: [model],
      fallback_models,
      messages: question,
    }),
    textOf: (data) => (at(data, 'type') === 'text' ? textAt(data, 'text') : ''),
    isWhole: ({ frames }) => frames.at(-1)?.data === '[DONE]',
  },
  openai: {
    path: '/v1/chat/completions',
    bodyOf: (models) => ({ ...listed(models), messages: question }),
    textOf: (data) => textAt(data, 'choices', 0, 'delta', 'content'),
    isWhole: ({ frames }) => frames.at(-1)?.data === '[DONE]',
  },
  text: {
    path: '/v1/completions',
    bodyOf: (models) => ({ ...listed(models), prompt: 'List the fruit' }),
    textOf: (data) => textAt(data, 'choices', 0, 'text'),
    isWhole: ({ frames }) => frames.at(-1)?.data === '[DONE]',
  },
  messages: {
    path: '/v1/messages',
    bodyOf: (models) => ({ ...listed(models), messages: question, max_tokens: 1_000 }),
    textOf: (data) => textAt(data, 'delta', 'text'),
    isWhole: (stream) => lastType(stream) === 'message_stop',
  },
  responses: {
    path: '/v1/responses',
    bodyOf: (models) => ({ ...listed(models), input: 'List the fruit' }),
    textOf: (data) =>
      at(data, 'type') === 'response.output_text.delta' ? textAt(data, 'delta') : '',
    isWhole: (stream) => lastType(stream) === 'response.completed',
  },
};
const jsonOf = (data: string | undefined): unknown =>
  data?.startsWith('{') ? (JSON.parse(data) as unknown) : undefined;

async function stream(
  name: keyof typeof surfaces,
  models: readonly string[],
  more: object = {},
  key = testKey,
): Promise<StreamReply & { text: string; isWhole: boolean; events: unknown[] }> {
  const { path, bodyOf, textOf, isWhole } = surfaces[name]!;
  const body = { ...bodyOf(models), stream: true, onBrokenStream: 'continue', ...more };
  const heard = await postStream(gateway.url + path, body, {
    headers: { authorization: `Bearer ${key}` },
  });
  const events = heard.frames.map(({ data }) => jsonOf(data)).filter((data) => data !== undefined);
  return { ...heard, events, text: events.map(textOf).join(''), isWhole: isWhole(heard) };
}

/** What a model was asked to go on with. */
function shownTo(call: UpstreamCall | undefined): string {
  const turns = listAt(call?.body, 'messages');
  const { content } = turns.findLast((turn) => at(turn, 'role') === 'assistant') as {
    content: unknown;
  };
  return typeof content === 'string' ? content : textAt(content, 0, 'text');
}

/** Goes on exactly where what it is shown ends. */
const rest = (call: UpstreamCall): Step => ({ text: piecesOf(whole.slice(shownTo(call).length)) });
const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,7}/gu) ?? [];
const breaks = (fault: Step = { reset: 'afterContent' }): Step => ({ ...fault, text: [begun] });

describe.each(Object.keys(surfaces))('a stream on the surface %s that breaks', (name) => {
  it.each([
    ["a model of OpenAI's dialect", 'second/m'],
    ['a Claude that takes the beginning of its answer', 'claude/claude-sonnet-4-5'],
    ['a Claude that takes none', 'claude/claude-opus-4-6'],
  ])('is whole with the rest from %s', async (_title, next) => {
    upstream.script([breaks(), rest]);
    const heard = await stream(name, ['first/m', next]);
    expect(heard).toMatchObject({ status: 200, text: whole, isWhole: true });
    expect(upstream.requests).toHaveLength(2);
  });

  it('is whole with the rest from the same dialect as the client speaks, forwarded to neither', async () => {
    upstream.script([breaks(), rest]);
    const heard = await stream(name, ['claude/claude-sonnet-4-5', 'claude/claude-haiku-4-5']);
    expect(heard).toMatchObject({ text: whole, isWhole: true });
  });

  it('ends in an error where the request does not ask for more', async () => {
    upstream.script([breaks(), rest]);
    const heard = await stream(name, ['first/m', 'second/m'], { onBrokenStream: null });
    expect(heard).toMatchObject({ text: begun, isWhole: false });
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]?.body).not.toHaveProperty('onBrokenStream');
  });

  it('never shows a provider the field', async () => {
    upstream.script([breaks(), rest]);
    await stream(name, ['claude/claude-sonnet-4-5', 'second/m']);
    for (const { body } of upstream.requests) expect(body).not.toHaveProperty('onBrokenStream');
  });

  it('says where the seam is', async () => {
    upstream.script([breaks(), rest]);
    const { frames, events } = await stream(name, ['first/m', 'second/m']);
    const seam = {
      from: { provider: 'first', model: 'm' },
      to: { provider: 'second', model: 'm' },
      code: 'connection_failed',
      at: begun.length,
    };
    const comments = frames.flatMap(({ comment }) => (comment ? [comment] : []));
    if (name === 'native') {
      const shown = events.filter((event) => at(event, 'seam') !== undefined);
      expect(shown).toMatchObject([{ type: 'seam', text: '', provider: 'second', seam }]);
      for (const event of events) expectConforms('completions.chunk', event);
    } else expect(comments).toEqual([`seam ${JSON.stringify(seam)}`]);
  });
});

describe('a stream goes on after', () => {
  const faults: [string, Step, string?][] = [
    ['a lost connection', { reset: 'afterContent' }],
    ['an end without a finish reason', { endWithoutMarker: true }],
    ['an error inside it', { errorUnder200: 'afterContent', meaning: 'overloaded' }],
    ['silence', { hang: 'afterContent' }, 'impatient/m'],
    [
      'a finish reason that says that the provider broke off',
      {
        raw: Buffer.from(
          [{ delta: { content: begun } }, { delta: {}, finish_reason: 'network_error' }]
            .map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`)
            .join(''),
        ),
        contentType: 'text/event-stream',
      },
    ],
  ];
  it.each(faults)('%s', async (_title, fault, model = 'first/m') => {
    for (const name of ['native', 'openai']) {
      upstream.script(['raw' in fault ? fault : breaks(fault), rest]);
      const heard = await stream(name, [model, 'second/m']);
      expect(heard).toMatchObject({ text: whole, isWhole: true });
    }
  });

  it('several breaks, and calls in vain between them', async () => {
    upstream.script([breaks(), { status: 503 }, { status: 500 }, { status: 503 }]);
    const failed = await stream('native', ['first/m', 'second/m']);
    expect(failed).toMatchObject({ text: begun, isWhole: false });
    // the second one is asked in vain, the third breaks too, and the first goes on
    upstream.script([
      breaks(),
      { status: 503 },
      (call) => ({ reset: 'afterContent', text: [whole.slice(shownTo(call).length, -20)] }),
      rest,
    ]);
    const heard = await stream('native', ['first/m', 'second/m', 'impatient/m']);
    expect(heard).toMatchObject({ text: whole, isWhole: true });
    expect(
      heard.events
        .filter((event) => at(event, 'seam'))
        .map((event) => at(event, 'seam', 'to', 'provider')),
    ).toEqual(['impatient', 'first']);
  });

  it('a break of the only model, which is asked again', async () => {
    upstream.script([breaks(), rest]);
    const heard = await stream('native', ['first/m']);
    expect(heard).toMatchObject({ text: whole, isWhole: true });
  });

  it('a break in a continuation that begins with what the client has', async () => {
    upstream.script([
      breaks(),
      (call) => ({ text: piecesOf(`- two pe${whole.slice(shownTo(call).length)}`) }),
    ]);
    expect(await stream('native', ['first/m', 'second/m'])).toMatchObject({ text: whole });
  });
});

describe('what the next model is asked', () => {
  it('is the conversation, the text so far and an instruction, for the tokens that are left', async () => {
    upstream.script([breaks(), rest]);
    await stream('openai', ['first/m', 'second/m'], { max_tokens: 500 });
    const { messages, max_tokens: left } = upstream.requests[1]!.body as {
      messages: { role: string; content: string }[];
      max_tokens: number;
    };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[1]?.content).toBe(begun);
    expect(messages[2]?.content).toMatch(/exactly where it ends/);
    expect(messages[2]?.content.split('\n').slice(-2)).toEqual(['- one apple', '- two pe']);
    expect(left).toBeGreaterThan(450);
    expect(left).toBeLessThan(500);
  });

  it('is the beginning of the answer alone, without white space at its end, where the model takes that', async () => {
    upstream.script([{ reset: 'afterContent', text: ['Here is the list 🎉:\n\n'] }, rest]);
    const heard = await stream('native', ['first/m', 'claude/claude-sonnet-4-5']);
    expect(heard.text).toBe(whole);
    const { messages } = upstream.requests[1]!.body as { messages: unknown[] };
    expect(messages).toHaveLength(2);
    expect(shownTo(upstream.requests[1])).toBe('Here is the list 🎉:');
  });

  it('is no more tokens than it writes', async () => {
    upstream.script([breaks(), rest]);
    const heard = await stream('openai', ['first/m', 'second/short'], { max_tokens: 500 });
    expect(heard).toMatchObject({ text: whole, isWhole: true });
    expect(upstream.requests[1]?.body).toMatchObject({ model: 'short', max_tokens: 90 });
  });

  it.each([
    ['the text alone', question],
    ['what the client itself began, too', [...question, { role: 'assistant', content: 'Sure. ' }]],
  ])('is given again from its start by Mistral, however long it is: %s', async (_title, asked) => {
    const long = Array.from({ length: 2_000 }, (_, n) => `word${n} `).join('');
    upstream.script([
      { reset: 'afterContent', text: [long] },
      (call) => ({ text: piecesOf(`${shownTo(call)} end.`) }),
    ]);
    const heard = await stream('native', ['first/m', 'mistral/m'], { messages: asked });
    expect(heard).toMatchObject({ text: `${long}end.`, isWhole: true });
    expect(listAt(upstream.requests[1]?.body, 'messages').at(-1)).toMatchObject({ prefix: true });
  });

  it('begins with the last characters also of what the client itself began', async () => {
    upstream.script([{ reset: 'afterContent', text: ['No, it'] }, { text: ['Sure. No, it is.'] }]);
    const messages = [...question, { role: 'assistant', content: 'Sure. ' }];
    const heard = await stream('native', ['first/m', 'second/m'], { messages });
    expect(heard.text).toBe('No, it is.');
  });

  it('continues what the client itself began', async () => {
    upstream.script([breaks(), { text: ['ars'] }]);
    const messages = [...question, { role: 'assistant', content: 'Sure. ' }];
    await stream('native', ['first/m', 'second/m'], { messages });
    expect(shownTo(upstream.requests[1])).toBe(`Sure. ${begun}`);
  });
});

describe('a stream that breaks ends in an error, without another call,', () => {
  const call = { name: 'look', arguments: { a: 1 } };
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  it.each<[string, Step, object]>([
    ['within reasoning', { reset: 'afterContent', reasoning: ['hm'] }, {}],
    ['within a call of a tool', { reset: 'afterContent', toolCalls: [call] }, { tools }],
    ['where its format is given', breaks(), { response_format: { type: 'json_object' } }],
    ['where several answers are asked for', breaks(), { n: 2 }],
  ])('%s', async (_title, fault, more) => {
    upstream.script([fault, rest]);
    const heard = await stream('openai', ['first/m', 'second/m'], more);
    expect(heard.isWhole).toBe(false);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('an answer with a seam', () => {
  it('has the usage and cost of both calls', async () => {
    upstream.script([
      breaks(),
      (call) => ({ ...rest(call), usage: { prompt: 40, completion: 20 } }),
    ]);
    const { events } = await stream('native', ['first/m', 'second/m']);
    const usage = at(events.at(-1), 'usage');
    const estimated = Math.ceil(begun.length / 4);
    expect(at(usage, 'estimated')).toBe(true);
    expect(numberAt(usage, 'completionTokens')).toBeGreaterThanOrEqual(20 + estimated - 10);
    expect(numberAt(usage, 'promptTokens')).toBeGreaterThan(40);
    const cost = numberAt(usage, 'costs', 'total_tokens_cost');
    const ofSecond = (40 * 2 + 20 * 20) / 1e6;
    expect(cost).toBeGreaterThan(ofSecond);
    upstream.script([
      breaks(),
      (call) => ({ ...rest(call), usage: { prompt: 40, completion: 20 } }),
    ]);
    const heard = await stream('openai', ['first/m', 'second/m'], {
      stream_options: { include_usage: true },
    });
    const stated = heard.events.map((event) => at(event, 'usage')).filter(Boolean);
    expect(stated).toHaveLength(1);
    expect(numberAt(stated[0], 'completion_tokens')).toBe(numberAt(usage, 'completionTokens'));
  });

  it.each([
    ['fits into the budget of its key', 'sk_wide', whole],
    [
      'ends in an error where the budget of its key is too small for another call',
      'sk_tight',
      begun,
    ],
  ])('%s', async (_title, key, text) => {
    upstream.script([breaks(), rest]);
    const heard = await stream('native', ['first/m', 'second/m'], { maxTokens: 100 }, key);
    expect(heard).toMatchObject({ text, isWhole: text === whole });
    expect(upstream.requests).toHaveLength(text === whole ? 2 : 1);
  });

  it('is one stored message that names both models', async () => {
    upstream.script([breaks(), rest]);
    const { headers } = await stream('native', ['first/m', 'second/m']);
    const url = `${gateway.url}/api/v1/conversations/${String(headers['conversationid'])}`;
    const { json } = await ask('GET', `${url}/messages`, gateway.auth);
    const [asked, answered, ...others] = listAt(json, 'items');
    expect(others).toEqual([]);
    expect(asked).toMatchObject({ role: 'user' });
    expect(answered).toMatchObject({
      content: [{ type: 'text', text: whole }],
      provider: 'second',
      seams: [{ from: { provider: 'first' }, to: { provider: 'second' }, at: begun.length }],
    });
    expectConforms('message.response', answered);
    // the conversation goes on with what the client has of it
    upstream.script([]);
    const messages = [
      ...question,
      { role: 'assistant', content: whole },
      { role: 'user', content: 'And?' },
    ];
    await post(
      `${gateway.url}/api/v1/completions`,
      { models: ['first/m'], messages, conversationId: headers['conversationid'] },
      gateway.auth,
    );
    const more = await ask('GET', `${url}/messages`, gateway.auth);
    expect(listAt(more.json, 'items')).toHaveLength(4);
  });

  it('has both attempts in the request log, the second with its place, and is counted', async () => {
    const counted = (): Promise<number> =>
      metricOf(gateway, 'signalbox_stream_seams_total', 'code="connection_failed"');
    const before = await counted();
    upstream.script([breaks(), rest]);
    const { headers, events } = await stream('native', ['first/m', 'second/m']);
    expect(await counted()).toBe(before + 1);
    expect(at(events.at(-1), 'errorTrace')).toMatchObject([{ provider: 'first', attempt: 1 }]);
    const id = String(headers['x-request-id']);
    let logged: unknown;
    await until(async () => {
      const reply = await ask('GET', `${gateway.url}/api/v1/requests/${id}`, gateway.auth);
      logged = reply.json;
      return reply.status === 200;
    });
    expect(listAt(logged, 'attempts')).toMatchObject([
      { provider: 'first', outcome: 'connection_failed' },
      { provider: 'second', outcome: 'ok', continuesAt: begun.length },
    ]);
    expectConforms('request.response', logged);
  });
});
