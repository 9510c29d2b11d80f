import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CandidateExplanation } from '../../src/chooser/explain-plan.js';
import {
  packCandidates,
  type ExplainedCandidate,
  unpackCandidates,
} from '../../src/store/packed-candidates.js';

const told = {
  label: 'openai/gpt-4o',
  provider: 'openai',
  model: 'gpt-4o',
  quality: 0.78,
  price: 4.375,
  latency: null,
  score: 0.78,
  uncertainty: 0.05,
  cost: 0.00012,
  output_tokens: 80,
  reason: 'best predicted quality, 0.78',
  interval: [0.61, 0.88],
  basis: 'measured',
  task_kinds: ['code', 'explanation'],
  answer_time: 4.2,
};
const read = (text: string): unknown => unpackCandidates(JSON.parse(text));
const figure = fc.option(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  { nil: null },
);
const anyCandidate: fc.Arbitrary<ExplainedCandidate> = fc.record(
  {
    label: fc.string(),
    provider: fc.option(fc.string(), { nil: null }),
    model: fc.string(),
    effort: fc.constantFrom('low', 'high'),
    quality: figure,
    price: figure,
    latency: figure,
    score: figure,
    uncertainty: fc.double({ min: 0, max: 1 }),
    cost: figure,
    output_tokens: fc.nat(),
    reason: fc.string(),
    interval: fc.tuple(fc.double({ min: 0, max: 1 }), fc.double({ min: 0, max: 1 })),
    basis: fc.constantFrom('measured', 'guess'),
    task_kinds: fc.array(fc.string()),
    answer_time: fc.nat(),
    excluded: fc.string(),
    explored: fc.constant(true),
    learned: fc.array(fc.string()),
    quality_before: fc.double({ min: 0, max: 1 }),
  },
  { requiredKeys: ['label', 'provider', 'model'] },
);

describe('stored candidates', () => {
  it('are read as they were written, with the fields that only some have, and without the fields that they lack', () => {
    const all = [
      told,
      {
        ...told,
        label: 'a name of its own',
        learned: ['feedback of 12 answers'],
        quality_before: 0.7,
        explored: true as const,
      },
      {
        label: '/unknown',
        provider: null,
        model: 'unknown',
        quality: null,
        price: null,
        latency: null,
        score: null,
        excluded: 'no such provider is configured',
      },
    ];
    expect(read(packCandidates(all))).toEqual(all);
    expect(read(packCandidates([]))).toEqual([]);
  });

  it('keep every field that an explanation can have', () => {
    const full: Required<CandidateExplanation> = {
      ...told,
      basis: 'measured',
      answer_time_basis: 'expected',
      effort: 'high',
      excluded: 'too long',
      explored: true,
      learned: ['feedback of 12 answers'],
      own_uncertainty: 0.004,
      quality_before: 0.7,
    };
    expect(read(packCandidates([full, { ...full, label: 'another' }]))).toEqual([
      full,
      { ...full, label: 'another' },
    ]);
  });

  it('keep what is told of the whole request with the first one', () => {
    const more = { gate: 0.4, kinds: { router: 'r', shares: [[3, 0.5]] } };
    expect(read(packCandidates([told, told], more))).toEqual([{ ...told, ...more }, told]);
  });

  it('have their figures as whole numbers, which are written faster', () => {
    const all = [told, { ...told, quality: 0.123456789, cost: 0.000000001, interval: [0.1, 0.9] }];
    const text = packCandidates(all);
    expect(JSON.parse(text)).toMatchObject({
      names: ['quality/1000000000', 'cost/1000000000', 'low/1000', 'high/1000'],
      columns: [
        [780_000_000, 123_456_789],
        [120_000, 1],
        [610, 100],
        [880, 900],
      ],
    });
    expect(read(text)).toEqual(all);
  });

  it('are read as they were written, whatever their values', () => {
    fc.assert(
      fc.property(fc.array(anyCandidate), (all) => {
        expect(read(packCandidates(all))).toEqual(JSON.parse(JSON.stringify(all)));
      }),
    );
  });

  it('take less than a third of the space of their objects, because what all have is stored once', () => {
    const all = Array.from({ length: 16 }, (_, place) => {
      const model = `gpt-${place}`;
      return { ...told, label: `openai/${model}`, model, quality: 1 / place, score: 1 / place };
    });
    const text = packCandidates(all);
    expect(text.length).toBeLessThan(JSON.stringify(all).length / 3);
    expect(text.match(/explanation/g)).toHaveLength(1);
  });

  it('are read by the names that are stored with them, even if the columns have changed since', () => {
    expect(
      unpackCandidates([
        ['model', 'provider', 'weight'],
        ['m', 'p', 5],
        ['n', null, false, { excluded: 'why' }],
      ]),
    ).toEqual([
      { label: 'p/m', provider: 'p', model: 'm', weight: 5 },
      { label: '/n', provider: null, model: 'n', excluded: 'why' },
    ]);
    expect(
      unpackCandidates([
        ['model', { provider: 'p', weight: 5 }],
        ['m'],
        ['n', false, { excluded: 'why' }],
      ]),
    ).toEqual([
      { label: 'p/m', provider: 'p', model: 'm', weight: 5 },
      { label: 'p/n', provider: 'p', model: 'n', weight: 5, excluded: 'why' },
    ]);
  });

  it.each([
    ['objects, as they once were', [told, { ...told, model: 'b' }]],
    ['none', []],
    ['nothing', null],
    ['something else', { a: 1 }],
  ])('that were stored as %s are given as they are', (_what, stored) => {
    expect(unpackCandidates(stored)).toEqual(stored);
  });
});
