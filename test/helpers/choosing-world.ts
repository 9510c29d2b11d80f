import type { Pairs } from '../../src/chooser/savings/pairs.js';
import type { ChoiceSums, RatedQuality } from '../../src/store/contracts/choices.js';
import type { PairSums, RatedPairs } from '../../src/store/contracts/shadows.js';
import { choiceRowsOf, fromChoiceColumns } from '../../src/store/sql/choices/choice-rows.js';
import { dayOf } from '../../src/store/sql/usage/usage.js';
import { withChoice } from '../../src/store/sum-choices.js';
import { seeded } from '../../src/chooser/training/custom/bootstrap.js';
import { normal } from '../lab/random.js';

/** How a world differs from what is predicted of it. */
export interface WorldShape {
  /** Whether the gateway sees the answers. */
  readonly isMeasured: boolean;
  /** Share of the error of predicted quality that a model has in all requests; the rest is by chance. */
  readonly sharedError: number;
  /** Whether the predictions scatter around the truth, instead of the truth around them. */
  readonly isTruthFirst?: boolean;
  /** Share of the answers that are rated. */
  readonly rated?: number;
  /** Share of the choices that go to any candidate. */
  readonly explored?: number;
  readonly choices?: number;
  /** Share of the requests that a second model answers too, and of these pairs that are rated. */
  readonly shadowed?: number;
  readonly ratedPairs?: number;
}

/** What happened, and what would have happened: what a receipt must find without seeing it. */
export interface World {
  readonly sums: ChoiceSums[];
  readonly ratings: RatedQuality[];
  readonly pairs: Pairs;
  readonly models: readonly string[];
  readonly spentUsd: number;
  /** By model: what always calling it costs, and its mean quality less that of the choices. */
  readonly alwaysUsd: ReadonlyMap<string, number>;
  readonly gain: ReadonlyMap<string, number>;
}

const models = [
  { name: 'up/large', quality: 0.78, input: 5e-6, output: 25e-6, tokens: 500 },
  { name: 'up/middle', quality: 0.74, input: 1e-6, output: 5e-6, tokens: 420 },
  { name: 'up/thinking', quality: 0.77, input: 1e-6, output: 8e-6, tokens: 1_500 },
  { name: 'up/small', quality: 0.66, input: 2e-7, output: 8e-7, tokens: 350 },
];
const uncertainty = 0.07;
/** How far below the best prediction the cheapest may be. */
const tolerance = 0.05;
const at = Date.UTC(2026, 10, 1);

/** What becomes of one request, by model. */
interface Fate {
  readonly predicted: readonly number[];
  readonly quality: readonly number[];
  /** Expected tokens, and those of the answer it would get. */
  readonly expected: readonly number[];
  readonly tokens: readonly number[];
  readonly promptTokens: number;
}

/** Plays choices with a known truth; the same seed is the same world. */
export function playChoices(seed: number, shape: WorldShape): World {
  const random = seeded(seed);
  const draw = (): number => normal(random);
  const errors = models.map(draw);
  const verbosities = models.map(() => 0.35 * draw());
  const fates = Array.from({ length: shape.choices ?? 250 }, () =>
    fateOf(shape, draw, errors, verbosities),
  );
  const chosen = fates.map((fate) =>
    random() < (shape.explored ?? 0) ? Math.floor(random() * models.length) : choose(fate),
  );
  return worldOf(shape, fates, chosen, random);
}

function fateOf(
  { sharedError, isTruthFirst }: WorldShape,
  draw: () => number,
  errors: readonly number[],
  verbosities: readonly number[],
): Fate {
  const difficulty = 0.1 * draw();
  const length = 0.5 * draw();
  const asked = 0.4 * draw();
  const first = models.map(({ quality }) => kept(quality - difficulty + 0.03 * draw()));
  const second = first.map((quality, place) =>
    kept(
      quality +
        uncertainty *
          (Math.sqrt(sharedError) * errors[place]! + Math.sqrt(1 - sharedError) * draw()),
    ),
  );
  const expected = models.map(({ tokens }) => tokens * Math.exp(length));
  return {
    predicted: isTruthFirst ? second : first,
    quality: isTruthFirst ? first : second,
    expected,
    tokens: expected.map((tokens, place) =>
      Math.max(1, tokens * Math.exp(verbosities[place]! + asked + 0.3 * draw())),
    ),
    promptTokens: 200 * Math.exp(draw()),
  };
}

const kept = (quality: number): number => Math.min(0.97, Math.max(0.03, quality));

const costOf = (fate: Fate, place: number, tokens: readonly number[]): number =>
  fate.promptTokens * models[place]!.input + tokens[place]! * models[place]!.output;

/** The cheapest of those almost as good as the best, as predicted. */
function choose(fate: Fate): number {
  const best = Math.max(...fate.predicted);
  const able = [...models.keys()].filter((place) => fate.predicted[place]! >= best - tolerance);
  const cost = (place: number): number => costOf(fate, place, fate.expected);
  return able.reduce((least, place) => (cost(place) < cost(least) ? place : least));
}

function worldOf(
  shape: WorldShape,
  fates: readonly Fate[],
  chosen: readonly number[],
  random: () => number,
): World {
  const spentUsd = sum(fates.map((fate, index) => costOf(fate, chosen[index]!, fate.tokens)));
  const quality = sum(fates.map((fate, index) => fate.quality[chosen[index]!]!));
  const pairs = pairsOf(shape, fates, chosen, random);
  const inPairs = pairs.rated.flatMap(({ singles }) => singles);
  const by = (value: (place: number) => number): Map<string, number> =>
    new Map(models.map(({ name }, place) => [name, value(place)]));
  return {
    sums: sumsOfWorld(shape, fates, chosen),
    ratings: together([...ratingsOf(shape.rated ?? 0, fates, chosen, random), ...inPairs]),
    pairs,
    models: models.map(({ name }) => name),
    spentUsd,
    alwaysUsd: by((place) => sum(fates.map((fate) => costOf(fate, place, fate.tokens)))),
    gain: by((place) => (sum(fates.map((fate) => fate.quality[place]!)) - quality) / fates.length),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

function sumsOfWorld(
  { isMeasured }: WorldShape,
  fates: readonly Fate[],
  chosen: readonly number[],
): ChoiceSums[] {
  const rows = fates.map((fate, index) => {
    const place = chosen[index]!;
    const scale = isMeasured ? fate.tokens[place]! / fate.expected[place]! : 1;
    const figures = models.flatMap(({ input, output }, one) => [
      fate.predicted[one]!,
      uncertainty,
      fate.promptTokens * input,
      fate.expected[one]! * scale * output,
    ]);
    const measured = {
      costUsd: costOf(fate, place, fate.tokens),
      tokens: fate.tokens[place]!,
      expectedTokens: fate.expected[place]!,
    };
    return {
      accountId: 'account',
      keyId: 'key',
      at,
      choice: {
        preferenceId: null,
        names: models.map(({ name }) => name),
        figures,
        chosen: place,
        measured: isMeasured ? measured : null,
      },
    };
  });
  const sums = rows.map((row) => withChoice(undefined, row, row.choice, dayOf(row.at), 1));
  return choiceRowsOf(sums).map((row) => ({ group: '', ...fromChoiceColumns(row) }));
}

/** Scores of 0 and 1, of some of the answers. */
function ratingsOf(
  share: number,
  fates: readonly Fate[],
  chosen: readonly number[],
  random: () => number,
): RatedQuality[] {
  const differences = new Map<string, number[]>();
  fates.forEach((fate, index) => {
    if (random() >= share) return;
    const place = chosen[index]!;
    const { name } = models[place]!;
    const score = random() < fate.quality[place]! ? 1 : 0;
    differences.set(name, [...(differences.get(name) ?? []), score - fate.predicted[place]!]);
  });
  return [...differences].map(([model, each]) => ({
    model,
    answers: each.length,
    difference: sum(each),
    squares: sum(each.map((one) => one ** 2)),
  }));
}

/** One sum for each model. */
const together = (ratings: readonly RatedQuality[]): RatedQuality[] =>
  models.flatMap(({ name }) => {
    const own = ratings.filter(({ model }) => model === name);
    if (own.length === 0) return [];
    const total = (of: (one: RatedQuality) => number): number => sum(own.map(of));
    return [
      {
        model: name,
        answers: total(({ answers }) => answers),
        difference: total(({ difference }) => difference),
        squares: total(({ squares }) => squares),
      },
    ];
  });

/** The second answer comes from the model that is predicted best among the others. */
function pairsOf(
  { shadowed = 0, ratedPairs = 0 }: WorldShape,
  fates: readonly Fate[],
  chosen: readonly number[],
  random: () => number,
): Pairs {
  const sums: PairSums[] = [];
  const rated: RatedPairs[] = [];
  fates.forEach((fate, index) => {
    if (random() >= shadowed) return;
    const first = chosen[index]!;
    const others = [...models.keys()].filter((place) => place !== first);
    const second = others.reduce((best, place) =>
      fate.predicted[place]! > fate.predicted[best]! ? place : best,
    );
    const names = { chosen: models[first]!.name, shadow: models[second]!.name };
    const logRatio = Math.log(
      fate.tokens[second]! / fate.expected[second]! / (fate.tokens[first]! / fate.expected[first]!),
    );
    const costUsd = costOf(fate, second, fate.tokens);
    sums.push({
      ...names,
      pairs: 1,
      measured: 1,
      logRatio,
      logRatioSquares: logRatio ** 2,
      costUsd,
    });
    if (random() < ratedPairs) rated.push({ ...names, ...ratedPair(fate, first, second, random) });
  });
  return { sums: grouped(sums, addPairs), rated: grouped(rated, addRated) };
}

function ratedPair(
  fate: Fate,
  first: number,
  second: number,
  random: () => number,
): Omit<RatedPairs, 'chosen' | 'shadow'> {
  const singles = [first, second].map((place): RatedQuality => {
    const difference = (random() < fate.quality[place]! ? 1 : 0) - fate.predicted[place]!;
    return { model: models[place]!.name, answers: 1, difference, squares: difference ** 2 };
  });
  const difference = singles[1]!.difference - singles[0]!.difference;
  const squares = difference ** 2;
  return { pairs: 1, difference, squares, uncertainty, chosenUncertainty: uncertainty, singles };
}

const addPairs = (a: PairSums, b: PairSums): PairSums => ({
  ...a,
  pairs: a.pairs + b.pairs,
  measured: a.measured + b.measured,
  logRatio: a.logRatio + b.logRatio,
  logRatioSquares: a.logRatioSquares + b.logRatioSquares,
  costUsd: a.costUsd + b.costUsd,
});

const addRated = (a: RatedPairs, b: RatedPairs): RatedPairs => ({
  ...a,
  pairs: a.pairs + b.pairs,
  difference: a.difference + b.difference,
  squares: a.squares + b.squares,
  uncertainty: a.uncertainty + b.uncertainty,
  chosenUncertainty: a.chosenUncertainty + b.chosenUncertainty,
  singles: together([...a.singles, ...b.singles]).sort((one) => (one.model === a.chosen ? -1 : 1)),
});

function grouped<T extends { chosen: string; shadow: string }>(
  rows: readonly T[],
  add: (a: T, b: T) => T,
): T[] {
  const groups = new Map<string, T>();
  for (const row of rows) {
    const key = `${row.chosen} ${row.shadow}`;
    const before = groups.get(key);
    groups.set(key, before ? add(before, row) : row);
  }
  return [...groups.values()];
}
