import { defaults } from '../../../src/config/fill.js';
import { encodeOutlook } from '../encode-weights.js';
import { ModelAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import { type OutlookWeights } from '../../../src/chooser/outlook/outlook-weights.js';
import { OutlookReader } from '../../../src/chooser/outlook/read-outlook.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../../src/chooser/rankers/learned-ranker.js';
import { abilityOnTests, abilityTable, fitWithFamilies } from '../abilities/ability-table.js';
import { type PublishedResults, readPublishedResults } from '../abilities/published-results.js';
import { joined, readScoredPrompts } from '../abilities/scored-prompts.js';
import { classificationTable, judgeClassification } from '../choice/judge-classification.js';
import { foldOf } from '../fit/published-evaluations.js';
import { noFigure } from '../report/format-figures.js';
import { asText, type Table } from '../report/tables.js';
import { fitOutlook } from '../scale/fit-outlook.js';
import { type LevelError, OutlookJudge } from '../scale/judge-outlook.js';
import { errorsIfKnownElsewhere } from '../scale/known-elsewhere.js';
import { isOwn, readScaleRows, type ScaleRow } from '../scale/scale-rows.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeAtomically } from './write-file.js';

/** Options of `npm run lab -- outlook`. */
export interface FitOutlookOptions {
  /** The file to write; undefined: judges a fit without some rows instead. */
  readonly out: string | undefined;
  /** Folder of published evaluations; undefined: as `evaluationsFolder` finds it. */
  readonly data: string | undefined;
}

/** The month of the newest texts. */
const name = 'outlook 2026-11';
const seed = 1;
/** The spread of levels of families that were held out, on the scale of abilities (2026-11). */
const difficultyError = 0.8;
/** One of so many folds of everyday prompts, and these families, are kept back to judge. */
const folds = 5;
const heldToJudge = [
  'math',
  'textclass:policy_EN',
  'textclass:policy_HU',
  'textclass:technology_EN',
  'textclass:toxicity_ZH',
];
/** Kept back in a fit of their own, for choices of method: what judges must not decide. */
const heldToChoose = [
  'textclass:misinformation_EN',
  'textclass:policy_DA',
  'textclass:policy_ES',
  'textclass:sust_finance_EN',
  'textclass:toxicity_AR',
  'textclass:toxicity_RU',
];
const classification = 'textclass:';

/**
 * Fits what reads kinds, languages and difficulty of requests. Without `out` it keeps some rows back
 * and says how well they are judged; with it, all rows are learned. Takes minutes.
 * @throws Error for people
 */
export async function printOutlook({ out, data }: FitOutlookOptions): Promise<string> {
  const folder = evaluationsFolder('outlook', data);
  const published = joined([readPublishedResults(folder), readScoredPrompts(folder)]);
  const rows = readScaleRows(folder);
  if (out === undefined)
    return asText([
      ...judgedWithout(published, rows, heldToJudge, 'to judge by'),
      ...judgedWithout(published, rows, heldToChoose, 'to choose a method by'),
    ]);
  const bytes = encodeOutlook(fitTo(published, rows).outlook);
  await writeAtomically(out, bytes);
  return `wrote ${out}, ${bytes.length} bytes\n`;
}

interface Fitted {
  readonly outlook: OutlookWeights;
  readonly abilities: ModelAbilities;
}

function fitTo(published: PublishedResults, rows: readonly ScaleRow[]): Fitted {
  const { fitted, families } = fitWithFamilies(published);
  return {
    outlook: fitOutlook(rows, abilityOnTests(fitted), { name, seed, difficultyError }),
    abilities: new ModelAbilities(abilityTable(fitted, families, '', '')),
  };
}

/** Judges a fit without some families, of which abilities know nothing either. */
function judgedWithout(
  { columns, results }: PublishedResults,
  rows: readonly ScaleRow[],
  families: readonly string[],
  what: string,
): Table[] {
  // prompts of our own are left out: texts of one template would be on both sides
  const isHeld = ({ family, tier, task, group }: ScaleRow): boolean =>
    families.includes(family) || (tier !== null && !isOwn(task) && foldOf(group, folds) === 0);
  const { outlook, abilities } = fitTo(
    { columns, results: results.filter(({ column }) => !families.includes(columns[column]!.name)) },
    rows.filter((row) => !isHeld(row)),
  );
  const held = rows.filter(isHeld),
    reader = new OutlookReader(outlook);
  const judge = new OutlookJudge(reader, abilities);
  const ranker = createLearnedRanker({
    predictor: shippedPredictor(),
    outlook: reader,
    abilities,
    ...defaults.routing,
  });
  const texts = held.filter(({ family }) => family.startsWith(classification));
  return [
    tierTable(judge, held, what),
    levelTable(judge, held, errorsIfKnownElsewhere(rows, classification), what),
    classificationTable(`Classification, families kept back ${what}: right labels`, [
      judgeClassification(ranker, texts),
    ]),
  ];
}

function tierTable(judge: OutlookJudge, held: readonly ScaleRow[], what: string): Table {
  return {
    title: `Everyday prompts kept back, with families ${what}`,
    notes: [],
    head: ['tier', 'prompts', 'a small model within .05 of the best'],
    rows: [...judge.easyShares(held)].map(([tier, { share, rows: count }]) => [
      tier,
      `${count}`,
      `${(100 * share).toFixed(0)} %`,
    ]),
  };
}

/** Mean errors over the tasks of classification, which are told from elsewhere. */
function meanOfClassification(
  errors: readonly LevelError[],
  elsewhere: ReadonlyMap<string, number>,
): string[] {
  const tasks = errors.filter(({ family }) => family.startsWith(classification));
  const mean = (of: (one: LevelError) => number): string =>
    (tasks.reduce((sum, one) => sum + of(one), 0) / tasks.length).toFixed(3);
  return [
    'mean of classification',
    mean(({ error }) => error),
    mean(({ bias }) => bias),
    mean(({ atOneLevel }) => atOneLevel),
    mean(({ family }) => elsewhere.get(family) ?? NaN),
  ];
}

function levelTable(
  judge: OutlookJudge,
  held: readonly ScaleRow[],
  elsewhere: ReadonlyMap<string, number>,
  what: string,
): Table {
  const errors = judge.levelErrors(held);
  return {
    title: `The level of families kept back ${what}`,
    notes: [
      'One level: the error if all tasks with two labels, or with many, had the level that fits them best in hindsight.',
      'Known elsewhere: the error if each model did as well as on the same task in other languages, or on all other tasks of classification.',
    ],
    head: ['family', 'error of the predicted quality', 'bias', 'one level', 'known elsewhere'],
    rows: [
      ...errors.map(({ family, error, bias, atOneLevel }) => [
        family,
        error.toFixed(3),
        bias.toFixed(3),
        elsewhere.has(family) ? atOneLevel.toFixed(3) : noFigure,
        elsewhere.get(family)?.toFixed(3) ?? noFigure,
      ]),
      meanOfClassification(errors, elsewhere),
    ],
  };
}
