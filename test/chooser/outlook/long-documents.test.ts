import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/config/fill.js';
import { createCatalog } from '../../../src/models/catalog.js';
import { makePlan } from '../../../src/chooser/make-plan.js';
import {
  longDocument,
  type Outlook,
  RequestKinds,
  withLength,
} from '../../../src/chooser/outlook/read-outlook.js';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../../src/chooser/rankers/learned-ranker.js';

const outlook: Outlook = {
  difficulty: -1,
  ceiling: 0.98,
  everyday: 0.9,
  kinds: [
    { name: 'facts', share: 0.6 },
    { name: 'summary', share: 0.3 },
  ],
  languages: [],
};
const shareOf = (tokens: number): number =>
  withLength(outlook, tokens).kinds.find(({ name }) => name === longDocument.name)?.share ?? 0;

const ranker = createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing });
const kindsOf = (content: string): readonly string[] =>
  makePlan({
    id: 'fixed',
    request: { messages: [{ role: 'user', content }] },
    candidates: ['gpt-5.2', 'gpt-5-nano'].map((model) => ({ label: model, provider: null, model })),
    ranker,
    catalog: createCatalog({ priceIds: {} }),
    latencies: { p50Ms: () => null },
    limits: {
      retriesPerCandidate: 0,
      firstEventTimeoutMs: 1,
      idleTimeoutMs: 1,
      totalTimeoutMs: 1,
    },
    blame: { field: 'models', code: 'bad_request' },
  }).kinds?.names ?? [];

describe('a long request', () => {
  it('is a long document by the more, the longer it is, and other kinds by the rest', () => {
    expect(withLength(outlook, 2_000)).toBe(outlook);
    expect(shareOf(4_000)).toBeCloseTo(0.15);
    expect(shareOf(16_000)).toBeCloseTo(0.45);
    expect(shareOf(1_000_000)).toBe(0.6);
    const { kinds } = withLength(outlook, 16_000);
    expect(kinds.map(({ name }) => name)).toEqual(['long document', 'facts', 'summary']);
    expect(kinds[1]!.share / kinds[2]!.share).toBeCloseTo(2);
  });

  it('is explained as one, and a short one is not', () => {
    const sentence = 'The harbour was rebuilt after the storm and has been deepened twice since. ';
    const question = 'When was the harbour rebuilt?';
    expect(kindsOf(`${sentence.repeat(1_000)}\n${question}`)[0]).toBe('long document');
    expect(kindsOf(`${sentence.repeat(3)}\n${question}`)).not.toContain('long document');
  });

  it('leaves the stored numbers of other kinds as they are', () => {
    const { weights } = shippedOutlook();
    const numbers = new RequestKinds(weights).of(withLength(outlook, 16_000)).shares;
    const facts = weights.kinds.findIndex(({ name }) => name === 'facts');
    expect(numbers.map(([number]) => number)).toEqual(
      expect.arrayContaining([facts, weights.kinds.length]),
    );
  });
});
