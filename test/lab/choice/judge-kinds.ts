import { QualityScale } from '../../../src/routing/outlook/expected-quality.js';
import { ModelAbilities } from '../../../src/routing/outlook/model-abilities.js';
import type { OutlookReader } from '../../../src/routing/outlook/read-outlook.js';
import { abilityTable, fitWithFamilies } from '../abilities/ability-table.js';
import type { PublishedResults } from '../abilities/published-results.js';
import { requestKindOf, requestKinds } from '../scale/label-rows.js';
import type { ScaleRow } from '../scale/scale-rows.js';
import { correlation, rankCorrelation, ranksOf } from './judge-order.js';

/** Columns of one source and one kind of task that the abilities are fitted without. */
export interface HeldKind {
  readonly source: string;
  readonly kind: string;
}

/** How well the order of models on prompts of a kind agrees with tables that were held out. */
export interface KindOrder extends HeldKind {
  readonly models: number;
  /** Spearman's correlation with the table, by what is predicted for the kind and for all kinds. */
  readonly byKind: number;
  readonly overall: number;
  /** The correlation of what is particular to the kind: kind less overall, in both. */
  readonly particular: number;
}

const minModels = 25;
const textsOfKind = 12;

/** The mean over the columns of one source that `wanted` names, by model, each column by its ranks. */
function meanRanks(
  { columns, results }: PublishedResults,
  source: string,
  wanted: (kind: string | null, name: string) => boolean,
): ReadonlyMap<string, number> {
  const byColumn = new Map<number, Map<string, number>>();
  for (const { column, model, effort, value } of results) {
    const { source: from, kind, language, name } = columns[column]!;
    if (from !== source || language !== null || effort !== '' || !wanted(kind, name)) continue;
    const known = byColumn.get(column) ?? new Map<string, number>();
    byColumn.set(column, known.set(model, value));
  }
  const sums = new Map<string, { sum: number; count: number }>();
  for (const values of byColumn.values()) {
    const models = [...values.keys()];
    ranksOf([...values.values()]).forEach((rank, at) => {
      const known = sums.get(models[at]!) ?? { sum: 0, count: 0 };
      sums.set(models[at]!, { sum: known.sum + rank / models.length, count: known.count + 1 });
    });
  }
  return new Map([...sums].map(([model, { sum, count }]) => [model, sum / count]));
}

/** Predicted qualities of models, the mean over texts. */
class MeanQuality {
  private readonly scale: QualityScale;

  constructor(
    private readonly reader: OutlookReader,
    private readonly abilities: ModelAbilities,
  ) {
    this.scale = new QualityScale(reader.weights, abilities);
  }

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

const spread = (rows: readonly ScaleRow[], count: number): ScaleRow[] => {
  const step = Math.max(1, Math.floor(rows.length / count));
  return rows.filter((_, at) => at % step === 0).slice(0, count);
};

/**
 * Judges the order of models by kind of task: abilities are fitted without a source's tables of the
 * kind, and compared with those. Null: too few models are in them. Takes half a minute.
 */
export function judgeKind(
  published: PublishedResults,
  reader: OutlookReader,
  rows: readonly ScaleRow[],
  { source, kind }: HeldKind,
): KindOrder | null {
  const isHeld = (column: number): boolean =>
    published.columns[column]!.source === source && published.columns[column]!.kind === kind;
  const left = published.results.filter(({ column }) => !isHeld(column));
  const { fitted, families } = fitWithFamilies({ ...published, results: left });
  const abilities = new ModelAbilities(abilityTable(fitted, families, '', ''));
  const ofKind = meanRanks(published, source, (one) => one === kind);
  const ofAll = meanRanks(published, source, () => true);
  const models = [...ofKind.keys()].filter((model) => abilities.measured(model) !== null);
  if (models.length < minModels) return null;
  const quality = new MeanQuality(reader, abilities);
  const texts = rows.filter((row) => requestKinds[requestKindOf(row) ?? ''] === kind);
  const particular = quality.of(models, spread(texts, textsOfKind)),
    usual = quality.of(models, spread(rows, 3 * textsOfKind));
  const published1 = models.map((model) => ofKind.get(model)!),
    published2 = models.map((model) => ofAll.get(model)!);
  const less = (one: ArrayLike<number>, other: ArrayLike<number>): Float64Array => {
    const [a, b] = [ranksOf(one), ranksOf(other)];
    return a.map((rank, at) => rank - b[at]!);
  };
  return {
    source,
    kind,
    models: models.length,
    byKind: rankCorrelation(particular, published1),
    overall: rankCorrelation(usual, published1),
    particular: correlation(less(particular, usual), less(published1, published2)),
  };
}
