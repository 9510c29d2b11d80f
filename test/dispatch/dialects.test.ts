import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Fault } from '../helpers/steps.js';
import { ask, streamedRows, type Way, wayRows, wholeRows } from '../helpers/ways.js';

const apis = ['anthropic', 'gemini', 'bedrock', 'cohere', 'openai-responses'] as const;
type Api = (typeof apis)[number];

interface Row {
  what: string;
  fault: Fault;
  again: boolean;
  /** The provider's status in the trace; absent: the dialect's own. */
  told?: number | null;
  end: number;
  /** The same in OpenAI's dialect, where it differs. */
  openai?: number;
  not?: Api[];
}

// no wait between attempts
const atOnce = { 'retry-after-ms': '0' };
const rows: Row[] = [
  {
    what: 'an overload',
    fault: { status: 503, headers: atOnce },
    again: true,
    told: 503,
    end: 503,
  },
  {
    what: 'a server error',
    fault: { status: 500, headers: atOnce },
    again: true,
    told: 500,
    end: 502,
  },
  {
    what: 'a rate limit with a short wait',
    fault: { status: 429, headers: atOnce },
    again: true,
    told: 429,
    end: 429,
    not: ['gemini'],
  },
  {
    what: 'a rate limit with a long wait',
    fault: { status: 429, headers: { 'retry-after': '60' }, body: {} },
    again: false,
    told: 429,
    end: 429,
  },
  { what: 'a refused key', fault: { status: 403 }, again: false, told: 403, end: 502 },
  {
    what: 'a missing model',
    fault: { status: 404 },
    again: false,
    told: 404,
    end: 422,
    openai: 404,
  },
  {
    what: 'a refused request',
    fault: { status: 400, body: {} },
    again: false,
    told: 400,
    end: 422,
    openai: 400,
  },
  {
    what: 'an error page',
    fault: { status: 502, headers: atOnce, body: '<html>Bad gateway</html>' },
    again: true,
    told: 502,
    end: 502,
  },
  {
    what: 'a reset before the headers',
    fault: { reset: 'beforeHeaders' },
    again: true,
    told: null,
    end: 502,
  },
  {
    what: 'a reset after the headers',
    fault: { reset: 'afterHeaders' },
    again: true,
    told: null,
    end: 502,
  },
  { what: 'garbage', fault: { garbage: true }, again: true, told: null, end: 502 },
  {
    what: 'an empty answer',
    fault: { raw: Buffer.alloc(0), contentType: 'text/event-stream' },
    again: true,
    told: null,
    end: 502,
  },
];
const under200: Row[] = [
  {
    what: 'an overload under 200',
    fault: { errorUnder200: 'first', meaning: 'overloaded' },
    again: true,
    end: 503,
    not: ['cohere', 'openai-responses'],
  },
  {
    what: 'a server error under 200',
    fault: { errorUnder200: 'first', meaning: 'server_error' },
    again: true,
    end: 502,
  },
  {
    what: 'a rate limit under 200',
    fault: { errorUnder200: 'first', meaning: 'rate_limited' },
    again: true,
    end: 429,
    not: ['gemini', 'cohere'],
  },
];
const endOf = ({ end, openai }: Row, { surface }: Way): number =>
  surface === 'openai' ? (openai ?? end) : end;
const broken: Row[] = [
  { what: 'a reset', fault: { reset: 'afterContent' }, again: true, end: 502 },
  { what: 'half a frame', fault: { reset: 'halfFrame' }, again: true, end: 502 },
  { what: 'an end without marker', fault: { endWithoutMarker: true }, again: true, end: 502 },
  {
    what: 'an error',
    fault: { errorUnder200: 'afterContent', meaning: 'server_error' },
    again: true,
    end: 502,
  },
];

function casesOf(
  chosen: Row[],
  ways: [string, Way][],
): [title: string, api: Api, row: Row, way: Way][] {
  return chosen.flatMap((row) =>
    apis
      .filter((api) => !row.not?.includes(api))
      .flatMap((api) =>
        ways.map(([name, way]): [string, Api, Row, Way] => [
          `${row.what} of ${api}, asked ${name}`,
          api,
          row,
          way,
        ]),
      ),
  );
}
// streamed natively, and whole in OpenAI's dialect: together they use every reader of a provider
const sampled = [wayRows[0]!, wayRows[3]!];

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  const at = (api: string, baseUrl: string) => ({ api, baseUrl, apiKey: 'k' });
  ({ gateway, plays } = await startScripted((good, url) => ({
    limits: { maxRetries: 1 },
    // each case begins as if nothing had failed before
    breaker: { enabled: false },
    providers: {
      anthropic: at('anthropic', url),
      gemini: at('gemini', `${url}/v1beta`),
      bedrock: { ...at('bedrock', url), region: 'eu-west-1' },
      cohere: at('cohere', url),
      'openai-responses': at('openai-responses', `${url}/v1`),
      good,
    },
  })));
});
afterAll(() => gateway.close());

function scene(api: Api, { fault }: Row) {
  const [failing, alike, good] = [plays.newModel(), plays.newModel(), plays.newModel()];
  plays.set(failing, fault);
  plays.set(alike, fault);
  plays.set(good, { text: ['se', 'cond'] });
  return {
    failing,
    alike,
    good,
    first: `${api}/${failing}`,
    sameAgain: `${api}/${alike}`,
    second: `good/${good}`,
  };
}

describe.concurrent('before the commit', () => {
  it.each(casesOf([...rows, ...under200], wayRows))(
    'the next candidate answers after %s',
    async (_title, api, row, way) => {
      const { failing, good, first, second } = scene(api, row);
      const heard = await ask(gateway, way, { models: [first, second] });
      expect(heard).toMatchObject({ status: 200, ended: 'whole', model: good, text: 'second' });
      expect(plays.of(failing)).toHaveLength(row.again ? 2 : 1);
      if (way.surface !== 'native') return;
      expect(
        heard.errorTrace.map(({ provider, model, attempt }) => [provider, model, attempt]),
      ).toEqual((row.again ? [1, 2] : [1]).map((n) => [api, failing, n]));
      if (row.told !== undefined)
        expect(heard.errorTrace.map(({ status }) => status)).toEqual(
          heard.errorTrace.map(() => row.told),
        );
    },
  );

  it.each(
    casesOf(
      rows.filter(({ again }) => again),
      sampled,
    ),
  )('the same candidate answers when it is asked again after %s', async (_title, api, row, way) => {
    const { failing, good, first, second } = scene(api, row);
    plays.set(failing, row.fault, { text: ['at ', 'last'] });
    expect(await ask(gateway, way, { models: [first, second] })).toMatchObject({
      status: 200,
      ended: 'whole',
      text: 'at last',
    });
    expect(plays.of(failing)).toHaveLength(2);
    expect(plays.of(good)).toHaveLength(0);
  });

  it.each(casesOf(rows, sampled))(
    'where every candidate fails with %s, the client receives it',
    async (_title, api, row, way) => {
      const { first, sameAgain } = scene(api, row);
      const heard = await ask(gateway, way, { models: [first, sameAgain] });
      expect(heard).toMatchObject({ status: endOf(row, way), ended: 'refused' });
      expect(heard.errorTrace).toHaveLength(row.again ? 4 : 2);
      expect(heard.message).toContain(api);
    },
  );

  it.each(casesOf(under200, [wayRows[0]!]))(
    'where every candidate fails with %s, the client receives it',
    async (_title, api, row, way) => {
      const { first, sameAgain } = scene(api, row);
      expect(await ask(gateway, way, { models: [first, sameAgain] })).toMatchObject({
        status: endOf(row, way),
        ended: 'refused',
      });
    },
  );
});

describe.concurrent('after the content', () => {
  it.each(casesOf(broken, streamedRows))(
    'a stream ends in an error without another candidate, by %s',
    async (_title, api, row, way) => {
      const { failing, good, first, second } = scene(api, row);
      const heard = await ask(gateway, way, { models: [first, second] });
      expect(heard).toMatchObject({
        status: 200,
        ended: 'broken',
        text: expect.stringMatching(/^Hel(lo)?$/) as string,
      });
      expect(plays.of(failing)).toHaveLength(1);
      expect(plays.of(good)).toHaveLength(0);
    },
  );

  it.each(casesOf(broken, wholeRows))(
    'an answer that is not streamed is retried, by %s',
    async (_title, api, row, way) => {
      const { failing, first, second } = scene(api, row);
      plays.set(failing, row.fault, { text: ['at ', 'last'] });
      expect(await ask(gateway, way, { models: [first, second] })).toMatchObject({
        status: 200,
        ended: 'whole',
        text: 'at last',
      });
      expect(plays.of(failing)).toHaveLength(2);
    },
  );
});

describe('the request to a provider', () => {
  it.each(apis)(
    'is a stream natively, even where the client is not streamed to: %s',
    async (api) => {
      const model = plays.newModel();
      const heard = await ask(gateway, wholeRows[0]![1], { models: [`${api}/${model}`] });
      expect(heard).toMatchObject({ ended: 'whole', text: 'Hello' });
      const [call] = plays.of(model);
      expect(`${call?.path ?? ''} ${call?.raw.toString() ?? ''}`).toMatch(
        /"stream":true|streamGenerateContent\?alt=sse|converse-stream/,
      );
    },
  );

  it.each(apis)("contains what the client sent in OpenAI's dialect: %s", async (api) => {
    const model = plays.newModel();
    await ask(gateway, wholeRows[1]![1], { models: [`${api}/${model}`] });
    const [call] = plays.of(model);
    expect(`${call?.path ?? ''} ${call?.raw.toString() ?? ''}`).not.toMatch(
      /"stream":true|streamGenerateContent|converse-stream/,
    );
  });
});
