import type { Candidate, RankedCandidate, Ranker } from '../../../src/chooser/plan.js';
import type { ScaleRow } from '../scale/scale-rows.js';
import { choose, type Tradeoff } from './chooser.js';
import { smallModels } from './current-pools.js';

/** What `cost` chooses beside the default, over prompts with a tier of difficulty. */
export interface Savings {
  /** The mean over prompts of the share of the cost that is saved. */
  readonly saved: number;
  /** The share of the bill as a whole. */
  readonly savedOfBill: number;
  /** By tier: the share of prompts that a small model answers. */
  readonly small: ReadonlyMap<string, { readonly byDefault: number; readonly byCost: number }>;
  /** Bits of the choice. */
  readonly entropy: { readonly byDefault: number; readonly byCost: number };
}

/** Entropy of counted things, in bits. */
function entropyOf(counts: Iterable<number>): number {
  const values = [...counts].filter((one) => one > 0);
  const whole = values.reduce((sum, one) => sum + one, 0);
  return values.reduce((bits, one) => bits - (one / whole) * Math.log2(one / whole), 0);
}

class Tally {
  private readonly models = new Map<string, number>();
  private readonly tiers = new Map<string, { small: number; all: number }>();
  cost = 0;

  add(tier: string, { model, why }: RankedCandidate): void {
    this.models.set(model, (this.models.get(model) ?? 0) + 1);
    const counts = this.tiers.get(tier) ?? { small: 0, all: 0 };
    if (smallModels.has(model)) counts.small++;
    counts.all++;
    this.tiers.set(tier, counts);
    this.cost += why.cost ?? 0;
  }

  get entropy(): number {
    return entropyOf(this.models.values());
  }

  smallShare(tier: string): number {
    const { small, all } = this.tiers.get(tier)!;
    return small / all;
  }

  get names(): string[] {
    return [...this.tiers.keys()];
  }
}

/** Judges `cost` against the default on one pool. */
export function judgeMoney(
  ranker: Ranker,
  pool: readonly Candidate[],
  rows: readonly ScaleRow[],
): Savings {
  const usual = new Tally(),
    cheap = new Tally();
  let saved = 0,
    count = 0;
  for (const { text, tier } of rows) {
    if (tier === null) continue;
    const [first, saving] = ([null, 'cost'] as const).map(
      (tradeoff: Tradeoff) => choose(ranker, pool, text, tradeoff)[0]!,
    );
    usual.add(tier, first!);
    cheap.add(tier, saving!);
    saved += 1 - saving!.why.cost! / first!.why.cost!;
    count++;
  }
  return {
    saved: saved / count,
    savedOfBill: 1 - cheap.cost / usual.cost,
    small: new Map(
      usual.names.map((tier) => [
        tier,
        { byDefault: usual.smallShare(tier), byCost: cheap.smallShare(tier) },
      ]),
    ),
    entropy: { byDefault: usual.entropy, byCost: cheap.entropy },
  };
}
