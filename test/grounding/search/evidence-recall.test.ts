import { atOnce } from '../../../src/async/turns.js';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  packPassages,
  type PackedText,
} from '../../../src/grounding/search/passages/pack-passages.js';
import { estimateTokens } from '../../../src/models/tokens.js';
import { evidenceCorpus, type EvidenceCase } from '../../helpers/evidence-corpus.js';

/** Whole pages in the order of the engine, as long as they fit; the last one is cut. */
function wholePages({ pages }: EvidenceCase, maxTokens: number): string {
  let left = maxTokens;
  let context = '';
  for (const { text } of pages) {
    const tokens = estimateTokens(text);
    context += tokens <= left ? text : text.slice(0, Math.floor((text.length * left) / tokens));
    left -= Math.min(left, tokens);
    if (left <= 0) break;
  }
  return context;
}

const contextOf = (packed: readonly PackedText[]): string =>
  packed.flatMap(({ passages }) => passages).join('\n');

/** The share of evidence sentences that are in the context. */
function recall(cases: readonly EvidenceCase[], context: (one: EvidenceCase) => string): number {
  const found = cases.map((one) => {
    const text = context(one);
    return one.evidence.filter((sentence) => text.includes(sentence)).length / one.evidence.length;
  });
  return found.reduce((sum, share) => sum + share, 0) / found.length;
}

describe('the evidence for a question among twenty pages', () => {
  let cases: EvidenceCase[];
  beforeAll(() => {
    cases = evidenceCorpus(12);
  });

  it.each([
    [4_000, 0.75],
    [16_000, 0.9],
    [64_000, 0.95],
  ])(
    'is in a context of %i tokens for the most part, and more than in whole pages',
    (maxTokens, least) => {
      const packed = recall(cases, ({ question, pages }) =>
        contextOf(atOnce(packPassages(question, pages, { maxTokens }))),
      );
      const plain = recall(cases, (one) => wholePages(one, maxTokens));
      expect(packed).toBeGreaterThanOrEqual(least);
      expect(packed).toBeGreaterThan(plain + (maxTokens < 64_000 ? 0.3 : 0));
    },
  );
});
