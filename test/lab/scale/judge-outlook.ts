import { appraise } from '../../../src/chooser/appraise.js';
import { createCatalog } from '../../../src/models/catalog.js';
import { QualityScale } from '../../../src/chooser/outlook/expected-quality.js';
import type { ModelAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import { type OutlookReader, RequestKinds } from '../../../src/chooser/outlook/read-outlook.js';
import type { Appraisal } from '../../../src/chooser/plan.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { CandidateQualities } from '../../../src/chooser/rankers/candidate-quality.js';
import { SeenRequest } from '../../../src/chooser/rankers/seen-request.js';
import type { ReasoningEffort } from '../../../src/completion.js';
import { errorsAtOneLevel, type TaskLevels } from './one-level.js';
import { requestOf } from './request-of.js';
import type { ScaleRow } from './scale-rows.js';

/** Small models of 2025, and the best ones, of today's pools. */
const small = ['gpt-5-nano', 'gemini-2.5-flash-lite', 'claude-haiku-4-5', 'llama-3.3-70b'];
const best = ['gpt-5.2', 'gemini-3-pro', 'claude-opus-4-5', 'claude-sonnet-4-5'];
/** A small model within this of the best answers as well. */
const asGood = 0.05;
/** With fewer answers a model's share says little. */
const minAnswers = 20;

/** How often small models are predicted to answer as well as the best, by tier of difficulty. */
export type EasyShares = ReadonlyMap<string, { readonly share: number; readonly rows: number }>;

/** The error of the predicted quality by family: the mean over models, with its sign and without. */
export interface LevelError {
  readonly family: string;
  readonly error: number;
  readonly bias: number;
  /** The error at the best common level of all tasks that ask alike, chosen in hindsight. */
  readonly atOneLevel: number;
}

/** Tasks of classification ask for one of two labels or for one of many; others are of their own. */
const groupOf = ({ family, kind, text }: ScaleRow): string =>
  kind !== 'classification' ? family : /Answer 1 /.test(text) ? 'two labels' : 'many labels';

/** Judges a reader of requests on rows that it was not fitted to. */
export class OutlookJudge {
  private readonly qualities: CandidateQualities;
  private readonly kinds: RequestKinds;
  private readonly scale: QualityScale;

  constructor(
    private readonly reader: OutlookReader,
    private readonly abilities: ModelAbilities,
  ) {
    this.scale = new QualityScale(reader.weights, abilities);
    this.qualities = new CandidateQualities(shippedPredictor, this.scale, abilities);
    this.kinds = new RequestKinds(reader.weights);
  }

  easyShares(rows: readonly ScaleRow[]): EasyShares {
    const [weak, strong] = [small, best].map((models) => models.map(appraisalOf));
    const shares = new Map<string, { share: number; rows: number }>();
    for (const { tier, text } of rows) {
      if (tier === null) continue;
      const seen = this.seen(text);
      const qualityOf = (one: Appraisal): number => this.qualities.expect([one], seen)[0]!.quality;
      const top = Math.max(...strong!.map(qualityOf));
      const good = weak!.filter((one) => top - qualityOf(one) <= asGood).length / small.length;
      const known = shares.get(tier) ?? { share: 0, rows: 0 };
      const count = known.rows + 1;
      shares.set(tier, { share: known.share + (good - known.share) / count, rows: count });
    }
    return shares;
  }

  levelErrors(rows: readonly ScaleRow[]): LevelError[] {
    const levels = this.levels(rows);
    const atOneLevel = errorsAtOneLevel(levels);
    return levels.map(({ family, predicted, scored }) => {
      const gaps = predicted.map((one, at) => one - scored[at]!);
      const mean = (values: readonly number[]): number =>
        values.reduce((sum, one) => sum + one, 0) / values.length;
      return {
        family,
        error: mean(gaps.map(Math.abs)),
        bias: mean(gaps),
        atOneLevel: atOneLevel.get(family)!,
      };
    });
  }

  /** By family, of models with enough answers. */
  private levels(rows: readonly ScaleRow[]): TaskLevels[] {
    const families = new Map<string, { group: string; sums: Map<string, Sums> }>();
    for (const row of rows) {
      const known = families.get(row.family) ?? { group: groupOf(row), sums: new Map() };
      families.set(row.family, known);
      this.addAnswers(row, known.sums);
    }
    return [...families].flatMap(([family, { group, sums }]) => {
      const models = [...sums.values()].filter(({ count }) => count >= minAnswers);
      if (models.length === 0) return [];
      const predicted = models.map((one) => one.predicted / one.count),
        scored = models.map((one) => one.scored / one.count);
      return [{ family, group, predicted, scored }];
    });
  }

  private addAnswers({ features, answers }: ScaleRow, sums: Map<string, Sums>): void {
    const outlook = this.reader.read(features);
    for (const { model, effort, score } of answers) {
      const ability = this.abilities.measured(model);
      if (!ability) continue;
      const level = effort === '' ? null : (effort as ReasoningEffort);
      const known = sums.get(model) ?? { predicted: 0, scored: 0, count: 0 };
      known.predicted += this.scale.expect(outlook, ability, level).quality;
      known.scored += score;
      known.count++;
      sums.set(model, known);
    }
  }

  private seen(text: string): SeenRequest {
    return new SeenRequest(requestOf(text), {
      predictor: shippedPredictor,
      outlook: this.reader,
      kinds: this.kinds,
    });
  }
}

interface Sums {
  predicted: number;
  scored: number;
  count: number;
}

const catalog = createCatalog({ priceIds: {} });
const appraisalOf = (model: string): Appraisal =>
  appraise(
    { label: model, provider: null, model },
    { promptTokens: 100 },
    { catalog, latencies: { p50Ms: () => null } },
  );
