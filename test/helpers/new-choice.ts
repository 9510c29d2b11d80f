import type { NewChoice } from '../../src/store/contracts/choices.js';

/** A choice of the small of two models, whose answer cost 0.002 USD; some fields replaced. */
export function newChoice(more: Partial<NewChoice> = {}): NewChoice {
  return {
    preferenceId: null,
    names: ['up/small', 'up/large'],
    // quality, its deviation, USD for the prompt, USD for the answer
    figures: [0.7, 0.05, 0.0005, 0.001, 0.8, 0.05, 0.005, 0.01],
    chosen: 0,
    measured: { costUsd: 0.002, tokens: 300, expectedTokens: 200 },
    ...more,
  };
}
