import { describe, expect, it } from 'vitest';
import { effortsOf, defaultEffortSteps } from '../abilities/effort-steps.js';
import type { FittedAbility } from '../abilities/fit-abilities.js';
import { rising } from '../abilities/isotonic.js';
import { featuresOf } from '../../../src/chooser/predictor/features/features.js';
import type { ScaleRow } from '../scale/scale-rows.js';
import { writtenOtherwise } from '../scale/written-otherwise.js';

const fitted = (model: string, efforts: Readonly<Record<string, number>>): FittedAbility => ({
  model,
  ability: 1,
  error: 0.1,
  errorOf: () => 0.1,
  beside: Object.fromEntries(
    Object.entries(efforts).map(([level, by]) => [`effort:${level}`, { by, error: 0.1 }]),
  ),
  columns: 10,
});

describe('rising numbers', () => {
  it('pool neighbours that fall, by their weights', () => {
    expect(rising([1, 3, 2, 5], [1, 1, 3, 1])).toEqual([1, 2.25, 2.25, 5]);
    expect(rising([3, 2, 1], [1, 1, 1])).toEqual([2, 2, 2]);
    expect(rising([1, 2, 3], [1, 1, 1])).toEqual([1, 2, 3]);
  });
});

describe('the steps of effort', () => {
  const models = [
    fitted('openai/gpt-5', { none: -0.4, low: -0.1, high: 0.1 }),
    fitted('openai/gpt-5-mini', { none: -0.2, low: 0.1, high: 0.3, xhigh: 0.4 }),
    // without two efforts there is no step, and this one does not reason
    fitted('openai/o3', { high: 0.9 }),
    fitted('openai/gpt-4o', { none: 0, high: -3 }),
  ];
  const steps = defaultEffortSteps(models);

  it('are those between stated efforts of the same models', () => {
    expect(steps.none).toBe(0);
    expect(steps.low).toBeCloseTo(0.3);
    expect(steps.high).toBeCloseTo(0.5);
    expect(steps.xhigh).toBeCloseTo(0.6);
  });

  it('of one model are as measured, drawn to the usual ones, and 0 at its usual effort', () => {
    const own = effortsOf(fitted('openai/gpt-5', { none: -0.8 }), steps)!;
    expect(own.medium).toBe(0);
    expect(own.none).toBeLessThan(-0.4);
    expect(own.none).toBeGreaterThan(-0.8);
  });

  it('never fall, whatever was measured, and a model that does not reason has none', () => {
    const own = Object.values(effortsOf(fitted('openai/gpt-5', { none: 0.9, high: -0.9 }), steps)!);
    expect(own).toEqual([...own].sort((a, b) => a - b));
    expect(effortsOf(fitted('openai/gpt-4o', { high: 1 }), steps)).toBeNull();
  });
});

describe('prompts written otherwise', () => {
  const row = (text: string, family = 'everyday'): ScaleRow => ({
    features: featuresOf({ messages: [{ role: 'user', content: text }] }),
    text,
    family,
    task: 'everyday:factual-qa',
    kind: null,
    language: null,
    tier: 'SIMPLE',
    group: text,
    answers: [],
  });

  it('are in small letters, without closing marks, or both, by turns', () => {
    const text = 'Who wrote Faust, Goethe or Schiller?';
    expect(writtenOtherwise([row(text), row(text), row(text)]).map((one) => one.text)).toEqual([
      'who wrote faust, goethe or schiller?',
      'Who wrote Faust Goethe or Schiller',
      'who wrote faust goethe or schiller',
    ]);
  });

  it('are not code, formulas, benchmarks or our own, nor the same again', () => {
    const texts = ['x = [1, 2]', 'while (i < 3) I++;'].map((text) => row(text));
    const own = { ...row('Who?'), task: 'own:facts' };
    expect(writtenOtherwise([...texts, own, row('Who?', 'mmlu'), row('hello')])).toEqual([]);
  });
});
