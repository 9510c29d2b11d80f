import { QualityScale } from '../../../src/chooser/outlook/expected-quality.js';
import type { ModelAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import type { OutlookReader } from '../../../src/chooser/outlook/read-outlook.js';
import { requestKindOf, requestKinds } from '../scale/label-rows.js';
import type { ScaleRow } from '../scale/scale-rows.js';

/** Predicted qualities of models, the mean over texts. */
export class MeanQuality {
  private readonly scale: QualityScale;

  constructor(
    private readonly reader: OutlookReader,
    private readonly abilities: ModelAbilities,
  ) {
    this.scale = new QualityScale(reader.weights, abilities);
  }

  /** @param models that the abilities know */
  of(models: readonly string[], rows: readonly ScaleRow[]): Float64Array {
    const outlooks = rows.map(({ features }) => this.reader.read(features));
    return Float64Array.from(models, (model) => {
      const ability = this.abilities.measured(model)!;
      return outlooks.reduce(
        (sum, one) => sum + this.scale.expect(one, ability, null).quality / outlooks.length,
        0,
      );
    });
  }
}

/** So many rows, evenly from the first to the last. */
export function spread(rows: readonly ScaleRow[], count: number): ScaleRow[] {
  const step = Math.max(1, Math.floor(rows.length / count));
  return rows.filter((_, at) => at % step === 0).slice(0, count);
}

/** Texts in English, or whose language is not told. */
export const isEnglish = ({ language }: ScaleRow): boolean =>
  language === null || language === 'en';

/** Whether abilities for a text are those for a kind of task. */
export const isOfKind = (row: ScaleRow, kind: string): boolean =>
  requestKinds[requestKindOf(row) ?? ''] === kind;
