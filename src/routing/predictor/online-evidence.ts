import { type Evidence, priors } from './online-state.js';

/** The kind that stands for all kinds without evidence of their own. */
export const otherKinds = -1;

/**
 * The largest weight of a model, so that newer ratings still count: what about two hundred ratings
 * tell.
 */
const maxWeight = 50;
const maxMean = 6;
const maxKinds = 24;

/** The prior variance of one model's ratings on one kind of task around the prediction. */
const maxVariance = Object.values(priors).reduce((sum, variance) => sum + variance, 0);

type ByKind = ReadonlyMap<number, Evidence>;

/** Evidence with more evidence added to it. */
export function added(held: Evidence | undefined, weight: number, sum: number): Evidence {
  const whole = (held?.weight ?? 0) + weight,
    most = maxMean * (whole + 1 / maxVariance);
  return { weight: whole, sum: Math.max(-most, Math.min(most, (held?.sum ?? 0) + sum)) };
}

const scaled = (evidence: ByKind, by: number): ByKind =>
  by === 1
    ? evidence
    : new Map(
        [...evidence].map(([kind, { weight, sum }]) => [
          kind,
          { weight: weight * by, sum: sum * by },
        ]),
      );

/** Evidence that has lost weight with time. @param left the share that is left, 0..1 */
export const faded = (evidence: ByKind, left: number): ByKind => scaled(evidence, left);

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

/** Evidence within the limits on kinds and weight. */
export function bounded(evidence: ByKind): ByKind {
  const kinds = [...evidence.keys()].filter((kind) => kind !== otherKinds);
  const best = new Set(
    kinds.length <= maxKinds
      ? kinds
      : kinds.sort((a, b) => evidence.get(b)!.weight - evidence.get(a)!.weight).slice(0, maxKinds),
  );
  const whole = [...evidence.values()].reduce((sum, { weight }) => sum + weight, 0);
  return scaled(
    best.size === kinds.length ? evidence : folded(evidence, (kind) => best.has(kind)),
    Math.min(1, maxWeight / whole),
  );
}
