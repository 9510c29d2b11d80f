import { createTuning } from '../../../src/routing/predictor/custom-tuning.js';
import { logOdds, sigmoid } from '../../../src/routing/numbers.js';
import { trainCustom } from '../../../src/training/custom/train-custom.js';
import type { FitOnRows } from './learning-curve.js';

/** The trainer of a preference's own router, as its user meets it: rows go in as JSONL, and the tuning that they gave is asked. */
export const trainOnRows: FitOnRows = ({ models, prompts, scores }, router, seed) => {
  const text = prompts
    .map((prompt, row) =>
      JSON.stringify({
        prompt,
        ...Object.fromEntries(
          models.map((model, at) => [model, scores[row * models.length + at]!]),
        ),
      }),
    )
    .join('\n');
  const { weights } = trainCustom(
    text,
    { promptColumn: 'prompt', models: null, format: 'jsonl', maximize: true, seed },
    router,
    () => undefined,
  );
  const tuning = createTuning(weights, router);
  const places = models.map((model) => router.placeOf(model));
  return (features) => {
    const seen = { features, reading: router.read(features) };
    return places.map((place, at) => {
      const expected = router.expect(seen.reading, place);
      const { odds = 0 } =
        tuning?.adjust(
          { label: models[at]!, provider: null, model: models[at]! },
          seen,
          expected,
        ) ?? {};
      return sigmoid(logOdds(expected.quality) + odds);
    });
  };
};
