import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import type { Upstream } from '../helpers/upstream.js';
import { ask, type Heard, type Way, wayRows, ways } from '../helpers/ways.js';

interface Row {
  what: string;
  /** Default `first`, which is scripted; the others always fail. */
  provider?: string;
  fault?: Step;
  /** Whether the same model is retried. */
  again: boolean;
  /** The provider's status in the trace. */
  told: number | null;
  /** What a client receives when every attempt failed this way. */
  end: number;
  /** The same in OpenAI's dialect, where it differs. */
  openai?: number;
  message: RegExp;
  retryAfter?: string;
}

// no wait between attempts
const atOnce = { 'retry-after-ms': '0' };
const status = (
  code: number,
  again: boolean,
  end: number,
  more: Partial<Row> & { headers?: Record<string, string>; body?: unknown } = {},
): Row => {
  const { headers = {}, body, ...row } = more;
  return {
    what: `status ${code}`,
    again,
    told: code,
    end,
    message: new RegExp(`answered ${code}: scripted ${code}`),
    fault: {
      status: code,
      headers: { ...(again ? atOnce : {}), ...headers },
      ...(body === undefined ? {} : { body }),
    },
    ...row,
  };
};
const sse = (body: string): Step => ({ raw: Buffer.from(body), contentType: 'text/event-stream' });
const json = (body: unknown): Step => ({
  raw: Buffer.from(JSON.stringify(body)),
  contentType: 'application/json',
});
const lost = (what: string, message: RegExp, row: Partial<Row>): Row => ({
  what,
  again: true,
  told: null,
  end: 502,
  message,
  ...row,
});

/**
 * SEMANTICS.md's table of retries, fallbacks, and what the client receives when all candidates
 * failed.
 */
const rows: Row[] = [
  lost('a host name that does not exist', /could not be reached: its host name does not exist/, {
    provider: 'unknown-host',
  }),
  lost('a connection that is refused', /could not be reached: the connection was refused/, {
    provider: 'closed-port',
  }),
  lost('a server that does not speak TLS', /could not be reached/, { provider: 'not-tls' }),
  lost('bytes that are not HTTP', /not HTTP/, { provider: 'not-http' }),
  lost('a reset before the headers', /could not be reached: the connection was (reset|closed)/, {
    fault: { reset: 'beforeHeaders' },
  }),
  lost('a reset after the headers', /broke off its answer: the connection was (reset|closed)/, {
    fault: { reset: 'afterHeaders' },
  }),
  lost('an end after the opening', /before the answer was complete|unreadable answer/, {
    fault: { endWithoutMarker: true, text: [] },
  }),
  ...[408, 409, 424, 425, 500, 502, 504, 520].map((code) => status(code, true, 502)),
  status(503, true, 503, { retryAfter: '1' }),
  status(529, true, 503, { retryAfter: '1' }),
  status(429, true, 429, { what: 'status 429 with a short wait', retryAfter: '1' }),
  status(429, false, 429, {
    what: 'status 429 with a long wait',
    headers: { 'retry-after': '30' },
    retryAfter: '30',
  }),
  status(500, false, 502, {
    what: 'status 500 that is not to be retried',
    headers: { 'x-should-retry': 'false' },
  }),
  status(401, false, 502),
  status(402, false, 502),
  status(403, false, 502),
  status(404, false, 422, { openai: 404 }),
  status(410, false, 422, { openai: 404 }),
  status(501, false, 422, { openai: 404 }),
  status(400, false, 422, { openai: 400 }),
  status(413, false, 422, { openai: 413 }),
  status(422, false, 422),
  status(418, false, 422, { openai: 400 }),
  // a fault of the configuration
  status(302, false, 502, { headers: { location: '/elsewhere' }, message: /answered 302/ }),
  status(500, true, 502, { what: 'status 500 without a body', body: '', message: /answered 500$/ }),
  status(502, true, 502, {
    what: 'status 502 with a page',
    body: '<html>Bad gateway</html>',
    message: /answered 502$/,
  }),
  {
    what: 'no first event in time',
    provider: 'impatient',
    fault: { hang: 'beforeHeaders' },
    again: false,
    told: null,
    end: 504,
    message: /sent no first event within 500 ms/,
  },
  {
    what: 'headers and then no event',
    provider: 'impatient',
    fault: { hang: 'afterHeaders' },
    again: false,
    told: null,
    end: 504,
    message: /sent no first event within 500 ms/,
  },
  {
    what: 'an opening and then silence',
    provider: 'pausing',
    fault: { hang: 'afterFirstEvent' },
    again: false,
    told: null,
    end: 504,
    message: /sent nothing for 60 ms/,
  },
  lost('garbage', /unreadable answer/, { fault: { garbage: true } }),
  lost('an empty body', /before the answer was complete|unreadable answer/, {
    fault: { raw: Buffer.alloc(0), contentType: 'text/event-stream' },
  }),
  lost('a stream of nothing but [DONE]', /neither content/, { fault: sse('data: [DONE]\n\n') }),
  lost('a stream of pings without content', /neither content/, {
    fault: sse(
      ': ping\n\ndata: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\ndata: [DONE]\n\n',
    ),
  }),
  lost('a whole answer without choices', /neither content/, {
    fault: json({ id: 'x', object: 'chat.completion', choices: [] }),
  }),
  lost('a whole answer without content', /neither content/, {
    fault: json({
      choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: null }],
    }),
  }),
  lost('JSON that is not a completion', /unreadable answer/, { fault: json({ hello: 'world' }) }),
  lost('an overload under 200', /answered 503: scripted overloaded/, {
    fault: { errorUnder200: 'first', meaning: 'overloaded' },
    told: 503,
    end: 503,
    retryAfter: '5',
  }),
  lost('a rate limit under 200', /answered 429: scripted rate_limited/, {
    fault: { errorUnder200: 'first', meaning: 'rate_limited' },
    told: 429,
    end: 429,
    retryAfter: '5',
  }),
  lost('a server error under 200', /answered 500: scripted server_error/, {
    fault: { errorUnder200: 'first', meaning: 'server_error' },
    told: 500,
  }),
  lost('a refused key under 200', /answered 401: scripted auth/, {
    fault: { errorUnder200: 'first', meaning: 'auth' },
    again: false,
    told: 401,
  }),
  lost('a missing model under 200', /answered 404: scripted not_found/, {
    fault: { errorUnder200: 'first', meaning: 'not_found' },
    again: false,
    told: 404,
    end: 422,
    openai: 404,
  }),
  lost('a refused request under 200', /answered 400: scripted bad_request/, {
    fault: { errorUnder200: 'first', meaning: 'bad_request' },
    again: false,
    told: 400,
    end: 422,
    openai: 400,
  }),
  lost('a content filter under 200', /answered 400: scripted content_filter/, {
    fault: { errorUnder200: 'first', meaning: 'content_filter' },
    again: false,
    told: 400,
    end: 422,
    openai: 400,
  }),
];
const casesOf = (chosen: Row[]): [title: string, row: Row, way: Way][] =>
  chosen.flatMap((row) =>
    ways.map((way): [string, Row, Way] => [`${row.what}, asked ${way.name}`, row, way]),
  );
const endOf = ({ end, openai }: Row, { surface }: Way): number =>
  surface === 'openai' ? (openai ?? end) : end;
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
const titles: Record<number, string> = {
  422: 'Validation Error',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

let upstream: Upstream;
let gateway: RunningGateway;
let plays: Plays;
let babble: Server;

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  babble = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end('220 mail.test ready\r\n');
  });
  const passing = createServer();
  const closedPort = await portOf(passing);
  passing.close();
  const notHttp = await portOf(babble);
  ({ gateway, plays, upstream } = await startScripted((up, url) => ({
    limits: { maxRetries: 1 },
    // each case begins as if nothing had failed before
    breaker: { enabled: false },
    providers: {
      first: up,
      second: up,
      impatient: { ...up, timeouts: { firstEventMs: 500, idleMs: 60_000 } },
      pausing: { ...up, timeouts: { firstEventMs: 30_000, idleMs: 60 } },
      'unknown-host': { ...up, baseUrl: 'http://nowhere.invalid/v1' },
      'closed-port': { ...up, baseUrl: `http://127.0.0.1:${closedPort}/v1` },
      'not-tls': { ...up, baseUrl: `${url.replace('http:', 'https:')}/v1` },
      'not-http': { ...up, baseUrl: `http://127.0.0.1:${notHttp}/v1` },
    },
  })));
});
afterAll(async () => {
  await gateway.close();
  babble.close();
});

/** A failing model, a second one with the same fault, and one that answers. */
function scene({ provider = 'first', fault }: Row) {
  const [failing, alike, good] = [plays.newModel(), plays.newModel(), plays.newModel()];
  if (fault) {
    plays.set(failing, fault);
    plays.set(alike, fault);
  }
  return {
    failing,
    alike,
    good,
    first: `${provider}/${failing}`,
    sameAgain: `${provider}/${alike}`,
    second: `second/${good}`,
  };
}

const entry = (
  { provider = 'first', told, message }: Row,
  model: string,
  attempt: number,
): object => ({
  provider,
  model,
  attempt,
  status: told,
  error: expect.stringMatching(message) as string,
  latency: expect.any(Number) as number,
});
const entries = (row: Row, model: string): object[] =>
  (row.again ? [1, 2] : [1]).map((attempt) => entry(row, model, attempt));

/** OpenAI's format has no field for a trace beside an answer. */
function expectTrace(way: Way, heard: Heard, expected: object[]): void {
  if (way.surface === 'native') expect(heard.errorTrace).toEqual(expected);
}

describe.concurrent('before the commit, the candidate that finally answers', () => {
  it.each(casesOf(rows))('is the next candidate, after %s', async (_title, row, way) => {
    const { failing, good, first, second } = scene(row);
    const heard = await ask(gateway, way, { models: [first, second] });
    expect(heard).toMatchObject({ status: 200, ended: 'whole', model: good, text: 'Hello' });
    expectTrace(way, heard, entries(row, failing));
    if (row.fault) expect(plays.of(failing)).toHaveLength(row.again ? 2 : 1);
    expect(plays.of(good)).toHaveLength(1);
  });

  it.each(casesOf(rows.filter(({ again, fault }) => again && fault)))(
    'is the same candidate, retried after %s',
    async (_title, row, way) => {
      const { failing, good, first, second } = scene(row);
      plays.set(failing, row.fault ?? {}, { text: ['at ', 'last'] });
      const heard = await ask(gateway, way, { models: [first, second] });
      expect(heard).toMatchObject({ status: 200, ended: 'whole', model: failing, text: 'at last' });
      expectTrace(way, heard, [entry(row, failing, 1)]);
      expect(plays.of(failing)).toHaveLength(2);
      expect(plays.of(good)).toHaveLength(0);
    },
  );
});

describe.concurrent('where every attempt fails before the commit, a client gets', () => {
  it.each(casesOf(rows))(
    'the status for it and all that was tried, after %s',
    async (_title, row, way) => {
      const { failing, alike, first, sameAgain } = scene(row);
      const heard = await ask(gateway, way, { models: [first, sameAgain] });
      const end = endOf(row, way);
      expect(heard).toMatchObject({
        status: end,
        ended: 'refused',
        message: expect.stringMatching(row.message) as string,
      });
      expect(heard.errorTrace).toEqual([...entries(row, failing), ...entries(row, alike)]);
      expect(heard.headers['retry-after']).toBe(row.retryAfter);
      expect(heard.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'x-should-retry': 'false',
      });
      expect(heard.headers['x-request-id']).toBeTruthy();
      if (way.surface === 'native') expect(heard.error).toMatchObject({ error: titles[row.end] });
      else
        expect(heard.error).toMatchObject({
          type:
            end === 429 ? 'rate_limit_error' : end < 500 ? 'invalid_request_error' : 'api_error',
          code: end === 404 ? 'model_not_found' : (expect.toSatisfy(isTextOrNull) as string | null),
        });
    },
  );

  const common = rows.filter(({ end, provider }) => end !== 502 && provider === undefined);
  it.each(casesOf(common))(
    '502 where the others failed in another way than by %s',
    async (_title, row, way) => {
      const { first, good, second } = scene(row);
      plays.set(good, { status: 401 });
      const heard = await ask(gateway, way, { models: [first, second] });
      expect(heard).toMatchObject({ status: 502, ended: 'refused' });
      expect(heard.errorTrace.at(-1)).toMatchObject({
        provider: 'second',
        model: good,
        status: 401,
      });
      expect(heard.headers).not.toHaveProperty('retry-after');
    },
  );

  it("the first refusal's status and code in OpenAI's dialect where they were refused for different reasons", async () => {
    const [one, two] = [plays.newModel(), plays.newModel()];
    plays.set(one, {
      status: 413,
      body: { error: { message: 'too large', code: 'context_length_exceeded', type: 'tokens' } },
    });
    plays.set(two, { status: 404 });
    const models = [`first/${one}`, `second/${two}`];
    for (const way of ways) {
      const heard = await ask(gateway, way, { models });
      expect(heard.status).toBe(way.surface === 'openai' ? 413 : 502);
      expect(heard.errorTrace).toHaveLength(2);
      if (way.surface === 'openai')
        expect(heard.error).toMatchObject({
          message: 'first answered 413: too large (context_length_exceeded)',
          code: 'context_length_exceeded',
          type: 'tokens',
          param: 'messages',
        });
    }
  });

  it('422 that names the field natively where no provider has the model', async () => {
    const model = plays.newModel();
    plays.set(model, { status: 404 });
    expect(await ask(gateway, ways[1]!, { models: [`first/${model}`] })).toMatchObject({
      status: 422,
      message: 'models[0]: first answered 404: scripted 404; GET /v1/models lists the models',
    });
  });

  it.each(wayRows)(
    'the shortest Retry-After where all were rate-limited, asked %s',
    async (_name, way) => {
      const [one, two] = [plays.newModel(), plays.newModel()];
      plays.set(one, { status: 429, headers: { 'retry-after': '50' } });
      plays.set(two, { status: 429, headers: { 'retry-after': '20' } });
      const heard = await ask(gateway, way, { models: [`first/${one}`, `second/${two}`] });
      expect(heard).toMatchObject({ status: 429, headers: { 'retry-after': '20' } });
    },
  );
});

describe('a connection that is not made in time', () => {
  it('sends the request to the next candidate', async () => {
    const model = plays.newModel();
    const hurried = await startGateway({
      limits: { maxRetries: 0 },
      providers: {
        // an address reserved for documentation: nothing answers there
        nowhere: {
          api: 'openai-compatible',
          baseUrl: 'http://192.0.2.1:9/v1',
          timeouts: { connectMs: 50 },
        },
        second: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
      },
    });
    const heard = await ask(hurried, ways[0]!, { models: ['nowhere/m', `second/${model}`] });
    expect(heard).toMatchObject({
      ended: 'whole',
      model,
      errorTrace: [
        {
          provider: 'nowhere',
          status: null,
          error: expect.stringMatching(/^nowhere could not be reached: /) as string,
        },
      ],
    });
    await hurried.close();
  });
});
