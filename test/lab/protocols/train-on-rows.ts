import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { createTuning } from '../../../src/chooser/predictor/custom-tuning.js';
import { logOdds, sigmoid } from '../../../src/models/numbers.js';
import { trainCustom } from '../../../src/chooser/training/custom/train-custom.js';
import { plainTerms } from '../../helpers/training-terms.js';
import type { FitOnRows } from './learning-curve.js';
import { RequestKinds } from '../../../src/chooser/outlook/read-outlook.js';

/**
 * Trains as a user does: rows go through the product's trainer as JSONL, and the resulting tuning
 * corrects the predictor.
 */
export const trainOnRows: FitOnRows = ({ models, prompts, scores }, predictor, seed) => {
  const lines = prompts.map((prompt, row) => {
    const own = models.map((model, at) => [model, scores[row * models.length + at]!]);
    return JSON.stringify({ prompt, ...Object.fromEntries(own) });
  });
  const { weights } = trainCustom(
    lines.join('\n'),
    { promptColumn: 'prompt', models: null, format: 'jsonl', maximize: true, seed },
    { predictor, terms: plainTerms },
    () => undefined,
  );
  const tuning = createTuning(weights, predictor);
  const candidates = models.map((model) => ({
    candidate: { label: model, provider: null, model },
    place: predictor.weights.models.indexOf(model),
  }));
  const requestKinds = new RequestKinds(shippedOutlook().weights);
  return (features) => {
    const reading = predictor.read(features);
    const kinds = requestKinds.of(shippedOutlook().read(features));
    const seen = { features, reading, kinds };
    return candidates.map(({ candidate, place }) => {
      const expected = predictor.expect(seen.reading, place);
      const { odds = 0 } = tuning?.adjust(candidate, seen, expected) ?? {};
      return sigmoid(logOdds(expected.quality) + odds);
    });
  };
};
