import { describe, expect, it } from 'vitest';
import { fitFactors, fitSteps, type LengthGroup } from '../answers/calibrate-lengths.js';
import { carriedOver, type LengthErrors } from '../answers/judge-lengths.js';

const group = (part: Partial<LengthGroup>): LengthGroup => ({
  source: 'one',
  kind: 'fact',
  model: 'gpt-4o',
  count: 10_000,
  level: 0,
  visible: 100,
  estimated: 100,
  steps: null,
  ...part,
});

describe('the correction of a kind of answer', () => {
  it('is drawn to 1, the less the more sources agree', () => {
    const twice = (source: string): LengthGroup => group({ source, visible: 200 });
    const { fact: one } = fitFactors([twice('one')]);
    const { fact: three } = fitFactors(['one', 'two', 'three'].map(twice));
    expect(one).toBeGreaterThan(1.2);
    expect(three).toBeGreaterThan(one!);
    expect(three).toBeLessThan(2);
  });

  it('counts a source by its prompts', () => {
    const few = fitFactors([group({ visible: 400, count: 2 })]).fact!;
    const many = fitFactors([group({ visible: 400 })]).fact!;
    expect(few).toBeLessThan(1.1);
    expect(many).toBeGreaterThan(1.9);
  });

  it('is not moved by one model that writes without end', () => {
    const models = ['a', 'b', 'c', 'd'].map((model) => group({ model }));
    const { fact } = fitFactors([...models, group({ model: 'e', visible: 1e6 })]);
    expect(fact).toBe(1);
  });

  it('leaves labels and answers with unknown visible tokens alone', () => {
    expect(
      fitFactors([group({ kind: 'label', visible: 900 }), group({ kind: 'chat', visible: null })]),
    ).toEqual({});
  });

  it('is dropped if it made the estimates for sources that were kept back worse', () => {
    const errors = (name: string, own: number, fitted: number, sources = 2): LengthErrors => ({
      ...{ name, own, fitted, sources, answers: 1, ownShare: 1, fittedShare: 1 },
    });
    const kinds = [errors('fact', 1, 0.9), errors('chat', 1, 1.1), errors('code', 1, 1, 1)];
    const table = { factors: { fact: 1.5, chat: 0.8, code: 0.7 }, levels: { usual: 0, steps: 1 } };
    const judged = { whole: [], sources: [], models: [], kinds };
    expect(carriedOver(table, judged).factors).toEqual({ fact: 1.5, code: 0.7 });
  });
});

describe('the steps of reasoning for each unit of the level', () => {
  it('are the slope through the usual level, by the median model of each source', () => {
    const at = (source: string, level: number, steps: number): LengthGroup =>
      group({ source, level, steps });
    const groups = [at('one', 0, 2), at('two', 1, 4), group({ source: 'two', level: 1, steps: 4 })];
    expect(fitSteps(groups, -1)).toBe(2);
  });

  it('are none without sources whose models reason', () => {
    expect(fitSteps([group({})], -1)).toBe(0);
  });
});
