import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import type { SearchEngine } from '../../../src/grounding/search/search-engine.js';
import {
  type SearchAttempt,
  type SearchOptions,
  WebSearch,
} from '../../../src/grounding/search/web-search.js';
import { answerOf } from '../../helpers/engine-answers.js';
import { engineAt, queryFor } from '../../helpers/searching.js';
import { startUpstream, type Upstream } from '../../helpers/upstream.js';

const page = (name: string) => ({
  title: name,
  url: `https://${name}.example/`,
  text: `All about ${name}.`,
});

let first: Upstream;
let second: Upstream;
let searches: WebSearch[] = [];
beforeEach(async () => {
  [first, second] = await Promise.all([startUpstream(), startUpstream()]);
  first.script([{ status: 200, body: answerOf.tavily([page('first')]) }]);
  second.script([{ status: 200, body: answerOf.exa([page('second')]) }]);
});
afterEach(async () => {
  await Promise.all([first.close(), second.close(), ...searches.map((one) => one.close())]);
  searches = [];
});

/** A search with two engines, and a clock that only the test moves. */
function twoEngines(more: Partial<SearchEngine> = {}, cacheMs = 0) {
  const clock = { ms: 1_000 };
  const search = new WebSearch({
    engines: [
      engineAt('tavily', first.url, { pricePerThousand: 8, ...more }),
      engineAt('exa', second.url),
    ],
    cacheMs,
    now: () => clock.ms,
  });
  searches.push(search);
  const attempts: SearchAttempt[] = [];
  const find = async (query = 'lamps', options: SearchOptions = {}): Promise<string> => {
    const answer = await search.search(queryFor(query), {
      onAttempt: (attempt) => attempts.push(attempt),
      ...options,
    });
    return `${answer.engine}: ${answer.results.map(({ title }) => title).join()}`;
  };
  return { search, clock, attempts, find };
}

const failing = (status: number, headers = {}) => ({ status, body: {}, headers });

describe('a search', () => {
  it('asks the first engine, and the next one where that fails', async () => {
    const { find, attempts } = twoEngines();
    expect(await find()).toBe('tavily: first');
    first.script([failing(500)]);
    expect(await find('lanterns')).toBe('exa: second');
    expect(second.requests).toHaveLength(1);
    expect(attempts).toMatchObject([
      { engine: 'tavily', status: 200, error: null, results: 1, cached: false, costUsd: 0.008 },
      {
        engine: 'tavily',
        status: 500,
        error: { code: 'upstream_error', message: 'tavily answered 500' },
        results: 0,
        costUsd: 0,
      },
      { engine: 'exa', status: 200, error: null, results: 1, costUsd: null },
    ]);
  });

  it.each([
    ['half a minute after an error', failing(503), 30_000],
    ['half a minute after an answer that is none', { status: 200, body: 'hello' }, 30_000],
    ['a minute after an unexplained rate limit', failing(429), 60_000],
    ['as long as it says after a rate limit', failing(429, { 'retry-after': '90' }), 90_000],
    ['ten minutes after its key was refused', failing(401), 600_000],
  ])('leaves an engine alone for %s', async (_, step, restMs) => {
    const { find, clock } = twoEngines();
    first.script([step]);
    expect(await find('one')).toBe('exa: second');
    first.script([{ status: 200, body: answerOf.tavily([page('first')]) }]);
    clock.ms += restMs - 1_000;
    expect(await find('two')).toBe('exa: second');
    expect(first.requests).toHaveLength(1);
    clock.ms += 2_000;
    expect(await find('three')).toBe('tavily: first');
  });

  it('asks an engine again at once that refused one query', async () => {
    const { find } = twoEngines();
    first.script([failing(400), { status: 200, body: answerOf.tavily([page('first')]) }]);
    expect(await find('one')).toBe('exa: second');
    expect(await find('two')).toBe('tavily: first');
  });

  it('asks engines that rest if no other one answers', async () => {
    const { find } = twoEngines();
    first.script([failing(500)]);
    second.script([failing(500)]);
    await expect(find('one')).rejects.toMatchObject({
      code: 'all_failed',
      message: 'no search engine answered: tavily answered 500; exa answered 500',
    });
    second.script([{ status: 200, body: answerOf.exa([page('second')]) }]);
    expect(await find('two')).toBe('exa: second');
    second.script([failing(401)]);
    first.script([{ status: 200, body: answerOf.tavily([page('first')]) }]);
    expect(await find('three')).toBe('tavily: first');
    expect(await find('four')).toBe('tavily: first');
    expect(second.requests).toHaveLength(2);
  });

  it('waits for a rate limit that ends in a moment, if nothing else answers', async () => {
    const { find, attempts } = twoEngines();
    first.script([
      failing(429, { 'retry-after': '0.02' }),
      { status: 200, body: answerOf.tavily([page('first')]) },
    ]);
    expect(await find('one', { engine: 'tavily' })).toBe('tavily: first');
    expect(attempts.map(({ status }) => status)).toEqual([429, 200]);
    first.script([failing(429, { 'retry-after': '0.02' })]);
    await expect(find('two', { engine: 'tavily' })).rejects.toMatchObject({ code: 'rate_limited' });
    expect(first.requests).toHaveLength(6);
  });

  it('takes an empty answer, unless the next engine is to be asked then', async () => {
    const { find } = twoEngines();
    first.script([{ status: 200, body: answerOf.tavily([]) }]);
    expect(await find('one')).toBe('tavily: ');
    expect(await find('one', { continuesOnEmpty: true })).toBe('exa: second');
    second.script([failing(500)]);
    expect(await find('one', { continuesOnEmpty: true })).toBe('tavily: ');
  });

  it('asks only the engine that is named', async () => {
    const { find, search } = twoEngines();
    expect(search.engineNames).toEqual(['tavily', 'exa']);
    expect(await find('one', { engine: 'exa' })).toBe('exa: second');
    expect(first.requests).toHaveLength(0);
    await expect(find('one', { engine: 'bing' })).rejects.toMatchObject({
      code: 'not_configured',
      message: 'there is no search engine bing',
    });
    const none = new WebSearch({ engines: [], cacheMs: 0 });
    await expect(none.search(queryFor('x'))).rejects.toMatchObject({ code: 'not_configured' });
  });

  it('uses several keys of an engine in turn, and the next one where one is refused', async () => {
    const { find } = twoEngines({ apiKeys: ['key-number-1', 'key-number-2'] });
    first.script([
      (call) =>
        call.headers.authorization === 'Bearer key-number-2'
          ? { status: 200, body: answerOf.tavily([page('first')]) }
          : failing(432),
    ]);
    for (const query of ['one', 'two', 'three']) expect(await find(query)).toBe('tavily: first');
    const refused = first.requests.filter(
      ({ headers }) => headers.authorization === 'Bearer key-number-1',
    );
    expect(refused).toHaveLength(1);
  });

  it('hands its rests on to the search that replaces it', async () => {
    const { find, search } = twoEngines();
    first.script([failing(500)]);
    await find('one');
    const next = twoEngines();
    next.search.inheritRests(search);
    expect(await next.find('two')).toBe('exa: second');
    expect(first.requests).toHaveLength(1);
  });

  it.each([
    ['says nothing', { status: 200, delayMs: 60_000 }],
    ['goes on for ever', { status: 200, body: '{', unended: 'dripping' as const }],
  ])('ends after its time with an engine that %s', async (_, step) => {
    const { find, attempts } = twoEngines({ timeoutMs: 40 });
    first.script([step]);
    expect(await find('one')).toBe('exa: second');
    expect(attempts[0]).toMatchObject({
      error: { code: 'upstream_timeout', message: 'tavily did not answer within 40 ms' },
      status: null,
      costUsd: 0.008,
    });
    await first.closed(0);
  });

  it('says that an engine cannot be reached, which costs nothing', async () => {
    const gone = await startUpstream();
    await gone.close();
    const search = new WebSearch({
      engines: [engineAt('brave', gone.url, { pricePerThousand: 5 })],
      cacheMs: 0,
    });
    searches.push(search);
    const attempts: SearchAttempt[] = [];
    await expect(
      search.search(queryFor('x'), { onAttempt: (attempt) => attempts.push(attempt) }),
    ).rejects.toMatchObject({
      code: 'connection_failed',
      message: 'brave could not be reached: the connection was refused (ECONNREFUSED)',
    });
    expect(attempts).toMatchObject([{ costUsd: 0, status: null }]);
  });

  it('that is in progress is finished when the search is closed; later ones fail', async () => {
    const { find, search } = twoEngines();
    first.script([{ status: 200, body: answerOf.tavily([page('first')]), delayMs: 40 }]);
    const finding = find('one');
    await first.received(0);
    const closed = search.close();
    expect(await finding).toBe('tavily: first');
    await closed;
    await expect(find('two')).rejects.toMatchObject({ code: 'all_failed' });
  });

  it('ends at once when its caller leaves, and blames nobody for it', async () => {
    const { find, attempts } = twoEngines();
    first.script([{ status: 200, delayMs: 60_000 }]);
    const caller = new AbortController();
    const searching = find('one', { signal: caller.signal });
    await first.received(0);
    caller.abort(new GatewayError('deadline_exceeded', 'too late'));
    await expect(searching).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await first.closed(0);
    expect(attempts).toMatchObject([{ engine: 'tavily', error: { code: 'deadline_exceeded' } }]);
    expect(second.requests).toHaveLength(0);
    first.script([{ status: 200, body: answerOf.tavily([page('first')]) }]);
    expect(await find('two')).toBe('tavily: first');
    await expect(find('three', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'client_closed',
    });
  });
});

describe('equal searches', () => {
  it('are answered from the cache for its time, and cost nothing then', async () => {
    const { find, attempts, clock } = twoEngines({}, 60_000);
    await find('desk  lamps ');
    await find(' desk lamps');
    clock.ms += 59_000;
    await find('desk lamps');
    expect(first.requests).toHaveLength(1);
    expect(attempts.map(({ cached, costUsd, status }) => [cached, costUsd, status])).toEqual([
      [false, 0.008, 200],
      [true, 0, null],
      [true, 0, null],
    ]);
    clock.ms += 2_000;
    await find('desk lamps');
    expect(first.requests).toHaveLength(2);
  });

  it('are not those with other options', async () => {
    const { search } = twoEngines({}, 60_000);
    const ways = [
      {},
      { maxResults: 6 },
      { recency: 'day' as const },
      { country: 'DE' },
      { allowedDomains: ['a.example'] },
      { blockedDomains: ['a.example'] },
    ];
    for (const way of ways) await search.search(queryFor('lamps', way));
    expect(first.requests).toHaveLength(ways.length);
  });

  it('are asked again after an empty answer or a failure', async () => {
    const { find } = twoEngines({}, 60_000);
    first.script([
      { status: 200, body: answerOf.tavily([]) },
      failing(400),
      { status: 200, body: answerOf.tavily([page('first')]) },
    ]);
    expect(await find()).toBe('tavily: ');
    expect(await find()).toBe('exa: second');
    expect(await find()).toBe('tavily: first');
  });

  it('share one call while it is in progress, which one of them pays', async () => {
    const { find, attempts } = twoEngines();
    first.script([{ status: 200, body: answerOf.tavily([page('first')]), delayMs: 30 }]);
    const found = await Promise.all(Array.from({ length: 20 }, () => find()));
    expect(new Set(found)).toEqual(new Set(['tavily: first']));
    expect(first.requests).toHaveLength(1);
    expect(attempts.filter(({ cached }) => !cached)).toHaveLength(1);
    expect(attempts.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)).toBeCloseTo(0.008);
  });

  it('go on for the others when one caller leaves, and end with the last', async () => {
    const { find } = twoEngines();
    first.script([{ status: 200, body: answerOf.tavily([page('first')]), delayMs: 60 }]);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const left = find('one', { signal: leaving.signal });
    const stayed = find('one', { signal: staying.signal });
    await first.received(0);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'client_closed' });
    expect(await stayed).toBe('tavily: first');

    first.script([{ status: 200, delayMs: 60_000 }]);
    const both = [find('two', { signal: leaving.signal }), find('two', { signal: staying.signal })];
    both.forEach((one) => void one.catch(() => undefined));
    await first.received(1);
    staying.abort();
    await first.closed(1);
    await expect(Promise.any(both)).rejects.toThrow();
  });

  it('are kept within bounds, the most recent ones', async () => {
    const { find } = twoEngines({}, 60_000);
    const content = 'long text '.repeat(20_000);
    first.script([{ status: 200, body: answerOf.tavily([page('first')], content) }]);
    for (let index = 0; index < 100; index++) await find(`query ${index}`);
    await find('query 99');
    expect(first.requests).toHaveLength(100);
    await find('query 0');
    expect(first.requests).toHaveLength(101);
  });
});
