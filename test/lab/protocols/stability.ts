import { defaults } from '../../../src/config/fill.js';
import type { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import type { Appraisal, RoutingRequest } from '../../../src/routing/plan.js';
import { createLearnedRanker } from '../../../src/routing/rankers/learned-ranker.js';
import { foldOf, questionOf, type PublishedEvaluations } from '../fit/published-evaluations.js';
import { paraphrases } from '../paraphrase.js';
import { listPriceOf } from '../prices.js';
import { folds } from './in-distribution.js';

/** How often the first choice stays the same when a prompt is said otherwise. */
export interface Stability {
  /** Prompts that some paraphrase changed. */
  readonly prompts: number;
  /** By kind of paraphrase, as the ranker is set without any wish, and with the tradeoff `cost`. */
  readonly usual: Readonly<Record<string, number>>;
  readonly byCost: Readonly<Record<string, number>>;
}

/** A candidate with its list price. */
export function candidateOf(model: string): Appraisal {
  const [input, output] = listPriceOf(model);
  return {
    candidate: { label: model, provider: null, model },
    quality: 0.5,
    qualityStated: false,
    price: (3 * input + output) / 4,
    rates: { input, output, cachedInput: input },
    latency: null,
    contextLength: null,
    maxOutput: null,
    tools: null,
    images: null,
  };
}

const mostPrompts = 1500;

/** @param router fitted without the fold whose prompts are said otherwise */
export async function measureStability(
  evaluations: PublishedEvaluations,
  router: QualityPredictor,
  models: readonly string[],
  fold: number,
): Promise<Stability> {
  const ranker = createLearnedRanker({ predictor: router, ...defaults.routing });
  const candidates = models.map(candidateOf);
  const rows = [...evaluations.groups.keys()].filter(
    (row) => foldOf(evaluations.groups[row]!, folds) === fold,
  );
  const picked = rows.filter((_, at) => at % Math.ceil(rows.length / mostPrompts) === 0);
  const choiceFor = async (
    content: string,
    tools: readonly unknown[],
    wish: Partial<RoutingRequest>,
  ): Promise<string> =>
    (
      await ranker.rank(
        { messages: [{ role: 'user', content }], tools, promptTokens: content.length / 4, ...wish },
        candidates,
      )
    )[0]!.label;
  const shares = async (wish: Partial<RoutingRequest>): Promise<Record<string, number>> => {
    const told: Record<string, number> = {};
    for (const [kind, paraphrase] of Object.entries(paraphrases)) {
      let same = 0,
        whole = 0;
      for (const row of picked) {
        const { question, tools } = questionOf(evaluations.prompts[row]!),
          other = paraphrase(question);
        if (other === question) continue;
        whole++;
        if ((await choiceFor(question, tools, wish)) === (await choiceFor(other, tools, wish)))
          same++;
      }
      if (whole > 0) told[kind] = same / whole;
    }
    return told;
  };
  return {
    prompts: picked.length,
    usual: await shares({}),
    byCost: await shares({ tradeoff: 'cost' }),
  };
}
