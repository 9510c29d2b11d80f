import { describe, expect, it } from 'vitest';
import { efforts } from '../../../src/completion.js';
import { effortLevels, readModelTable } from '../../../src/models/model-tables.js';
import { QualityScale } from '../../../src/chooser/outlook/expected-quality.js';
import {
  type ModelAbility,
  shippedAbilities,
} from '../../../src/chooser/outlook/model-abilities.js';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { knownAbility } from '../../../src/models/model-families.js';
import { canonicalName } from '../../../src/models/model-name.js';
import { featuresOf } from '../../../src/chooser/predictor/features/features.js';

const abilities = shippedAbilities();
const reader = shippedOutlook();
const scale = new QualityScale(reader.weights, abilities);
const proof = reader.read(
  featuresOf({
    messages: [{ role: 'user', content: 'Prove that every group of order 15 is cyclic.' }],
  }),
);
const { models } = readModelTable('measured-abilities');
const ofKind = ({ ability, kinds }: ModelAbility, place: number): number =>
  ability + (Number.isNaN(kinds[place]!) ? 0 : kinds[place]!);

describe('the shipped abilities', () => {
  it.each([
    ['o3', 'o1-mini'],
    ['gpt-5', 'o1-mini'],
    ['gpt-5', 'gpt-4o'],
    ['claude-opus-4-1', 'o1-mini'],
    ['gpt-5.2', 'gpt-5-mini'],
    ['gpt-5-mini', 'gpt-5-nano'],
    ['gemini-2.5-pro', 'gemini-2.5-flash-lite'],
  ])('put %s above %s in each kind of task', (better, worse) => {
    const [one, other] = [abilities.measured(better)!, abilities.measured(worse)!];
    const turned = abilities.kindNames.filter((_, at) => ofKind(one, at) < ofKind(other, at));
    expect(turned).toEqual([]);
  });

  it('have a standard error for each kind of task, and are less sure where nothing is known', () => {
    for (const model of Object.keys(models)) {
      const { error, kinds, kindErrors } = abilities.measured(model)!;
      expect(kindErrors).toHaveLength(abilities.kindNames.length);
      for (const [place, by] of kinds.entries()) {
        expect(kindErrors[place], model).toBeGreaterThan(0);
        if (Number.isNaN(by)) expect(kindErrors[place], model).toBeGreaterThan(error);
      }
    }
    const ofMany = abilities.measured('gpt-5')!,
      [coding, tools] = ['coding', 'tools'].map((kind) => abilities.kindNames.indexOf(kind));
    expect(ofMany.kindErrors[coding!]).toBeLessThan(ofMany.kindErrors[tools!]!);
    expect(ofMany.kindErrors[coding!]).toBeGreaterThan(ofMany.error);
  });

  it('of no model fall with more effort', () => {
    const falling = Object.keys(models).filter((model) => {
      const known = abilities.measured(model)!;
      const qualities = efforts.map((effort) => scale.expect(proof, known, effort).quality);
      return qualities.some((quality, at) => at > 0 && quality < qualities[at - 1]!);
    });
    expect(falling).toEqual([]);
  });

  it.each(['o3', 'gpt-5', 'gpt-5.5', 'glm-5', 'claude-opus-4-8'])(
    'of %s rise from no effort to the most',
    (model) => {
      const known = abilities.measured(model)!;
      const [none, most] = (['none', 'max'] as const).map(
        (effort) => scale.expect(proof, known, effort).quality,
      );
      expect(most).toBeGreaterThan(none! + 0.02);
    },
  );

  it('do not put families above what their measured models reached', () => {
    const apart = Object.entries(models).flatMap(([model, { ability }]) => {
      const share = knownAbility(canonicalName(model));
      return share === null || share < 0.85
        ? []
        : [abilities.supposed(share, false, null).ability - ability];
    });
    expect(apart.length).toBeGreaterThan(10);
    expect(apart.reduce((sum, one) => sum + one / apart.length, 0)).toBeLessThan(0.1);
  });
});

describe('an unmeasured model', () => {
  it('that reasons gains by effort as others do, from its usual effort on', () => {
    const known = abilities.supposed(0.8, false, 'medium');
    expect(known.efforts['medium']).toBe(0);
    const steps = effortLevels.map((level) => known.efforts[level]!);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(steps.at(-1)).toBeGreaterThan(0.05);
    expect(steps[0]).toBeLessThan(-0.05);
  });

  it('that does not reason gains nothing', () => {
    const known = abilities.supposed(0.8, false, null);
    expect(scale.expect(proof, known, 'max')).toEqual(scale.expect(proof, known, null));
  });
});
