import { defaults } from '../../../src/config/fill.js';
import type { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import type { Appraisal, RoutingRequest } from '../../../src/chooser/plan.js';
import { createLearnedRanker } from '../../../src/chooser/rankers/learned-ranker.js';
import { foldOf, questionOf, type PublishedEvaluations } from '../fit/published-evaluations.js';
import { paraphrases } from '../paraphrase.js';
import { listPriceOf } from '../prices.js';
import { folds } from './in-distribution.js';

/** How often the first choice stays the same when a prompt is paraphrased. */
export interface Stability {
  /** How many prompts were tried. */
  readonly prompts: number;
  /** Share of same choices by kind of paraphrase, without a preference. */
  readonly byDefault: Readonly<Record<string, number>>;
  /** The same with the tradeoff `cost`. */
  readonly byCost: Readonly<Record<string, number>>;
}

/** A model as a candidate with its list price. */
export function candidateOf(model: string): Appraisal {
  const [input, output] = listPriceOf(model);
  return {
    candidate: { label: model, provider: null, model },
    figures: { quality: 0.5, price: (3 * input + output) / 4, latency: null },
    knownAs: model,
    qualityStated: false,
    pace: null,
    rates: { input, output, cachedInput: input },
    contextLength: null,
    maxOutput: null,
    tools: null,
    images: null,
    effort: null,
    isFamilyKnown: true,
    abilityStated: null,
  };
}

/** The model that is chosen for a text. */
type Choose = (content: string, tools: readonly unknown[]) => Promise<string>;

const maxPrompts = 1500;

/**
 * Measures stability on prompts of one fold.
 * @param predictor fitted without the fold
 */
export async function measureStability(
  evaluations: PublishedEvaluations,
  predictor: QualityPredictor,
  models: readonly string[],
  fold: number,
): Promise<Stability> {
  const ranker = createLearnedRanker({ ...defaults.routing, predictor });
  const candidates = models.map(candidateOf);
  const chooseWith =
    (preference: Partial<RoutingRequest>): Choose =>
    async (content, tools) => {
      const messages = [{ role: 'user', content }];
      const promptTokens = content.length / 4;
      const ranked = ranker.rank({ messages, tools, promptTokens, ...preference }, candidates);
      return ranked[0]!.label;
    };
  const prompts = promptsOfFold(evaluations, fold);
  return {
    prompts: prompts.length,
    byDefault: await sameChoices(prompts, chooseWith({})),
    byCost: await sameChoices(prompts, chooseWith({ tradeoff: 'cost' })),
  };
}

function promptsOfFold({ groups, prompts }: PublishedEvaluations, fold: number): string[] {
  const ofFold = prompts.filter((_, row) => foldOf(groups[row]!, folds) === fold);
  return ofFold.filter((_, at) => at % Math.ceil(ofFold.length / maxPrompts) === 0);
}

/** By kind of paraphrase: the share of the prompts it changes for which the choice stays. */
async function sameChoices(
  prompts: readonly string[],
  choose: Choose,
): Promise<Record<string, number>> {
  const shares: Record<string, number> = {};
  for (const [kind, paraphrase] of Object.entries(paraphrases)) {
    let same = 0;
    let changed = 0;
    for (const prompt of prompts) {
      const { question, tools } = questionOf(prompt);
      const other = paraphrase(question);
      if (other === question) continue;
      changed++;
      if ((await choose(question, tools)) === (await choose(other, tools))) same++;
    }
    if (changed > 0) shares[kind] = same / changed;
  }
  return shares;
}
