import type { Figures } from '../../src/chooser/figures.js';
import type { Appraisal, Candidate } from '../../src/chooser/plan.js';

type Known = Partial<Omit<Appraisal, 'candidate' | 'figures'>> & Partial<Figures>;

/** A candidate named `p/<model>` of which nothing is known but what is given. */
export function appraisalOf(
  model: string,
  {
    knownAs,
    qualityStated = false,
    contextLength = null,
    maxOutput = null,
    tools = null,
    images = null,
    effort = null,
    abilityStated = null,
    rates,
    ...figures
  }: Known = {},
  candidate: Partial<Candidate> = {},
): Appraisal {
  const price = figures.price ?? null;
  return {
    candidate: { label: `p/${model}`, provider: 'p', model, ...candidate },
    figures: { quality: 0.5, price: null, latency: null, ...figures },
    knownAs: knownAs ?? candidate.model ?? model,
    qualityStated,
    pace: null,
    isFamilyKnown: true,
    rates: rates ?? { input: price, output: price, cachedInput: price },
    contextLength,
    maxOutput,
    tools,
    images,
    effort,
    abilityStated,
  };
}
