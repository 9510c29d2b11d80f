import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at } from '../helpers/json.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import type { Upstream } from '../helpers/upstream.js';
import { ask, streamedRows, type Way, wayRows, wholeRows } from '../helpers/ways.js';

interface Row {
  what: string;
  provider?: string;
  fault: Step;
  /** The title of the status that the failure would have had. */
  error: string;
  message: RegExp;
  retriable: boolean;
  /** Whether the same model is retried where nothing has been committed. */
  again: boolean;
}

const content =
  'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\n';
const sse = (body: string): Step => ({
  raw: Buffer.from(body),
  contentType: 'text/event-stream',
  writes: 'events',
});
const row = (what: string, fault: Step, message: RegExp, more: Partial<Row> = {}): Row => ({
  what,
  fault,
  message,
  error: 'Bad Gateway',
  retriable: true,
  again: true,
  ...more,
});
const cutShort = /ended its stream before the answer was complete/;

/**
 * The same table once content has been written: nothing may be repeated, and the stream must end in
 * an error.
 */
const rows: Row[] = [
  row('a reset', { reset: 'afterContent' }, /the connection was (reset|closed)/),
  row('a reset inside a frame', { reset: 'halfFrame' }, /the connection was (reset|closed)/),
  row(
    'an end without finish reason and marker',
    { endWithoutMarker: true, text: ['Hel'] },
    cutShort,
  ),
  row('an end inside a frame', sse(`${content}data: {"id":"c","obj`), cutShort),
  row('an end inside the first frame after its content', sse(content.trimEnd()), cutShort),
  row(
    'garbage',
    sse(`${content}data: {"oops": \n\ndata: ]\n\n`),
    /unreadable answer: an event is not JSON/,
  ),
  row('an event that is not an object', sse(`${content}data: 42\n\n`), cutShort),
  row('silence', { hang: 'afterContent' }, /sent nothing for 200 ms/, {
    provider: 'impatient',
    error: 'Gateway Timeout',
    again: false,
  }),
  row(
    'an overload',
    { errorUnder200: 'afterContent', meaning: 'overloaded' },
    /answered 503: scripted overloaded/,
    { error: 'Service Unavailable' },
  ),
  row(
    'a rate limit',
    { errorUnder200: 'afterContent', meaning: 'rate_limited' },
    /answered 429: scripted rate_limited/,
    { error: 'Too Many Requests' },
  ),
  row(
    'a server error',
    { errorUnder200: 'afterContent', meaning: 'server_error' },
    /answered 500: scripted server_error/,
  ),
  row(
    'a content filter',
    { errorUnder200: 'afterContent', meaning: 'content_filter' },
    /answered 400: scripted content_filter/,
    { error: 'Validation Error', retriable: false, again: false },
  ),
  row(
    'a refused key',
    { errorUnder200: 'afterContent', meaning: 'auth' },
    /answered 401: scripted auth/,
    { again: false },
  ),
];
const casesOf = (ways: [string, Way][], chosen = rows): [title: string, row: Row, way: Way][] =>
  chosen.flatMap((each) =>
    ways.map(([name, way]): [string, Row, Way] => [`${each.what}, asked ${name}`, each, way]),
  );

let upstream: Upstream;
let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays, upstream } = await startScripted((up) => ({
    limits: { maxRetries: 1 },
    // each case begins as if nothing had failed before
    breaker: { enabled: false },
    providers: {
      first: up,
      second: up,
      impatient: { ...up, timeouts: { firstEventMs: 5_000, idleMs: 200 } },
    },
  })));
});
afterAll(() => gateway.close());

function scene({ provider = 'first', fault }: Row) {
  const [failing, good] = [plays.newModel(), plays.newModel()];
  plays.set(failing, fault);
  plays.set(good, { text: ['se', 'cond'] });
  return { failing, good, models: [`${provider}/${failing}`, `second/${good}`] };
}

describe.concurrent('after the commit, a stream', () => {
  it.each(casesOf(streamedRows))(
    'ends in an error without another candidate, after %s',
    async (_title, row, way) => {
      const { failing, good, models } = scene(row);
      const heard = await ask(gateway, way, { models });
      expect(heard).toMatchObject({ status: 200, ended: 'broken', text: 'Hel' });
      expect(heard.message).toMatch(row.message);
      expect(heard.frames.map(({ data }) => data)).not.toContain('[DONE]');
      expect(plays.of(failing)).toHaveLength(1);
      expect(plays.of(good)).toHaveLength(0);
    },
  );

  it.each(rows.map((each): [string, Row] => [each.what, each]))(
    'tells a native client whether to retry, after %s',
    async (_title, row) => {
      const { models } = scene(row);
      const heard = await ask(gateway, streamedRows[0]![1], { models });
      expect(heard.error).toMatchObject({
        error: row.error,
        requestId: heard.headers['x-request-id'],
        retriable: row.retriable,
      });
      // three characters of content: one token
      expect(heard.usage).toMatchObject({
        promptTokens: expect.any(Number) as number,
        completionTokens: 1,
        estimated: true,
        costs: { total_tokens_cost: 0 },
      });
    },
  );

  it.each(rows.map((each): [string, Row] => [each.what, each]))(
    "says it in OpenAI's shape, after %s",
    async (_title, row) => {
      const { models } = scene(row);
      const heard = await ask(gateway, streamedRows[1]![1], { models });
      expect(Object.keys(heard.last as object)).toEqual(['error']);
      expect(heard.error).toMatchObject({
        message: heard.message,
        type: expect.any(String) as string,
        code: expect.any(String) as string,
        // the content filter's own
        param: row.what === 'a content filter' ? 'messages' : null,
      });
    },
  );

  it('is whole where only the end marker is missing', async () => {
    const { models } = scene(row('x', { endWithoutMarker: 'afterFinish' }, cutShort));
    for (const [, way] of streamedRows)
      expect(await ask(gateway, way, { models })).toMatchObject({ ended: 'whole', text: 'Hello' });
  });

  it.each(streamedRows)(
    'hides its first failures until then, and contains only its own text, asked %s',
    async (_name, way) => {
      const [flaky, good] = [plays.newModel(), plays.newModel()];
      plays.set(flaky, { status: 503, headers: { 'retry-after-ms': '0' } }, { text: ['a', 'b'] });
      const heard = await ask(gateway, way, { models: [`first/${flaky}`, `second/${good}`] });
      expect(heard).toMatchObject({ ended: 'whole', text: 'ab' });
    },
  );

  it.each(streamedRows)('is committed by reasoning, asked %s', async (_name, way) => {
    const { failing, models } = scene(row('x', { reset: 'afterContent', reasoning: ['hm'] }, /./));
    expect(await ask(gateway, way, { models })).toMatchObject({ ended: 'broken', text: '' });
    expect(plays.of(failing)).toHaveLength(1);
  });

  it("is committed by a tool call, which only OpenAI's surface has", async () => {
    const { failing, models } = scene(
      row('x', { reset: 'afterContent', toolCalls: [{ name: 'look', arguments: { a: 1 } }] }, /./),
    );
    expect(await ask(gateway, streamedRows[1]![1], { models })).toMatchObject({ ended: 'broken' });
    expect(plays.of(failing)).toHaveLength(1);
  });

  it.each(streamedRows)(
    'is not committed by an opening without content, asked %s',
    async (_name, way) => {
      const { failing, good, models } = scene(
        row(
          'x',
          sse('data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n'),
          /./,
        ),
      );
      expect(await ask(gateway, way, { models })).toMatchObject({
        ended: 'whole',
        model: good,
        text: 'second',
      });
      expect(plays.of(failing)).toHaveLength(2);
    },
  );
});

describe.concurrent(
  'an answer that is not streamed has committed nothing until it is whole, so that after content it',
  () => {
    it.each(casesOf(wholeRows))(
      'is taken from the next candidate, after %s',
      async (_title, row, way) => {
        const { failing, good, models } = scene(row);
        expect(await ask(gateway, way, { models })).toMatchObject({
          status: 200,
          ended: 'whole',
          model: good,
          text: 'second',
        });
        expect(plays.of(failing)).toHaveLength(row.again ? 2 : 1);
      },
    );

    it.each(
      casesOf(
        wholeRows,
        rows.filter(({ again }) => again),
      ),
    )(
      'is complete when the same candidate is retried, with nothing of the first attempt in it, after %s',
      async (_title, row, way) => {
        const { failing, good, models } = scene(row);
        plays.set(failing, row.fault, { text: ['again'] });
        expect(await ask(gateway, way, { models })).toMatchObject({
          status: 200,
          ended: 'whole',
          model: failing,
          text: 'again',
        });
        expect(plays.of(good)).toHaveLength(0);
      },
    );
  },
);

describe('the deadline for the whole request', () => {
  let hurried: RunningGateway;
  beforeAll(async () => {
    const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
    hurried = await startGateway({
      limits: { totalTimeoutMs: 400 },
      breaker: { enabled: false },
      providers: { first: up, second: up },
    });
  });
  afterAll(() => hurried.close());

  it.each(wayRows)('is a 504 without another candidate, asked %s', async (_name, way) => {
    const { failing, good, models } = scene(row('x', { hang: 'beforeHeaders' }, /./));
    const heard = await ask(hurried, way, { models });
    expect(heard).toMatchObject({
      status: 504,
      ended: 'refused',
      message: 'no answer within 400 ms in total',
      errorTrace: [{ provider: 'first', model: failing, status: null, attempt: 1 }],
    });
    if (way.surface === 'native') expect(heard.error).toMatchObject({ error: 'Gateway Timeout' });
    expect(plays.of(good)).toHaveLength(0);
    await expect(
      upstream.closed(upstream.requests.indexOf(plays.of(failing)[0]!)),
    ).resolves.toBeNull();
  });

  it.each(wayRows)(
    'is not waited for before a retry: the next is asked, asked %s',
    async (_name, way) => {
      const { failing, good, models } = scene(
        row('x', { status: 503, headers: { 'retry-after': '5' } }, /./),
      );
      expect(await ask(hurried, way, { models })).toMatchObject({ ended: 'whole', model: good });
      expect(plays.of(failing)).toHaveLength(1);
      expect(plays.of(good)).toHaveLength(1);
    },
  );

  it.each(streamedRows)('breaks off a stream that takes too long, asked %s', async (_name, way) => {
    const { good, models } = scene(
      row('x', { text: Array.from({ length: 100 }, () => 'x'), betweenMs: 20 }, /./),
    );
    const heard = await ask(hurried, way, { models });
    expect(heard).toMatchObject({
      ended: 'broken',
      message: 'no answer within 400 ms in total',
      text: expect.stringMatching(/^x+$/) as string,
    });
    if (way.surface === 'native') expect(at(heard.error, 'error')).toBe('Gateway Timeout');
    expect(plays.of(good)).toHaveLength(0);
  });

  it.each(wholeRows)(
    'is a 504 where the answer is not complete by then, asked %s',
    async (_name, way) => {
      const { good, models } = scene(row('x', { hang: 'afterContent' }, /./));
      expect(await ask(hurried, way, { models })).toMatchObject({ status: 504, ended: 'refused' });
      expect(plays.of(good)).toHaveLength(0);
    },
  );
});
