import { describe, expect, it } from 'vitest';
import {
  guessColumns,
  mappingOf,
  previewOf,
  problemOf,
} from '../../src/dashboard/pages/preferences/column-mapping.js';
import { placeNames } from '../../src/dashboard/components/place-names.js';
import { layOut, linearAxis } from '../../src/dashboard/pages/preferences/plot-layout.js';
import { scoreChanges } from '../../src/dashboard/pages/preferences/score-text.js';
import {
  draftOf,
  hasNoWeight,
  isChanged,
  newDraft,
  settingsOf,
  sharesOf,
} from '../../src/dashboard/pages/preferences/settings.js';

const stored = {
  object: 'preference',
  id: 'p',
  preference_id: 'p',
  name: 'Thrifty',
  weights: null,
  allow: null,
  exclude: null,
  maxPrice: null,
  maxLatency: null,
  tradeoff: null,
  exploration: null,
  router: null,
  createdAt: '2026-11-23T00:00:00.000Z',
  updatedAt: '2026-11-23T00:00:00.000Z',
} as const;

describe('a preference on the sliders', () => {
  it('keeps the ratios of weights that are larger than the sliders', () => {
    const { weights, aim } = draftOf({
      ...stored,
      weights: { quality: 3000, cost: 1500, latency: 0 },
    });
    expect([aim, weights]).toEqual(['weights', { quality: 10, cost: 5, latency: 0 }]);
  });

  it('takes away what is removed, and has weights or a tradeoff but not both', () => {
    const draft = draftOf({ ...stored, tradeoff: 'cost', allow: ['a/*'], maxPrice: 3 });
    expect(settingsOf({ ...draft, allow: [], maxPrice: null })).toEqual({
      weights: null,
      tradeoff: 'cost',
      allow: null,
      exclude: null,
      maxPrice: null,
      maxLatency: null,
    });
    expect(settingsOf({ ...draft, aim: 'weights' })).toMatchObject({
      tradeoff: null,
      weights: newDraft.weights,
    });
  });

  it('is changed where storing it would change something, and not by weights that do not count', () => {
    const draft = draftOf(stored);
    const weights = { quality: 1, cost: 9, latency: 0 };
    const same = [{}, { weights }, { name: ' Thrifty ' }, { name: ' ' }];
    const other = [{ name: 'T' }, { aim: 'cost' }, { aim: 'weights' }, { maxPrice: 1 }] as const;
    expect(same.map((changes) => isChanged({ ...draft, ...changes }, stored))).not.toContain(true);
    expect(other.map((changes) => isChanged({ ...draft, ...changes }, stored))).not.toContain(
      false,
    );
  });

  it('cannot be tried if nothing counts', () => {
    const nothing = {
      ...newDraft,
      aim: 'weights' as const,
      weights: { quality: 0, cost: 0, latency: 0 },
    };
    expect([hasNoWeight(nothing), hasNoWeight({ ...nothing, aim: 'quality' })]).toEqual([
      true,
      false,
    ]);
    expect(sharesOf({ quality: 6, cost: 3, latency: 1 })).toEqual({
      quality: 60,
      cost: 30,
      latency: 10,
    });
  });
});

describe('a file of evaluations', () => {
  const text =
    '\ufeffquestion,gpt-4o,gpt-4o_cost,other,note\r\n"Say ""hi"",\nplease",1,0.002,0.5,fine\r\nNext,0,,1,\r\nCut o';

  it('is previewed without the row that the preview cuts off', () => {
    const { header, rows } = previewOf(text, false);
    expect(header).toEqual(['question', 'gpt-4o', 'gpt-4o_cost', 'other', 'note']);
    expect(rows).toEqual([
      ['Say "hi",\nplease', '1', '0.002', '0.5', 'fine'],
      ['Next', '0', '', '1', ''],
    ]);
    expect(previewOf(text, true).rows).toHaveLength(3);
    expect(previewOf('{"prompt":"Hi"}', true).format).toBe('jsonl');
  });

  it('is mapped by names and cells, with the labels of models that can be called', () => {
    const columns = guessColumns(previewOf(text, false), ['openai/gpt-4o', 'a/other', 'b/other']);
    expect(problemOf(columns)).toBeNull();
    expect(JSON.parse(mappingOf(columns))).toEqual({
      question: 'prompt',
      'gpt-4o': { model: 'openai/gpt-4o', role: 'score' },
      'gpt-4o_cost': { model: 'openai/gpt-4o', role: 'cost' },
      other: { model: 'other', role: 'score' },
      note: 'ignore',
    });
  });

  it('needs one prompt, two models with names, and each figure once', () => {
    const columns = guessColumns(previewOf(text, false), []);
    const changed = (at: number, change: object): typeof columns =>
      columns.map((column, place) => (place === at ? { ...column, ...change } : column));
    expect(problemOf(changed(0, { role: 'ignore' }))).toBe('prompt');
    expect(problemOf(changed(4, { role: 'prompt' }))).toBe('prompts');
    expect(problemOf(changed(3, { model: ' ' }))).toBe('unnamed');
    expect(problemOf(changed(3, { model: 'gpt-4o' }))).toBe('twice');
    expect(problemOf(changed(3, { role: 'ignore' }))).toBe('models');
  });
});

describe('the plot of a training', () => {
  const exactly = (value: number): { value: number; low: number; high: number } => ({
    value,
    low: value * 0.9,
    high: value * 1.1,
  });
  const point = (cost: number, score: number) => ({ cost: exactly(cost), score: exactly(score) });
  const frame = { width: 600, height: 300, left: 50, right: 10, top: 10, bottom: 40 };

  it('keeps the names of models that score alike clear of one another', () => {
    const { cost, score } = layOut(
      {
        source: 'evaluations',
        rows: 60,
        singles: ['a', 'b', 'c'].map((model) => ({ model, ...point(0.001, 0.7) })),
        hull: [],
        trained: [],
        shipped: [point(0.0001, 0.4)],
      },
      frame,
    );
    const mark = { x: cost.at(0.001), y: score.at(0.7), text: 'gpt-4.1' };
    const places = placeNames([mark, mark, mark], frame);
    expect(new Set(places.map(({ anchor, y }) => `${anchor} ${y}`)).size).toBe(3);
  });

  it('places better scores higher and dearer choices further right', () => {
    const { cost, score, trained } = layOut(
      {
        source: 'evaluations',
        rows: 60,
        singles: [
          { model: 'cheap', ...point(0.0001, 0.5) },
          { model: 'dear', ...point(0.01, 0.8) },
        ],
        hull: [
          { cost: 0.0001, score: 0.5 },
          { cost: 0.01, score: 0.8 },
        ],
        trained: [point(0.005, 0.85), point(0.0001, 0.5)],
        shipped: [],
      },
      frame,
    );
    expect(cost.ticks).toContain(0.001);
    // by their ratios, because costs differ much
    const [least = 0, middle = 0, most = 0] = [0.0001, 0.001, 0.01].map(cost.at);
    expect(middle - least).toBeCloseTo(most - middle);
    expect(least).toBeLessThan(most);
    expect(score.at(0.5)).toBeGreaterThan(score.at(0.8));
    expect(cost.at(0.0001 * 0.9)).toBeGreaterThanOrEqual(frame.left);
    expect(cost.at(0.01 * 1.1)).toBeLessThanOrEqual(frame.width - frame.right);
    // from the cheapest on, whatever the order in the report
    expect(trained.startsWith(`M${least.toFixed(1)}`)).toBe(true);
  });

  it('has a few round ticks', () => {
    expect(linearAxis([0.61, 0.83], 0, 100, 5).ticks).toEqual([0.6, 0.65, 0.7, 0.75, 0.8, 0.85]);
    expect(linearAxis([1, 1], 0, 100, 5).ticks.length).toBeGreaterThan(1);
  });
});

describe('scores that were edited', () => {
  it('are sent as changes, with null for what was taken away', () => {
    expect(scoreChanges({ a: 1, b: 0 }, { b: 0.5, c: 1 })).toEqual({ a: null, b: 0.5, c: 1 });
    expect(scoreChanges({ a: 1 }, { a: 1 })).toBeNull();
  });
});
