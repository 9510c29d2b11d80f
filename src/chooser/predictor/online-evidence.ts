import { type Evidence, priors } from './online-state.js';

/** The kind that stands for all kinds without evidence of their own. */
export const otherKinds = -1;

const maxMean = 6;

/** The prior variance of one model's ratings on one kind of task around the prediction. */
const maxVariance = Object.values(priors).reduce((sum, variance) => sum + variance, 0);

type ByKind = ReadonlyMap<number, Evidence>;

/** Evidence with more evidence added to it. */
export function added(held: Evidence | undefined, weight: number, sum: number): Evidence {
  const whole = (held?.weight ?? 0) + weight,
    most = maxMean * (whole + 1 / maxVariance);
  return { weight: whole, sum: Math.max(-most, Math.min(most, (held?.sum ?? 0) + sum)) };
}

/**
 * Evidence on the kept kinds; what the others say about the model as a whole is added to
 * `otherKinds`.
 */
export function folded(evidence: ByKind, isKept: (kind: number) => boolean): ByKind {
  const kept = new Map<number, Evidence>();
  let rest: Evidence | undefined = evidence.get(otherKinds);
  for (const [kind, one] of evidence) {
    if (kind === otherKinds) continue;
    if (isKept(kind)) kept.set(kind, one);
    else rest = added(rest, ...asWhole(one));
  }
  return rest ? kept.set(otherKinds, rest) : kept;
}

/**
 * Evidence on one kind as evidence on other kinds: less certain, because of the effects that belong
 * to the kind alone.
 */
function asWhole({ weight, sum }: Evidence): [weight: number, sum: number] {
  const less = 1 + weight * (priors.kind + priors.kindStrictness);
  return [weight / less, sum / less];
}
