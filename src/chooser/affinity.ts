import type { Candidate, Continued, RankedCandidate } from './plan.js';

/**
 * Savings below this share of a cost or time are no reason to leave a model: another model would
 * have to read the whole conversation first.
 */
const smallSaving = 0.2;

/** Whether a candidate is the model that answered last in the conversation. */
export const isContinued = ({ provider, model }: Candidate, continued: Continued): boolean =>
  model === continued.model && provider === continued.provider;

/**
 * Whether switching to the model with the lower figure saves too little to leave the current one.
 * Two unknown figures count as equal; an unknown one is never close to a known one.
 */
export function savesLittle(staying: number | null, lower: number | null): boolean {
  if (staying === null || lower === null) return staying === lower;
  return lower >= staying * (1 - smallSaving);
}

/**
 * Moves the model of a continued conversation to the first place if little is lost by it: providers
 * charge much less for text that they have already read. Changes nothing if that model is not a
 * candidate any more or ranks below the first `depth`.
 * @param ranked best first; the entry that moves gets the score of the first
 * @param lossOf the reason to stay, as the end of a sentence; null if too much would be lost
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
  return [staying, ...ranked.toSpliced(at, 1)];
}
