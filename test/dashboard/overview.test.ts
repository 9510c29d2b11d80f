import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chartColors,
  colorsOf,
  nextIndex,
  restOf,
  sparkline,
  stacked,
} from '../../src/dashboard/components/chart-columns.js';
import {
  axisLabel,
  formatCompact,
  formatSpend,
  formatTokens,
  reasonWords,
  roundTicks,
  spendParts,
} from '../../src/dashboard/format/numbers.js';
import {
  formatClock,
  formatInstant,
  formatMs,
  formatUntil,
} from '../../src/dashboard/format/times.js';
import {
  byModel,
  defaultRange,
  errorRate,
  isCompared,
  percentileByModel,
  pointsChange,
  rangeOf,
  ranges,
  refreshMs,
  relativeChange,
  requestsHref,
} from '../../src/dashboard/pages/overview/series.js';

const layer = (values: (number | null)[]) => ({ label: 'a', color: '#000', values });

/** What eyes see of linear red, green and blue: all of it, no red, no green (Machado 2009). */
const sights = {
  all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  noRed: [0.152, 1.053, -0.205, 0.115, 0.786, 0.099, -0.004, -0.048, 1.052],
  noGreen: [0.367, 0.861, -0.228, 0.28, 0.673, 0.047, -0.012, 0.043, 0.969],
};

/** `matrix` by rows. */
const times = (matrix: readonly number[], vector: readonly number[]): number[] =>
  [0, 3, 6].map((row) => vector.reduce((sum, value, at) => sum + matrix[row + at]! * value, 0));

/** A colour in OKLab, as `sight` sees it. */
function seen(color: string, sight: readonly number[]): number[] {
  const linear = [1, 3, 5].map((at) => (parseInt(color.slice(at, at + 2), 16) / 255) ** 2.2);
  const light = times(sight, linear).map((value) => Math.min(1, Math.max(0, value)));
  const cones = times([0.412, 0.536, 0.051, 0.212, 0.681, 0.107, 0.088, 0.282, 0.63], light);
  return times(
    [0.21, 0.794, -0.004, 1.978, -2.429, 0.451, 0.026, 0.783, -0.809],
    cones.map(Math.cbrt),
  );
}

const distance = (one: string, other: string, sight: readonly number[]): number => {
  const [from, to] = [seen(one, sight), seen(other, sight)];
  return Math.hypot(...from.map((value, at) => value - to[at]!));
};

describe('a change against the time before', () => {
  it.each([
    [112, 100, '+12%', 'up'],
    [95, 100, '−5.0%', 'down'],
    [100.1, 100, '0%', 'same'],
    [5_000, 1, 'new', 'up'],
    [5, 0, 'new', 'up'],
    [0, 10, '−100%', 'down'],
  ])('from %s, after %s, is %s', (now, before, text, direction) => {
    expect(relativeChange(now, before)).toEqual({ text, direction });
  });

  it('is unknown where there was nothing, or nothing was measured', () => {
    expect(relativeChange(0, 0)).toBeNull();
    expect(relativeChange(null, 5)).toBeNull();
    expect(pointsChange(0.5, null)).toBeNull();
  });

  it('is not drawn from a few requests, which tell nothing', () => {
    expect([0, 1, 19, 20].map(isCompared)).toEqual([true, false, false, true]);
  });

  it('of a share is in percentage points', () => {
    expect(pointsChange(0.05, 0.02)).toEqual({ text: '+3.0 pt', direction: 'up' });
    const none = { requests: 0, errors: 0, refused: 0, clientClosed: 0 };
    expect(errorRate(none)).toBeNull();
  });

  it('counts as errors of a model only what its provider failed', () => {
    expect(errorRate({ requests: 10, errors: 7, refused: 4, clientClosed: 1 })).toBe(0.2);
    expect(
      requestsHref({ code: 'all_failed', provider: null }, { range: '90d', account: 'all' }),
    ).toBe('/requests?range=30d&code=all_failed');
  });
});

describe('the time range of the address', () => {
  it('is a day where the address names none that exists', () => {
    for (const name of [undefined, '', '2h', 'toString']) expect(rangeOf(name)).toBe('24h');
    expect(rangeOf('90d')).toBe('90d');
  });

  it('is on the first day the shortest that has all requests', () => {
    const now = Date.parse('2026-11-20T12:00:00Z');
    const day = (requests: number[], before = 0) =>
      ({
        times: ['2026-11-20T02:00:00Z', '2026-11-20T07:00:00Z', '2026-11-20T11:30:00Z'],
        points: { requests },
        previous: { requests: before },
      }) as Parameters<typeof defaultRange>[0];
    expect(defaultRange(day([0, 0, 5]), now)).toBe('1h');
    expect(defaultRange(day([0, 1, 5]), now)).toBe('6h');
    expect(defaultRange(day([1, 0, 5]), now)).toBe('24h');
    expect(defaultRange(day([0, 0, 5], 1), now)).toBe('24h');
    expect(defaultRange(day([0, 0, 0]), now)).toBe('24h');
    expect(defaultRange(undefined, now)).toBe('24h');
  });

  it('is asked for again every few seconds if short, and each minute if long', () => {
    for (const range of Object.keys(ranges))
      expect(refreshMs(rangeOf(range))).toBeGreaterThanOrEqual(5_000);
    expect(refreshMs('90d')).toBe(60_000);
  });
});

describe('the line of a figure over time', () => {
  it('runs from 0 to the highest value, and leaves out what was not measured', () => {
    expect(sparkline([0, 5, null, 10])).toBe('0.0,23.0 33.3,12.0 100.0,1.0');
    expect(sparkline([0, 0])).toBe('0.0,23.0 100.0,23.0');
    expect([[], [null, null]].map(sparkline)).toEqual(['', '']);
  });
});

describe('a number', () => {
  it.each([
    [0, '0'],
    [710, '710'],
    [1_026, '1,026'],
    [-9_999, '-9,999'],
    [10_000, '10K'],
    [131_072, '131.1K'],
    [9_000_000, '9M'],
    [null, '–'],
  ])('is in full below 10,000, else in few characters: %s is %s', (value, text) => {
    expect(formatCompact(value)).toBe(text);
  });
});

describe('the tokens of a request', () => {
  it.each([
    [1_200, 84, '1,200 → 84'],
    [0, 0, '0 → 0'],
    [12, null, '12 → –'],
    [null, 3, '– → 3'],
    [null, null, '–'],
  ])('%s and %s are %s', (promptTokens, completionTokens, text) => {
    expect(formatTokens({ promptTokens, completionTokens })).toBe(text);
  });
});

describe('a figure on an axis', () => {
  it.each([
    ['50.0 s', '50 s'],
    ['0 ms', '0'],
    ['10.0%', '10%'],
    ['2.50 s', '2.50 s'],
    ['1 min 0 s', '1 min'],
    ['$10.00', '$10'],
    ['$0.05', '$0.05'],
  ])('%s is written %s', (figure, label) => {
    expect(axisLabel(figure)).toBe(label);
  });
});

describe('the values of an axis', () => {
  it.each([
    [47, 4, [0, 20, 40, 60]],
    [40, 4, [0, 10, 20, 30, 40]],
    [0.6, 4, [0, 0.2, 0.4, 0.6]],
    [168_000, 4, [0, 50_000, 100_000, 150_000, 200_000]],
    [52, 2, [0, 30, 60]],
    [75, 2, [0, 40, 80]],
  ])('are round and end at the highest one or above it: %d', (highest, most, ticks) => {
    expect(roundTicks(highest, most).map((one) => Number(one.toFixed(6)))).toEqual(ticks);
  });

  it('have labels that differ', () => {
    expect(roundTicks(1, 2, undefined, (value) => value.toFixed(0))).toEqual([0, 1]);
    expect(roundTicks(75_000, 3, [1e4, 3e4, 6e4])).toEqual([0, 30_000, 60_000, 90_000]);
  });
});

describe('what was spent', () => {
  it('is what was billed, with what is estimated in it and what budgets hold beside it', () => {
    const billed = { costUsd: 0.58, estimatedUsd: 0, heldUsd: 0, promptTokens: 9 };
    expect([formatSpend(billed), spendParts(billed)]).toEqual(['$0.58', []]);
    const cut = { ...billed, estimatedUsd: 0.2, heldUsd: 24 };
    expect([formatSpend(cut), spendParts(cut)]).toEqual([
      '≈ $0.58 + $24.00 held',
      ['$0.20 of it estimated', '$24.00 held for budgets'],
    ]);
    expect(formatSpend({ ...billed, costUsd: null })).toBe('price unknown');
    expect(formatSpend({ ...billed, costUsd: null, promptTokens: null })).toBe('–');
    expect(spendParts({ costUsd: 0.2, estimatedUsd: 0.2, heldUsd: 0 })).toEqual(['estimated']);
  });
});

describe('a duration', () => {
  it('has no seconds where there are none', () => {
    expect([60_000, 125_000, 1_240].map(formatMs)).toEqual(['1 min', '2 min 5 s', '1.24 s']);
  });
});

describe('a clock', () => {
  it('begins the day with the hour 00', () => {
    const midnight = new Date(2026, 10, 25, 0, 5).getTime();
    expect(formatClock(midnight, midnight)).toBe('00:05:00.000');
    expect(formatUntil(midnight, midnight + 86_400_000)).toBe('Nov 25, 00:05:00');
    expect(formatInstant(midnight)).toBe('Nov 25, 2026, 00:05');
  });
});

describe('the reason of a choice', () => {
  it.each([
    ['best predicted quality, 0.967', 'best predicted quality, 96.7'],
    [
      'best value at 0.025 USD per good answer: predicted quality 0.87, best is 0.9, about 0.0041 USD',
      'best value at 0.025 USD per good answer: predicted quality 87.0, best is 90.0, about 0.0041 USD',
    ],
    [
      "explored: predicted quality 0.75 ± 0.1, the first candidate's is 0.8",
      "explored: predicted quality 75.0 ± 10.0, the first candidate's is 80.0",
    ],
    [
      'predicted quality 1, that of p/model-0.9 is 0.88; saves too little at 1 USD per good answer',
      'predicted quality 100.0, that of p/model-0.9 is 88.0; saves too little at 1 USD per good answer',
    ],
    [
      'fastest within 0.05 of the best quality, 0.4 s to the first token',
      'fastest within 5.0 of the best quality, 0.4 s to the first token',
    ],
    ['1 point better than p/m, but its price is not known', null],
    ['2 of 3 candidates answer this equally well; none is cheaper', null],
  ])('speaks of quality on the scale from 0 to 100: %s', (reason, words) => {
    expect(reasonWords(reason)).toBe(words ?? reason);
  });
});

describe('a stacked chart', () => {
  it('has each layer on top of those before it, and ends at the sum', () => {
    expect(stacked([layer([1, 2]), layer([3, null])])).toEqual([
      [1, 2],
      [4, 2],
    ]);
  });

  it('shows what is left of the whole, if anything is', () => {
    expect(restOf([5, 3], [[1, 3]])).toEqual([4, 0]);
    expect(restOf([0.1 + 0.2], [[0.1], [0.2]])).toBeNull();
  });

  it('names no model that has nothing of what it shows, and keeps the colours of the others', () => {
    const groups = [
      [0, 2],
      [0, 0],
      [1, null],
    ].map((costUsd, at) => ({
      provider: 'p',
      model: `m${at}`,
      points: { costUsd },
    }));
    const of = (points: { costUsd: number[] }, some = groups) =>
      byModel({ groups: some, points } as never, 'costUsd', { range: '24h', account: undefined });
    const drawn = of({ costUsd: [1, 2] });
    expect(drawn.map(({ label }) => label)).toEqual(['p/m0', 'p/m2']);
    const [first, , third] = colorsOf(['p/m0', 'p/m1', 'p/m2']);
    expect(drawn.map(({ color }) => color)).toEqual([first, third]);
    expect(of({ costUsd: [0, 0] }, groups.slice(1, 2))).toHaveLength(1);
  });

  it('sums up the models that have no name with the rest, and never calls them other/other', () => {
    const groups = [
      { provider: 'p', model: 'm', points: { costUsd: [1], ttftP95Ms: [7] } },
      { provider: 'other', model: 'other', points: { costUsd: [2], ttftP95Ms: [9] } },
    ];
    const series = { groups, points: { costUsd: [6] } } as never;
    const span = { range: '24h', account: undefined } as const;
    const shown = byModel(series, 'costUsd', span);
    expect(shown.map(({ label, values }) => [label, values])).toEqual([
      ['p/m', [1]],
      ['all others', [5]],
    ]);
    const [, others] = percentileByModel(series, 'ttftP95Ms', span);
    expect(others).toMatchObject({ label: 'all others', href: null });
  });

  it('gives a model its own colour, whatever its rank, and no two the same as long as there are enough', () => {
    const labels = ['openai/gpt-5-mini', 'groq/llama-3.3-70b', 'a/b', 'c/d', 'e/f', 'g/h', 'i/j'];
    const colors = colorsOf(labels);
    expect(new Set(colors).size).toBe(labels.length);
    expect(colorsOf([...labels].reverse())).toEqual([...colors].reverse());
    const all = colorsOf([...labels, 'k/l', 'm/n', 'o/p']);
    expect(all).toHaveLength(10);
    expect(new Set(all).size).toBe(8);
  });

  it('has no two colours that look alike, also for those who see no red or no green', () => {
    const pairs = chartColors.flatMap((one, at) =>
      chartColors.slice(at + 1).map((other) => [one, other] as const),
    );
    const alike = pairs.filter(([one, other]) =>
      Object.values(sights).some((sight) => distance(one, other, sight) < 0.1),
    );
    expect(alike).toEqual([]);
  });

  it('leads from the name of a model to its requests', () => {
    const groups = ['m', 'other'].map((model) => ({
      ...{ provider: 'p', model, points: { ttftP95Ms: [7] } },
    }));
    const span = { range: '24h', account: 'all' } as const;
    const [line, summed] = percentileByModel({ groups } as never, 'ttftP95Ms', span);
    expect(line).toMatchObject({ label: 'p/m', href: '/requests?range=24h&model=p%2Fm' });
    // of models that are summed up, which no filter names
    expect(summed).toMatchObject({ label: 'p/other', href: null });
  });

  it('is walked through by keys, never beyond its ends', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.constantFrom(-1, 1)),
        (size, steps) => {
          let at: number | null = null;
          for (const step of steps) at = nextIndex(at, step, size);
          expect(at ?? 0).toBeGreaterThanOrEqual(0);
          expect(at ?? 0).toBeLessThan(size);
        },
      ),
    );
    expect(nextIndex(null, 1, 0)).toBeNull();
  });
});
