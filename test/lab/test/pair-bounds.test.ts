import { describe, expect, it } from 'vitest';
import { shippedAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { featuresOf } from '../../../src/chooser/predictor/features/features.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { boundsTable, curveTable } from '../commands/judge-pair-bounds.js';
import {
  bestForAll,
  bestInHindsight,
  bestOnOthers,
  countFlips,
  type FamilySignals,
} from '../pairs/best-signals.js';
import { pairCurve } from '../pairs/pair-curve.js';
import { apgrOf, judgeSignals, orderedGaps } from '../pairs/signal-areas.js';
import {
  fittedSignals,
  type GapFamily,
  gapFamily,
  readSignals,
  type Signal,
} from '../pairs/signals.js';
import { createRandomStream } from '../random.js';

const models = ['gpt-3.5-turbo-0125', 'gpt-5.2'];
const draw = { draws: 60, seed: 1 };
const ones = (rows: number): Float64Array => new Float64Array(rows).fill(1);

const numbers = (prompt: string): number => prompt.split(/\d+/).length - 1;

/** A word of its own for each row, since features do not tell numbers apart. */
const inLetters = (row: number): string =>
  Array.from(`${row}`, (digit) => 'qwertzuiop'[Number(digit)]).join('');

/** Texts with up to nine numbers; the weak model fails on those that are hard. */
function invented(name: string, isHard: (prompt: string) => boolean, rows = 300): GapFamily {
  const stream = createRandomStream(name.length);
  const prompts = Array.from({ length: rows }, (_, row) => {
    const count = Math.floor(stream.next() * 10);
    const words = ['apples', 'pears', 'plums'].slice(0, 1 + Math.floor(stream.next() * 3));
    return `${name} ${inLetters(row)} ${words.join(' and ')} ${'7 of '.repeat(count)}them?`;
  });
  const empty = new Float64Array(2 * rows);
  const pool = {
    name,
    models,
    rows,
    scores: Float64Array.from({ length: 2 * rows }, (_, at) =>
      at % 2 === 0 && isHard(prompts[Math.floor(at / 2)]!) ? 0 : 1,
    ),
    costs: empty,
    places: Int32Array.from({ length: rows }, (_, row) => row),
    features: prompts.map((content) => featuresOf({ messages: [{ role: 'user', content }] })),
    prompts,
    inputTokens: new Float64Array(rows),
    outputTokens: empty,
    groups: prompts,
  };
  return gapFamily(name, [pool], shippedAbilities())!;
}

const many = (prompt: string): boolean => numbers(prompt) > 5;
const few = (prompt: string): boolean => numbers(prompt) < 5;

function signal(name: string, { pools }: GapFamily, of: (prompt: string) => number): Signal {
  return { name, values: pools.map(({ pool }) => Float64Array.from(pool.prompts, of)) };
}

/** The length is made to say nothing, so that a signal's gain over it is its own. */
const judged = (family: GapFamily): FamilySignals => ({
  family: family.name,
  results: judgeSignals(
    family,
    [
      signal('length', family, () => 1),
      signal('numbers', family, numbers),
      signal('noise', family, (prompt) => Math.sin(prompt.length * 99 + numbers(prompt))),
    ],
    draw,
  ),
});

describe('a signal of texts', () => {
  const gaps = Float64Array.from([1, 0, 1, 0]);

  it('recovers exactly half where it says nothing', () => {
    expect(apgrOf([orderedGaps(new Float64Array(4), gaps)], ones(4))).toBe(0.5);
  });

  it('recovers as much more than half as it recovers less the other way round', () => {
    const values = Float64Array.from([4, 3, 3, 1]);
    const one = apgrOf([orderedGaps(values, gaps)], ones(4));
    const reversed = apgrOf(
      [
        orderedGaps(
          values.map((value) => -value),
          gaps,
        ),
      ],
      ones(4),
    );
    expect(one).toBeGreaterThan(0.5);
    expect(one + reversed).toBeCloseTo(1, 12);
  });

  it('counts rows as often as their weights say', () => {
    const values = Float64Array.from([3, 2, 1]);
    const weighted = apgrOf(
      [orderedGaps(values, Float64Array.from([1, 0, 0]))],
      Float64Array.from([1, 2, 0]),
    );
    const written = apgrOf(
      [orderedGaps(Float64Array.from([3, 2, 2]), Float64Array.from([1, 0, 0]))],
      ones(3),
    );
    expect(weighted).toBeCloseTo(written, 12);
  });

  it('has no APGR where no model is better', () => {
    expect(apgrOf([orderedGaps(ones(4), new Float64Array(4))], ones(4))).toBeNaN();
  });
});

describe('the best signals', () => {
  const rising = judged(invented('rising', many)),
    alike = judged(invented('also rising', many)),
    falling = judged(invented('falls', few));
  const all = [rising, alike, falling];

  it('are found in hindsight with their sign', () => {
    expect(bestInHindsight(rising)).toMatchObject({ name: 'numbers', isReversed: false });
    expect(bestInHindsight(falling)).toMatchObject({ name: 'numbers', isReversed: true });
    expect(bestInHindsight(falling).overLength.low).toBeGreaterThan(0.03);
  });

  it('mislead on a family where they say the contrary', () => {
    const chosen = bestOnOthers(falling, all);
    expect(chosen).toMatchObject({ name: 'numbers', isReversed: false });
    expect(chosen.overLength.high).toBeLessThan(0);
  });

  it('reach the goal in two of three families, if one is taken for all', () => {
    expect(bestForAll(all, 0.03)).toEqual({ name: 'numbers', isReversed: false, reached: 2 });
  });

  it('are counted as flipping only where both directions are sure', () => {
    expect(countFlips(all)).toEqual({ telling: 1, flipping: 1 });
    expect(countFlips([rising, alike])).toEqual({ telling: 1, flipping: 0 });
  });

  it('stand in a table beside those that other families would have chosen', () => {
    const families = [invented('rising', many), invented('falls', few)];
    const { notes, rows } = boundsTable(
      families.map((family) => ({
        family: family.name,
        results: judgeSignals(
          family,
          [...readSignals(family, shippedOutlook()), ...fittedSignals(family, families)],
          draw,
        ),
      })),
    );
    expect(notes.at(-1)).toMatch(/reaches the goal in [12] of 2/);
    expect(rows.map(([family]) => family)).toEqual(['rising', 'falls']);
    for (const row of rows) expect(Number.parseFloat(row[7]!)).toBeGreaterThan(0.03);
  });
});

describe('a line fitted to other families', () => {
  const apgr = (family: GapFamily, families: readonly GapFamily[]): number => {
    const [gap] = fittedSignals(family, families);
    return apgrOf([orderedGaps(gap!.values[0]!, family.pools[0]!.gaps)], ones(300));
  };

  it('holds where the others are alike, and errs where they are not', () => {
    const [rising, alike, falling] = [
      invented('rising', many),
      invented('also rising', many),
      invented('falls', few),
    ];
    expect(apgr(rising, [rising, alike])).toBeGreaterThan(0.6);
    expect(apgr(falling, [rising, alike, falling])).toBeLessThan(0.4);
  });

  it('sees no prompt of the judged family, not even a copy in another one', () => {
    const [rising, falling] = [invented('rising', many), invented('falls', few)];
    const copies = { ...rising, name: 'copies' };
    // the copies would teach the contrary of what the other family does
    expect(apgr(rising, [rising, falling, copies])).toBeLessThan(0.4);
  });
});

describe('the curve of labelled prompts', () => {
  it('judges prompts that no label is from, and leaves out sizes that a family does not have', () => {
    const family = invented('rising', many);
    const labelled = new Set<string>();
    const asked: number[] = [];
    const { prompts, length, points } = pairCurve(
      family,
      shippedPredictor(),
      (rows) => {
        asked.push(rows.prompts.length);
        rows.prompts.forEach((prompt) => labelled.add(prompt));
        const byFeatures = new Map(
          family.pools[0]!.pool.features.map((features, row) => [
            features.buckets.join(),
            family.pools[0]!.pool.prompts[row]!,
          ]),
        );
        return (features) => {
          const prompt = byFeatures.get(features.buckets.join())!;
          expect(labelled).not.toContain(prompt);
          return [many(prompt) ? 0 : 1, 1];
        };
      },
      { sizes: [20, 50, 5000], repeats: 2, seed: 1 },
    );
    expect(asked).toEqual([20, 20, 50, 50]);
    expect(points.map(({ rows }) => rows)).toEqual([0, 20, 50]);
    expect(points[2]!.apgr).toBeGreaterThan(0.7);
    expect(length).toBeGreaterThan(0.5);
    expect(prompts).toBeGreaterThan(100);
  });

  it('ends with the mean of the families', () => {
    const at = (apgr: number) => ({
      prompts: 10,
      length: 0.5,
      points: [
        { rows: 0, apgr: 0.5 },
        { rows: 50, apgr },
      ],
    });
    const { head, rows } = curveTable([
      ['one', at(0.6)],
      ['other', at(0.8)],
    ]);
    expect(head.slice(3)).toEqual(['0 labelled', '50 labelled']);
    expect(rows.at(-1)).toEqual(['mean', '', '0.500', '0.500', '0.700']);
  });
});
