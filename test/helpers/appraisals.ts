import type { Appraisal, Candidate } from '../../src/routing/plan.js';

/** A candidate named `p/<model>` of which nothing is known but what is given. */
export function appraisalOf(
  model: string,
  known: Partial<Omit<Appraisal, 'candidate'>> = {},
  candidate: Partial<Candidate> = {},
): Appraisal {
  return {
    candidate: { label: `p/${model}`, provider: 'p', model, ...candidate },
    quality: 0.5,
    qualityStated: false,
    price: null,
    rates: {
      input: known.price ?? null,
      output: known.price ?? null,
      cachedInput: known.price ?? null,
    },
    latency: null,
    contextLength: null,
    maxOutput: null,
    tools: null,
    images: null,
    ...known,
  };
}
