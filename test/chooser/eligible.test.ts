import { describe, expect, it } from 'vitest';
import { eligible } from '../../src/chooser/eligible.js';
import { appraisalOf } from '../helpers/appraisals.js';

const request = { messages: [] };
const tool = { name: 'look' };
const reasons = (...args: Parameters<typeof eligible>) =>
  eligible(...args).excluded.map(({ known, reason }) => `${known.candidate.model}: ${reason}`);

describe('eligible candidates', () => {
  it('stay in the given order; the others come with their reasons', () => {
    const known = [
      appraisalOf('a'),
      appraisalOf('b', { tools: false, price: 2, latency: 1 }),
      appraisalOf('c'),
    ];
    const parted = eligible({ ...request, tools: [tool] }, { tokens: 10, images: 0 }, known, {});
    expect(parted.eligible.map(({ candidate }) => candidate.model)).toEqual(['a', 'c']);
    expect(parted.excluded).toEqual([
      {
        known: known[1],
        reason: 'it does not call tools, but the request offers 1',
        cause: 'unsuitable',
      },
    ]);
  });

  it('call tools and accept images if the request needs it', () => {
    const known = [appraisalOf('a', { images: false })];
    expect(reasons(request, { tokens: 10, images: 2 }, known, {})).toEqual([
      'a: it does not accept images, but the request has 2',
    ]);
    expect(
      reasons(
        { ...request, tools: [] },
        { tokens: 10, images: 0 },
        [appraisalOf('a', { tools: false, images: false })],
        {},
      ),
    ).toEqual([]);
  });

  it('have a context length for prompt and answer', () => {
    const known = [appraisalOf('a', { contextLength: 8192 })];
    expect(reasons(request, { tokens: 8192, images: 0 }, known, {})).toEqual([]);
    expect(reasons(request, { tokens: 8193, images: 0 }, known, {})).toEqual([
      'a: its context length is 8192 tokens, but the request needs about 8193',
    ]);
    expect(
      reasons({ ...request, maxTokens: 1000 }, { tokens: 7500, images: 0 }, known, {}),
    ).toEqual([
      'a: its context length is 8192 tokens, but the request needs about 7500 and 1000 for the answer',
    ]);
  });

  it('need no more context for the answer than the model can write', () => {
    expect(
      reasons(
        { ...request, maxTokens: 100_000 },
        { tokens: 1000, images: 0 },
        [appraisalOf('a', { contextLength: 8192, maxOutput: 4096 })],
        {},
      ),
    ).toEqual([]);
  });

  it('include those of which nothing is known', () => {
    expect(
      reasons(
        { ...request, tools: [tool], maxTokens: 1e9 },
        { tokens: 1e9, images: 9 },
        [appraisalOf('a')],
        {},
      ),
    ).toEqual([]);
  });

  it('exclude those that the access rules forbid', () => {
    expect(
      reasons(request, { tokens: 1, images: 0 }, [appraisalOf('a'), appraisalOf('b')], {
        keyModels: ['p/b'],
      }),
    ).toEqual(['a: this API key may not use it']);
  });
});
