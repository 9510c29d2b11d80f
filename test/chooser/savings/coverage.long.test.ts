import { beforeAll, describe, expect, it } from 'vitest';
import type { RatedQuality } from '../../../src/store/contracts/choices.js';
import type { Estimate } from '../../../src/chooser/savings/compare.js';
import type { Pairs } from '../../../src/chooser/savings/pairs.js';
import { makeReceipt } from '../../../src/chooser/savings/make-receipt.js';
import type { Receipt } from '../../../src/chooser/savings/summary.js';
import { playChoices, type World, type WorldShape } from '../../helpers/choosing-world.js';
import { isWholeRun } from '../../helpers/runs.js';

const worlds: readonly (readonly [name: string, shape: WorldShape])[] = [
  [
    'in which some choices are tries, and some answers rated',
    { isMeasured: true, sharedError: 1, explored: 0.15, rated: 0.5 },
  ],
  [
    'in which a tenth of the requests is answered twice, and half of these pairs are rated',
    {
      isMeasured: true,
      sharedError: 1,
      choices: 1_000,
      shadowed: 0.1,
      ratedPairs: 0.5,
      rated: 0.02,
    },
  ],
  [
    'in which single requests are misjudged, and a tenth is answered and rated twice',
    { isMeasured: true, sharedError: 0.3, choices: 500, shadowed: 0.1, ratedPairs: 1 },
  ],
  [
    'in which pairs of answers are not rated',
    { isMeasured: true, sharedError: 0.5, shadowed: 0.1, choices: 500 },
  ],
  ['in which models are misjudged as a whole', { isMeasured: true, sharedError: 1 }],
  ['in which single requests are misjudged', { isMeasured: true, sharedError: 0 }],
  [
    'in which what is predicted scatters around the truth',
    { isMeasured: true, sharedError: 0.5, isTruthFirst: true },
  ],
  ['in which the gateway sees no answers', { isMeasured: false, sharedError: 0.5 }],
  ['of few requests', { isMeasured: true, sharedError: 0.5, choices: 12 }],
];
/** Nine times a hundred worlds take thirty seconds. */
const worldsOfRun = isWholeRun ? worlds : worlds.slice(0, 2);
const seeds = Array.from({ length: 100 }, (_, seed) => seed + 1);

interface Played {
  readonly world: World;
  readonly receipt: Receipt;
}

const holds = (figure: Estimate | null | undefined, truth: number): boolean =>
  figure !== null &&
  figure !== undefined &&
  truth >= figure.low - 1e-9 &&
  truth <= figure.high + 1e-9;

describe.each(worldsOfRun)('over 100 worlds %s, the 95 %% interval', (_name, shape) => {
  let played: Played[];
  beforeAll(async () => {
    played = [];
    for (const seed of seeds) {
      const world = playChoices(seed, shape);
      const receipt = await makeReceipt(world.sums, world, null);
      played.push({ world, receipt });
    }
  });
  const covered = (isCovered: (one: Played) => boolean): number => played.filter(isCovered).length;

  it('of what the choices cost holds the truth at least 90 times', () => {
    expect(
      covered(({ world, receipt }) => holds(receipt.spentUsd, world.spentUsd)),
    ).toBeGreaterThanOrEqual(90);
  });

  it.each(['up/large', 'up/middle', 'up/thinking', 'up/small'])(
    'of what always calling %s costs and saves holds the truth at least 90 times',
    (model) => {
      const of = ({ receipt }: Played) => receipt.candidates.find((one) => one.model === model);
      const always = covered((one) =>
        holds(of(one)?.alwaysUsd, one.world.alwaysUsd.get(model) ?? NaN),
      );
      const saved = covered((one) =>
        holds(of(one)?.savedUsd, (one.world.alwaysUsd.get(model) ?? NaN) - one.world.spentUsd),
      );
      expect(Math.min(always, saved)).toBeGreaterThanOrEqual(90);
    },
  );

  it('of the quality given up holds the truth at least 90 times, against the best as predicted and the best in truth', () => {
    const named = covered(({ world, receipt }) =>
      holds(receipt.best?.qualityGivenUp, world.gain.get(receipt.best?.model ?? '') ?? NaN),
    );
    const best = covered(({ world, receipt }) =>
      holds(receipt.best?.qualityGivenUp, Math.max(...world.gain.values())),
    );
    expect(Math.min(named, best)).toBeGreaterThanOrEqual(90);
  });
});

describe('over 100 worlds, pairs of answers', () => {
  const shape = { isMeasured: true, sharedError: 1, choices: 1_000, shadowed: 0.1, ratedPairs: 1 };
  const none = { sums: [], rated: [] };
  /** The ratings that there would be if no request had been answered twice. */
  const first = ({ rated }: Pairs): RatedQuality[] =>
    rated.flatMap(({ singles, chosen }) => singles.filter(({ model }) => model === chosen));
  const width = ({ low, high }: Estimate): number => high - low;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length;
  const given = (receipt: Receipt): number => width(receipt.best!.qualityGivenUp);
  const saved = (receipt: Receipt): number => width(receipt.best!.savedUsd!);

  it('narrow the intervals: rated ones that of the quality given up, and all that of what choosing saved', async () => {
    const widths = [];
    for (const seed of seeds.slice(0, isWholeRun ? 100 : 20)) {
      const { sums, ratings, pairs } = playChoices(seed, shape);
      const without = await makeReceipt(sums, { ratings: first(pairs), pairs: none }, null);
      const unrated = { ratings, pairs: { ...pairs, rated: [] } };
      const lengths = await makeReceipt(sums, unrated, null);
      const all = await makeReceipt(sums, { ratings, pairs }, null);
      widths.push({
        given: given(all) / given(without),
        saved: saved(lengths) / saved(without),
      });
      expect(all.pairs).toBe(pairs.sums.reduce((sum, one) => sum + one.pairs, 0));
      expect(all.ratedPairs).toBe(all.pairs);
    }
    expect(mean(widths.map((one) => one.given))).toBeLessThan(0.8);
    expect(mean(widths.map((one) => one.saved))).toBeLessThan(0.5);
  });
});
