import { type Evidence, priors } from './online-state.js';

/** The kind under which everything stands that is of no large kind. */
export const elsewhere = -1;

/** Of each model, so that newer ratings count: as much as some two hundred of them tell. */
const maxWeight = 50;
const maxMean = 6;
const maxKinds = 24;

/** How widely one model's rating on one kind of task may lie from its prediction, for all that is known beforehand. */
const maxVariance = Object.values(priors).reduce((sum, variance) => sum + variance, 0);

type ByKind = ReadonlyMap<number, Evidence>;

/** Evidence that says more. */
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

/** What is left of it. @param left 0..1 */
export const faded = (evidence: ByKind, left: number): ByKind => scaled(evidence, left);

/** Evidence on the kinds that are kept; what the others say of the model as a whole stands elsewhere. */
export function folded(evidence: ByKind, isKept: (kind: number) => boolean): ByKind {
  const kept = new Map<number, Evidence>();
  let rest: Evidence | undefined = evidence.get(elsewhere);
  for (const [kind, one] of evidence) {
    if (kind === elsewhere) continue;
    if (isKept(kind)) kept.set(kind, one);
    else rest = added(rest, ...asWhole(one));
  }
  return rest ? kept.set(elsewhere, rest) : kept;
}

/** What is peculiar to a kind makes what is said there less certain elsewhere. */
function asWhole({ weight, sum }: Evidence): [weight: number, sum: number] {
  const less = 1 + weight * (priors.kind + priors.kindStrictness);
  return [weight / less, sum / less];
}

/** Evidence within its bounds: so many kinds, so much weight. */
export function bounded(evidence: ByKind): ByKind {
  const kinds = [...evidence.keys()].filter((kind) => kind !== elsewhere);
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
