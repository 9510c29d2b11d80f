import type { Candidate, Ranker } from '../../../src/chooser/plan.js';
import { questionOf } from '../fit/published-evaluations.js';
import { paraphrases } from '../paraphrase.js';
import type { ScaleRow } from '../scale/scale-rows.js';
import { choose, type Tradeoff } from './chooser.js';

/** The share of paraphrased prompts for which the same model is chosen, by kind of paraphrase. */
export function judgeStability(
  ranker: Ranker,
  pool: readonly Candidate[],
  rows: readonly ScaleRow[],
  tradeoff: Tradeoff,
): ReadonlyMap<string, number> {
  const chosen = (text: string): string => choose(ranker, pool, text, tradeoff)[0]!.label;
  return new Map(
    Object.entries(paraphrases).flatMap(([kind, paraphrase]): [string, number][] => {
      let same = 0,
        changed = 0;
      for (const { text } of rows) {
        const { question } = questionOf(text);
        const other = paraphrase(question);
        if (other === question) continue;
        changed++;
        if (chosen(question) === chosen(other)) same++;
      }
      return changed === 0 ? [] : [[kind, same / changed]];
    }),
  );
}
