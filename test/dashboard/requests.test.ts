import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isFiltered,
  modelsOf,
  queryOf,
  withoutFilters,
} from '../../src/dashboard/pages/requests/filters.js';
import { placeNames } from '../../src/dashboard/components/place-names.js';
import {
  apiOf,
  causeOf,
  outcomeOf,
  shortNames,
  statusOf,
} from '../../src/dashboard/format/outcomes.js';
import { formatAgo, formatClock, formatUntil } from '../../src/dashboard/format/times.js';
import { keptContentOf } from '../../src/dashboard/pages/requests/kept-content.js';
import { texts } from '../../src/dashboard/texts/texts.js';
import { errorCodes } from '../../src/errors.js';
import { loggedSurfaces } from '../../src/surface-labels.js';
import { scatterOf } from '../../src/dashboard/pages/requests/scatter.js';
import {
  axisTicks,
  equalLanes,
  lanesOf,
  type TimedAttempt,
} from '../../src/dashboard/pages/requests/waterfall.js';

describe('the filters of the address', () => {
  const now = 1_000_000_000;

  it('go to the API, with the time range that was dragged out or the last day', () => {
    expect(queryOf({ model: ' up/a ', live: 'true' }, false, now)).toEqual({
      model: 'up/a',
      from: String(now - 86_400_000),
    });
    expect(queryOf({ from: 'a', to: 'b', range: '1h', minLatency: '50' }, false, now)).toEqual({
      from: 'a',
      to: 'b',
      minLatency: 50,
    });
  });

  it('show administrators all accounts unless they ask for their own', () => {
    expect(queryOf({}, true, now).account).toBe('all');
    expect(queryOf({ account: 'own' }, true, now).account).toBeUndefined();
    expect(queryOf({}, false, now).account).toBeUndefined();
  });

  it('look for a request by its id at any time', () => {
    expect(queryOf({ id: ' abc ', range: '1h', maxCost: '2', minCost: 'x' }, true, now)).toEqual({
      id: 'abc',
      account: 'all',
      maxCost: 2,
    });
  });

  it('name any number of models', () => {
    expect(modelsOf({})).toEqual([]);
    expect(modelsOf({ model: 'up/a, up/b,,up/a' })).toEqual(['up/a', 'up/b']);
  });

  it('are all taken away at once', () => {
    expect(isFiltered({ range: '1h', account: 'own' })).toBe(false);
    for (const name of Object.keys(withoutFilters)) expect(isFiltered({ [name]: 'x' })).toBe(true);
  });
});

describe('the time of a row', () => {
  it('is the clock to the ms, with the day where that is not today', () => {
    const at = new Date(2026, 4, 1, 14, 3, 22, 7).getTime();
    expect(formatClock(at, at + 1_000)).toBe('14:03:22.007');
    expect(formatClock(at, at + 86_400_000)).toBe('May 1, 14:03:22.007');
    expect(formatUntil(at, at + 1_000)).toBe('14:03:22');
  });
});

describe('how long ago', () => {
  it('is told in the largest unit that has passed', () => {
    const before = (minutes: number): string => formatAgo(Date.now() - minutes * 60_000 - 500);
    expect([0.9, 1.6, 59.7, 60, 60 * 23.9, 60 * 24].map(before)).toEqual([
      'just now',
      '1 minute ago',
      '59 minutes ago',
      '1 hour ago',
      '23 hours ago',
      'yesterday',
    ]);
  });
});

describe('the name of a model in a legend', () => {
  it('is without its provider unless another model has the same name', () => {
    expect(shortNames(['openai/gpt-4.1', 'groq/llama', 'openrouter/meta/llama', 'p95'])).toEqual([
      'gpt-4.1',
      'groq/llama',
      'openrouter/meta/llama',
      'p95',
    ]);
  });
});

describe('every error code', () => {
  it('has words', () => {
    expect(Object.keys(texts.codes).sort()).toEqual([...errorCodes].sort());
    expect(outcomeOf({ status: 200, code: 'unreadable_answer' })).toBe(
      '200, cut · unreadable answer',
    );
    expect(statusOf({ status: 200, code: 'connection_failed' })).toBe('200, cut');
    expect(statusOf({ status: 200, code: null })).toBe('200');
    expect(statusOf({ status: 502, code: 'connection_failed' })).toBe('502');
    // also where the provider broke off a stream that it had begun
    expect(texts.codes.connection_failed).toBe('connection to the provider failed');
  });
});

describe('a request that no model answered', () => {
  it('names what its last attempt failed of', () => {
    const attempts = [{ outcome: 'upstream_error' }, { outcome: 'provider_auth' }] as never;
    expect(causeOf({ attempts }, 'all_failed')).toBe('provider refused the key');
    expect(causeOf({ attempts }, 'deadline_exceeded')).toBe('out of time');
    expect(causeOf({ attempts: [] }, 'all_failed')).toBe('no model answered');
  });
});

describe('every API whose requests are logged', () => {
  it('has words', () => {
    expect(Object.keys(texts.surfaces)).toEqual(loggedSurfaces);
    expect(apiOf('openai')).toBe('Chat completions');
    expect(apiOf('of a later version')).toBe('of a later version');
  });
});

describe('the content of a request', () => {
  it('is read as a stored conversation, whatever its shape', () => {
    const request = { at: '2026-05-01T10:00:00Z', provider: 'up', model: 'a' };
    const of = (content: unknown) => keptContentOf({ ...request, content } as never);
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Why?' }] },
    ];
    const kept = of({ messages, answer: [{ role: 'assistant', content: 'So.' }], omitted: 2 });
    expect(kept?.messages).toMatchObject([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Why?' }] },
    ]);
    expect(kept?.answer).toMatchObject([{ role: 'assistant', provider: 'up', model: 'a' }]);
    expect(kept?.omitted).toBe(2);
    const earlier = of({ messages: [{ role: 'assistant', content: 'Earlier.' }], answer: [] });
    expect(earlier?.messages[0]).not.toHaveProperty('model');
    expect(of({ messages: 'text of an embedding' })?.messages).toMatchObject([{ role: 'user' }]);
    expect(of({ hash: 'x' })).toBeNull();
    expect(of(null)).toBeNull();
  });
});

const attempt = (more: Partial<TimedAttempt> = {}): TimedAttempt => ({
  provider: 'up',
  model: 'a',
  number: 1,
  outcome: 'ok',
  status: 200,
  error: null,
  latencyMs: 100,
  firstContentMs: 60,
  ...more,
});

describe('the waterfall of a request', () => {
  it('shows a retry after its wait, with each phase', () => {
    const lanes = lanesOf([
      attempt({ startMs: 5, outcome: 'timeout', firstContentMs: null, sentMs: 2, headersMs: null }),
      attempt({ startMs: 355, waitMs: 250, sentMs: 10, headersMs: 40 }),
    ]);
    expect(lanes.map(({ start, end }) => [start, end])).toEqual([
      [5, 105],
      [355, 455],
    ]);
    expect(lanes[1]?.phases).toEqual([
      { name: 'wait', from: 105, to: 355 },
      { name: 'connect', from: 355, to: 365 },
      { name: 'provider', from: 365, to: 395 },
      { name: 'thinking', from: 395, to: 415 },
      { name: 'answer', from: 415, to: 455 },
    ]);
    expect(axisTicks(lanes, 460)).toEqual([0, 100, 200, 300, 400, 500]);
    expect(axisTicks(lanes, 61_000)).toEqual([0, 20_000, 40_000, 60_000, 80_000]);
  });

  it('shows equal failures one after the other in one row', () => {
    const failed = attempt({ outcome: 'upstream_error', status: 503, error: 'up answered 503' });
    const lanes = lanesOf([failed, failed, attempt({ ...failed, error: 'other' }), attempt()]);
    expect(equalLanes(lanes).map(({ length }) => length)).toEqual([2, 1, 1]);
    const named = ['req_1a2', 'req_9f8'].map((id) => ({ ...failed, error: `busy, request ${id}` }));
    expect(equalLanes(lanesOf(named))).toHaveLength(1);
  });

  it('counts the calls that tools and research make, and not retries and fallbacks', () => {
    const failed = attempt({ outcome: 'timeout' });
    const lanes = lanesOf([failed, attempt({ number: 2 }), failed, attempt({ model: 'b' })]);
    expect(lanes.map(({ call }) => call)).toEqual([1, 1, 2, 2]);
  });

  it('shows attempts from before their starts were kept one after the other', () => {
    const lanes = lanesOf([attempt(), attempt()]);
    expect(lanes.map(({ start, end }) => [start, end])).toEqual([
      [0, 100],
      [100, 200],
    ]);
  });

  it('never shows a phase outside of its attempt, whatever was recorded', () => {
    const ms = fc.option(fc.integer({ min: 0, max: 500 }));
    fc.assert(
      fc.property(ms, ms, ms, (sentMs, headersMs, firstContentMs) => {
        const [lane] = lanesOf([attempt({ startMs: 10, sentMs, headersMs, firstContentMs })]);
        for (const { from, to } of lane?.phases ?? []) {
          expect(from).toBeGreaterThanOrEqual(10);
          expect(to).toBeLessThanOrEqual(110);
          expect(to).toBeGreaterThan(from);
        }
      }),
    );
  });
});

describe('the scatter of candidates', () => {
  const frame = { width: 500, height: 120, left: 50, right: 50, top: 10, bottom: 10 };
  const candidate = (label: string, cost: number | null, quality: number | null) => ({
    label,
    quality,
    price: null,
    cost,
    latency: null,
    score: 1,
  });

  it('has the dear ones at the right and the good ones on top, within the plot', () => {
    const { points, cost, quality, unknown } = scatterOf(
      [
        candidate('cheap', 0.0001, 0.5),
        candidate('dear', 0.1, 0.9),
        candidate('unpriced', null, 0.8),
        { ...candidate('left out', 0.1, 0.9), excluded: 'not allowed' },
      ],
      frame,
    );
    expect(points.map(({ label }) => label)).toEqual(['cheap', 'dear']);
    const [xs, ys] = [[0.0001, 0.1].map(cost.at), [0.5, 0.9].map(quality.at)];
    expect(xs[0]).toBeLessThan(xs[1]!);
    expect(ys[0]).toBeGreaterThan(ys[1]!);
    for (const x of xs) expect(Math.abs(x - 250)).toBeLessThanOrEqual(200);
    for (const y of ys) expect(Math.abs(y - 60)).toBeLessThanOrEqual(50);
    expect(unknown.map(({ label }) => label)).toEqual(['unpriced']);
  });

  it('begins and ends its axes with round figures, and names what is free', () => {
    const { cost, quality } = scatterOf(
      [candidate('a', 0.0003, 0.62), candidate('b', 0.0047, 0.88)],
      frame,
    );
    expect(cost.ticks).toEqual([0.0002, 0.0005, 0.001, 0.002, 0.005]);
    expect([0.0002, 0.005].map(cost.at)).toEqual([50, 450]);
    expect(quality.ticks.map((tick) => Math.round(100 * tick))).toEqual([60, 75, 90]);
    const free = scatterOf([candidate('free', 0, 0.5), candidate('dear', 3, 0.9)], frame);
    expect(free.cost.ticks).toEqual([0, 2, 5]);
    expect([0, 3].map((usd) => free.cost.at(usd) > 50)).toEqual([false, true]);
  });

  it('writes no name over another name or over a point', () => {
    const size = { width: 480, height: 240 };
    const place = fc.record({
      x: fc.integer({ min: 40, max: 440 }),
      y: fc.integer({ min: 20, max: 220 }),
      text: fc.constantFrom('gpt-5-mini', 'gemini-2.5-flash', 'o3'),
    });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 4 }), (marks) => {
        const boxes = placeNames(marks, size).map(({ x, y, anchor }, at) => {
          const width = 7 * marks[at]!.text.length;
          return { left: anchor === 'start' ? x : x - width, width, y };
        });
        for (const [at, box] of boxes.entries())
          for (const other of boxes.slice(at + 1))
            expect(
              Math.abs(box.y - other.y) >= 15 ||
                box.left >= other.left + other.width ||
                other.left >= box.left + box.width,
            ).toBe(true);
      }),
      // three at a corner
      { examples: [[[174, 204, 218].map((y) => ({ x: 40, y, text: 'gpt-5-mini' }))]] },
    );
    const [left, right] = placeNames(
      [
        { x: 100, y: 100, text: 'gpt-4.1-mini' },
        { x: 150, y: 100, text: 'gpt-4.1' },
      ],
      size,
    );
    expect([left?.anchor, right?.anchor]).toEqual(['end', 'start']);
  });

  it('draws a single candidate, free ones, and none', () => {
    expect(scatterOf([], frame).points).toEqual([]);
    for (const usd of [0, 1]) {
      const { cost, quality } = scatterOf([candidate('only', usd, 1)], frame);
      expect([cost.at(usd), quality.at(1)].every((place) => Number.isFinite(place))).toBe(true);
    }
  });
});
