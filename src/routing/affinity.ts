import type { Candidate, Continued, RankedCandidate } from './plan.js';

/** The share of a cost or a time that is no reason to leave a model: another would have to read the whole conversation first. */
const smallSaving = 0.2;

/** Whether a candidate is the one that answered last. */
export const isContinued = ({ provider, model }: Candidate, continued: Continued): boolean =>
  model === continued.model && provider === continued.provider;

/** Whether the one with the lower figure saves little against the one that would stay. What nobody knows saves nothing against what nobody knows. */
export function savesLittle(staying: number | null, lower: number | null): boolean {
  if (staying === null || lower === null) return staying === lower;
  return lower >= staying * (1 - smallSaving);
}

/**
 * Puts the model of a continued conversation first, where it is not and what is lost by it is small: providers ask much less for what they
 * have read before. Nothing changes where it is no candidate any more, or stands below the first `depth`.
 * @param ranked best first; its entry that stays gets the score of the first
 * @param lossOf why it may stay, as the end of a sentence; null: too much would be lost
 */
export function stayedWith(
  ranked: RankedCandidate[],
  continued: Continued | null | undefined,
  depth: number,
  lossOf: (staying: RankedCandidate, best: RankedCandidate) => string | null,
): RankedCandidate[] {
  const [best] = ranked;
  if (!continued || !best) return ranked;
  const at = ranked.findIndex((candidate) => isContinued(candidate, continued));
  const staying = ranked[at];
  if (!staying || at === 0 || at >= depth) return ranked;
  const loss = lossOf(staying, best);
  if (loss === null) return ranked;
  staying.score = best.score;
  staying.why.reason = `stays with the model of this conversation, ${loss}`;
  return [staying, ...ranked.slice(0, at), ...ranked.slice(at + 1)];
}
