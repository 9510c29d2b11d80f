import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Features, featuresOf } from '../../../src/chooser/predictor/features/features.js';
import { gramsOfPrototype } from '../../../src/chooser/predictor/predictor-file.js';
import { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { decodePredictor } from '../../../src/chooser/predictor/predictor-file.js';
import { encodePredictor } from '../encode-weights.js';
import type { Evaluations } from '../fit/evaluations.js';
import { fitGroups, fitTelling, oneFamily, prototypesOf, sharesAt } from '../fit/fit-prototypes.js';
import { fitPredictor } from '../fit/fit-predictor.js';
import { fitTables } from '../fit/fit-tables.js';
import { fitTrustedPrototypes } from '../fit/trust-prototypes.js';
import { seeded } from '../../../src/chooser/training/custom/bootstrap.js';

const subjects = [
  'the tides of the northern harbour',
  'the wings of a gliding beetle',
  'an oven for glazed stoneware',
  'the strings of a bowed psaltery',
  'a hinge that carries an oak gate',
  'the roots of a mountain larch',
];
const verbs = 'explain describe outline sketch compare judge'.split(' ');
const known = [0.6, 0.6];
const textOf = (subject: string, verb: string): Features =>
  featuresOf({
    messages: [
      {
        role: 'user',
        content: `Please ${verb} how one would look after ${subject} over a whole year`,
      },
    ],
  });

/**
 * One kind of task, in which a model does well on every other subject and the other model on the
 * rest; or by chance alone.
 */
function evaluationsOf(rows: number, isTelling: boolean): Evaluations {
  const random = seeded(7);
  const drawn = Array.from({ length: rows }, () => ({
    subject: Math.floor(random() * subjects.length),
    verb: verbs[Math.floor(random() * verbs.length)]!,
    lot: random(),
  }));
  return {
    features: drawn.map(({ subject, verb }) => textOf(subjects[subject]!, verb)),
    inputTokens: new Float32Array(rows).fill(20),
    tasks: new Int32Array(rows),
    taskNames: ['made:up'],
    families: ['made'],
    groups: drawn.map((_, row) => `row ${row}`),
    models: ['even', 'odd'],
    scores: Float32Array.from(
      drawn.flatMap(({ subject, lot }) => {
        const isOdd = isTelling ? subject % 2 === 1 : lot < 0.5;
        return [isOdd ? 0 : 1, isOdd ? 1 : 0];
      }),
    ),
    outputTokens: new Float32Array(rows * 2).fill(50),
  };
}

const rowsOf = ({ features }: Evaluations): Int32Array => Int32Array.from(features.keys());
const telling = evaluationsOf(400, true),
  chance = evaluationsOf(2_000, false);

describe('groups of similar prompts', () => {
  const tells = fitTelling(telling, rowsOf(telling)),
    tables = fitTables(telling, rowsOf(telling), known);
  const groups = fitGroups(telling, rowsOf(telling), tells, 1);
  const prototypes = prototypesOf(
    groups,
    tells,
    sharesAt(telling, rowsOf(telling), tables, groups, tells),
  );
  const beyond = (features: Features, model: number): number =>
    prototypes.beyondTask(prototypes.nearTo(features, oneFamily), model, 2);

  it('know which model does better on a prompt like theirs', () => {
    subjects.forEach((subject, at) => {
      const asked = featuresOf({
        messages: [{ role: 'user', content: `What does a beginner need to know of ${subject}?` }],
      });
      expect(beyond(asked, at % 2)).toBeGreaterThan(0.2);
      expect(beyond(asked, 1 - (at % 2))).toBeLessThan(-0.2);
    });
  });

  it('are the same for the same rows and seed', () => {
    expect(fitGroups(telling, rowsOf(telling), tells, 1)).toEqual(groups);
    expect(fitGroups(telling, rowsOf(telling), tells, 2)).not.toEqual(groups);
  });

  it('have at least three prompts, so that none describes a single prompt', () => {
    const lone = {
      ...telling,
      features: [
        ...telling.features.slice(0, 60),
        textOf('a quite unheard-of zeppelin quagmire', 'juggle'),
      ],
    };
    const found = fitGroups(lone, Int32Array.from(lone.features.keys()), tells, 1);
    const near = prototypesOf(found, tells).nearTo(lone.features[60]!, oneFamily);
    expect(near.likeness).toBeLessThan(0.9);
    expect(found.prototypeBuckets.length % gramsOfPrototype).toBe(0);
  });

  it('have amounts that sum to less than 1, nearest first, and none without a shared n-gram', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(...subjects)), (content) => {
        const { places, amounts, likeness } = prototypes.nearTo(
          featuresOf({ messages: [{ role: 'user', content }] }),
          oneFamily,
        );
        expect(amounts.length).toBe(places.length);
        expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeLessThan(1);
        expect([...amounts].sort((a, b) => b - a)).toEqual([...amounts]);
        expect(likeness).toBeLessThanOrEqual(1.02);
        if (places.length === 0) expect(likeness).toBe(0);
      }),
    );
    expect(
      prototypes.nearTo(featuresOf({ messages: [{ role: 'user', content: '' }] }), oneFamily)
        .places,
    ).toHaveLength(0);
  });

  it('of a family other than the text’s do not count', () => {
    expect(prototypes.nearTo(telling.features[0]!, Float64Array.of(0)).places).toHaveLength(0);
  });
});

describe('the trust in prototypes', () => {
  const fitted = (evaluations: Evaluations): { readonly trust: number; readonly kept: number } => {
    const rows = rowsOf(evaluations),
      tables = fitTables(evaluations, rows, known);
    const split = {
      learned: rows.filter((row) => row % 4 !== 0),
      keptBack: rows.filter((row) => row % 4 === 0),
    };
    const { prototypeTrust, prototypeFamilies } = fitTrustedPrototypes(
      evaluations,
      split,
      tables,
      () => Float64Array.of(0.5, 0.5),
      1,
    );
    return { trust: prototypeTrust[0]!, kept: prototypeFamilies.length };
  };

  it('is high if they hold on unseen prompts', () => {
    const { trust, kept } = fitted(telling);
    expect(trust).toBeGreaterThan(0.7);
    expect(kept).toBeGreaterThan(subjects.length);
  });

  it('is 0 if they do not hold, and then none are kept', () => {
    expect(fitted(chance)).toEqual({ trust: 0, kept: 0 });
  });
});

describe('a predictor with prototypes', () => {
  let predictor: QualityPredictor;
  beforeAll(() => {
    predictor = new QualityPredictor(
      decodePredictor(
        encodePredictor(
          fitPredictor(telling, rowsOf(telling), { seed: 1, name: 'telling', known }),
        ),
      ),
    );
  });

  it('prefers the model that does well on prompts like this one', () => {
    subjects.forEach((subject, at) => {
      const reading = predictor.read(textOf(subject, 'consider'));
      expect(predictor.expect(reading, at % 2).quality).toBeGreaterThan(
        predictor.expect(reading, 1 - (at % 2)).quality + 0.2,
      );
    });
  });

  it('refuses a file whose prototypes are inconsistent', () => {
    expect(predictor.weights.prototypeBuckets.length).toBeGreaterThan(0);
    const { weights } = predictor;
    for (const broken of [
      { prototypeShares: weights.prototypeShares.subarray(1) },
      { prototypeFamilies: new Uint8Array() },
      { telling: new Int8Array(3) },
      { prototypeBuckets: weights.prototypeBuckets.map(() => 65_535) },
      { prototypeTrust: weights.prototypeTrust.map(() => NaN) },
    ])
      expect(() => decodePredictor(encodePredictor({ ...weights, ...broken }))).toThrow(/weights/);
  });
});
