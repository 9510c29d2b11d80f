import { FileProblem } from './evaluation-file.js';

/** How scores were scaled to 0..1. */
export interface Scale {
  /** The scores that became 0 and 1. */
  readonly worst: number;
  readonly best: number;
}

/**
 * Scales scores to 0..1 in place, higher being better; scores that are already in that range stay.
 * @param maximize false: lower scores were better
 * @throws FileProblem if all scores are equal
 */
export function scaleScores(scores: Float32Array, maximize: boolean): Scale {
  let least = Infinity,
    most = -Infinity;
  for (const score of scores) {
    if (score < least) least = score;
    if (score > most) most = score;
  }
  if (least === most)
    throw new FileProblem('all scores are the same: there is nothing to learn from them');
  const isShare = least >= 0 && most <= 1;
  const [low, high] = isShare ? [0, 1] : [least, most];
  const scale: Scale = maximize ? { worst: low, best: high } : { worst: high, best: low };
  for (let at = 0; at < scores.length; at++)
    scores[at] = (scores[at]! - scale.worst) / (scale.best - scale.worst);
  return scale;
}
