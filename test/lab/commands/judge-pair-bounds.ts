import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import type { Estimate } from '../../../src/chooser/training/custom/bootstrap.js';
import { readPublishedResults } from '../abilities/published-results.js';
import { joined, readScoredPrompts } from '../abilities/scored-prompts.js';
import { fitPredictor } from '../fit/fit-predictor.js';
import { familiesToHoldOut, publicAbilities } from '../fit/fit-shipped.js';
import {
  type PublishedEvaluations,
  readPublishedEvaluations,
} from '../fit/published-evaluations.js';
import { poolsOfFamily } from '../named-pools.js';
import {
  bestForAll,
  bestInHindsight,
  bestOnOthers,
  type Chosen,
  countFlips,
  type FamilySignals,
} from '../pairs/best-signals.js';
import { abilitiesWithout, familyOf } from '../pairs/fit-without.js';
import { type PairCurve, pairCurve } from '../pairs/pair-curve.js';
import { judgeSignals } from '../pairs/signal-areas.js';
import { fittedSignals, type GapFamily, gapFamily, readSignals } from '../pairs/signals.js';
import { sampleOf } from '../pools.js';
import { trainOnRows } from '../protocols/train-on-rows.js';
import { formatCount, formatScore, scoreWithInterval } from '../report/format-figures.js';
import { asText, type Table } from '../report/tables.js';
import { readScaleRows } from '../scale/scale-rows.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { maxTested, pairGoal } from './judge-pairs.js';

const draw = { draws: 200, seed: 1 };
const curve = { sizes: [50, 100, 200], repeats: 3, seed: 1 };
/** What tells kinds of text apart; enough for a training to begin with. */
const placeEpochs = 3;

/**
 * Judges what texts tell at all about a strong and a weak model: each signal on each family, and
 * what labelled prompts of a family add.
 * @throws Error for people
 */
export function printPairBounds({ data }: { readonly data: string | undefined }): string {
  const folder = evaluationsFolder('pairs', data);
  const evaluations = readPublishedEvaluations(folder);
  const rows = readScaleRows(folder);
  const results = joined([readPublishedResults(folder), readScoredPrompts(folder)]);
  const families = familiesToHoldOut(evaluations).flatMap((name) => {
    process.stderr.write(`abilities without ${name}\n`);
    const { abilities } = abilitiesWithout(results, familyOf({ evaluations, rows }, name).tasks);
    const pools = poolsOfFamily(evaluations, name).map((pool) => sampleOf(pool, maxTested));
    const family = gapFamily(name, pools, abilities);
    return family === null ? [] : [family];
  });
  const signals = families.map((family): FamilySignals => {
    process.stderr.write(`signals of ${family.name}\n`);
    const all = [...readSignals(family, shippedOutlook()), ...fittedSignals(family, families)];
    return { family: family.name, results: judgeSignals(family, all, draw) };
  });
  const curves = families.map((family) => {
    process.stderr.write(`training on ${family.name}\n`);
    const predictor = predictorWithout(evaluations, family);
    return [family.name, pairCurve(family, predictor, trainOnRows, curve)] as const;
  });
  return asText([boundsTable(signals), curveTable(curves)]);
}

/** A predictor that saw no prompt of the family, nor a copy, without what refines it. */
function predictorWithout(
  evaluations: PublishedEvaluations,
  { name }: GapFamily,
): QualityPredictor {
  const { groups } = familyOf({ evaluations, rows: [] }, name);
  const left = Int32Array.from(evaluations.groups.keys()).filter(
    (row) => !groups.has(evaluations.groups[row]!),
  );
  return new QualityPredictor(
    fitPredictor(evaluations, left, {
      seed: 1,
      name: 'for an evaluation',
      known: publicAbilities(evaluations.models),
      isPlaceOnly: true,
      epochs: placeEpochs,
    }),
  );
}

const named = ({ name, isReversed }: Pick<Chosen, 'name' | 'isReversed'>): string =>
  `${isReversed ? 'less' : 'more'} ${name}`;
const over = (estimate: Estimate): string => scoreWithInterval(estimate);

/** What the best signals achieve: one line for each family. */
export function boundsTable(all: readonly FamilySignals[]): Table {
  const { telling, flipping } = countFlips(all);
  const forAll = bestForAll(all, pairGoal);
  const signalCount = all[0]!.results.length;
  const resultOf = ({ results }: FamilySignals, name: string) =>
    results.find((one) => one.name === name)!;
  return {
    title: 'What a text tells of pairs: APGR over the length of the prompt',
    notes: [
      `${signalCount} signals with either sign: each feature of the text, what the shipped reader says of difficulty, kinds and languages (it knows the families), and two lines that were fitted to the other families. The goal until November 2026 was ${pairGoal} over the length.`,
      `${telling} signals tell something in some family, by more than 3.5 standard deviations, and ${flipping} of these the contrary in another. One signal for all families reaches the goal in ${forAll.reached} of ${all.length}, chosen in hindsight: ${named(forAll)}.`,
    ],
    head: [
      ...['family', 'length', 'a coin', 'fitted to others', 'best on others', ''],
      ...['best in hindsight', '', 'difficulty'],
    ],
    rows: all.map((one) => {
      const length = one.results[0]!.apgr;
      const [others, hindsight] = [bestOnOthers(one, all), bestInHindsight(one)];
      return [
        one.family,
        formatScore(length.value),
        formatScore(0.5 - length.value),
        over(resultOf(one, 'gap, fitted to others').overLength),
        named(others),
        over(others.overLength),
        named(hindsight),
        over(hindsight.overLength),
        scoreWithInterval(resultOf(one, 'difficulty').apgr),
      ];
    }),
  };
}

/** What labelled prompts of the family add: one line for each family, and their mean. */
export function curveTable(curves: readonly (readonly [string, PairCurve])[]): Table {
  const sizes = curves[0]![1].points.map(({ rows }) => rows);
  const apgrAt = ({ points }: PairCurve, size: number): number =>
    points.find(({ rows }) => rows === size)?.apgr ?? NaN;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    title: 'What labelled prompts of the family add: APGR',
    notes: [
      `Trained as \`signalbox train\` does, which takes ${curve.sizes[0]} prompts at least, on a predictor without the family; the largest pool of each family, judged on the half that no label is from. Means of ${curve.repeats} draws.`,
    ],
    head: ['family', 'prompts', 'length', ...sizes.map((size) => `${size} labelled`)],
    rows: [
      ...curves.map(([family, one]) => [
        family,
        formatCount(one.prompts),
        formatScore(one.length),
        ...sizes.map((size) => formatScore(apgrAt(one, size))),
      ]),
      [
        'mean',
        '',
        formatScore(mean(curves.map(([, { length }]) => length))),
        ...sizes.map((size) => formatScore(mean(curves.map(([, one]) => apgrAt(one, size))))),
      ],
    ],
  };
}
