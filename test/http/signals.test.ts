import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/config.js';
import { expectConforms } from '../helpers/conforms.js';
import { databasesOfRun, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const bearer = (name: string) => ({ authorization: `Bearer sk_${name}` });
const model = 'gpt-4o';
const ask1 = 'Which river runs through the middle of Prague today?';
type Message = Record<string, unknown>;
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const tools = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      },
    },
  },
];
const call = (args: string): Step => ({ toolCalls: [{ name: 'weather', arguments: args }] });

/** One request: what the upstream answers, and what is sent. */
interface Turn {
  readonly step?: Step;
  readonly body: Record<string, unknown>;
}
const asked = (...messages: Message[]): Turn => ({ body: { messages } });
const answered = (step: Step, body: Record<string, unknown> = {}): Turn => ({
  step,
  body: { messages: [user(ask1)], ...body },
});
const after = (text: string, reply = 'Hello'): Turn =>
  asked(user(ask1), assistant(reply), user(text));

const stories: [title: string, turns: Turn[], causes: Record<string, number>][] = [
  ['the same prompt again', [asked(user(ask1)), asked(user(ask1))], { retry: 1 }],
  [
    'a prompt with some other words',
    [asked(user(ask1)), asked(user(`${ask1.replace('today', 'now')} please`))],
    {},
  ],
  [
    'a prompt that differs in a word',
    [asked(user(`${ask1} Tell me.`)), asked(user(`${ask1} Tell!`))],
    { retry: 1 },
  ],
  ['another prompt', [asked(user(ask1)), asked(user('Write a poem about the sea.'))], {}],
  [
    'a correction',
    [asked(user(ask1)), after('No, that is wrong. It is the Vltava.')],
    { correction: 1 },
  ],
  ['thanks', [asked(user(ask1)), after('No, thanks!')], {}],
  ['a correction of what another gateway answered', [after('No, that is wrong.')], {}],
  ['an answer that is cut off', [answered({ finish: 'length' })], { truncation: 1 }],
  ['an answer that the client bounded', [answered({ finish: 'length' }, { max_tokens: 5 })], {}],
  ['a refusal', [answered({ finish: 'content_filter' })], { refusal: 1 }],
  ['a good call of a tool', [answered(call('{"city":"Prague"}'), { tools })], {}],
  [
    'a call whose arguments are not JSON',
    [answered(call('{"city":'), { tools })],
    { bad_tool_call: 1 },
  ],
  [
    'a call that lacks an argument',
    [answered(call('{}'), { tools, stream: true })],
    { bad_tool_call: 1 },
  ],
  [
    "a tool's error",
    [
      answered(call('{"city":"Prague"}'), { tools }),
      {
        body: {
          tools,
          messages: [
            user(ask1),
            {
              role: 'assistant',
              content: null,
              tool_calls: [
                {
                  id: 'call_1',
                  type: 'function',
                  function: { name: 'weather', arguments: '{"city":"Prague"}' },
                },
              ],
            },
            { role: 'tool', tool_call_id: 'call_1', content: '{"error":"no such city"}' },
          ],
        },
      },
    ],
    { tool_error: 1 },
  ],
  [
    'a correction where nothing may be kept',
    [
      { body: { messages: [user(ask1)], store: false } },
      {
        body: {
          messages: [user(ask1), assistant('Hello'), user('No, that is wrong.')],
          store: false,
        },
      },
    ],
    {},
  ],
  [
    'a refusal where nothing may be kept',
    [answered({ finish: 'content_filter' }, { store: false })],
    { refusal: 1 },
  ],
];

describe.each(databasesOfRun)('signals that need no rating, on %s', (_name, make) => {
  let upstream: Upstream;
  let database: TestDatabase;
  const configured = (more: ConfigInput = {}): ConfigInput => ({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    routing: { exploration: 0, allow: [`up/${model}`, 'up/gpt-4o-mini'] },
    database: { url: database.url },
    // each story has a key, and so an account, of its own
    auth: {
      keys: [...stories.keys(), 'quiet'].map((at) =>
        at === 'quiet'
          ? { name: 'quiet', key: 'sk_quiet0' }
          : { name: `told${at}`, key: `sk_told${at}` },
      ),
    },
    ...more,
  });
  beforeAll(async () => {
    upstream = await startUpstream();
    database = await make();
  });
  afterAll(async () => {
    await database.drop();
    await upstream.close();
  });

  const send = (gateway: RunningGateway, name: string, body: object): Promise<Reply> =>
    post(
      `${gateway.url}/v1/chat/completions`,
      { model: 'auto', models: [`up/${model}`, 'up/gpt-4o-mini'], ...body },
      bearer(name),
    );
  /** What each story teaches; read after a restart, which writes what waits. */
  const learnedFrom = async (
    told: readonly (readonly Turn[])[],
    more: ConfigInput = {},
    name = 'told',
  ): Promise<unknown[]> => {
    const gateway = await startGateway(configured(more));
    for (const [story, turns] of told.entries())
      for (const { step, body } of turns) {
        upstream.script(step ? [step] : []);
        expect((await send(gateway, `${name}${story}`, body)).status).toBe(200);
      }
    await gateway.close();
    const again = await startGateway(configured(more));
    const learned = await Promise.all(
      told.map((_, story) => ask('GET', `${again.url}/api/v1/learning`, bearer(`${name}${story}`))),
    );
    await again.close();
    return learned.map(({ json }) => json);
  };
  const causesOf = (learning: unknown): unknown =>
    (learning as { models: { causes: unknown }[] }).models[0]?.causes ?? {};

  it('are taken from retries, corrections, refusals, cut answers and failed calls', async () => {
    const learned = await learnedFrom(stories.map(([, turns]) => turns));
    for (const one of learned) expectConforms('learning.response', one);
    expect(
      Object.fromEntries(stories.map(([title], at) => [title, causesOf(learned[at])])),
    ).toEqual(Object.fromEntries(stories.map(([title, , causes]) => [title, causes])));
  });

  it('are not taken where the configuration says so', async () => {
    const quiet = { learning: { implicit: false } };
    const [learned] = await learnedFrom([[asked(user(ask1)), asked(user(ask1))]], quiet, 'quiet');
    expect(learned).toMatchObject({ implicit: false, models: [] });
  });
});
