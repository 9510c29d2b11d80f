import type { FigureName } from '../figures.js';
import type { MethodFigures, Verdict } from '../judge.js';
import { strongAndWeak } from '../model-pools.js';
import { hindsightZero, knownZero } from '../protocols/trial.js';
import {
  costPerThousand,
  differenceWithInterval,
  formatCount,
  formatScore,
  scoreWithInterval,
  shareWithInterval,
} from './format-figures.js';
import type { Table } from './tables.js';

/** Methods in the order of the rows. */
const methodOrder = [
  'router',
  'random forest',
  'logistic heads',
  'nearest neighbours',
  'length only',
  knownZero,
  hindsightZero,
  'best single',
  'random',
  'oracle',
];

type Column = readonly [
  title: string,
  figure: FigureName,
  format: (figure: MethodFigures[FigureName]) => string,
];

const qualityColumns: readonly Column[] = [
  ['accuracy', 'accuracy', scoreWithInterval],
  ['over the best single', 'gain', differenceWithInterval],
  ['AIQ', 'aiq', scoreWithInterval],
  ['AIQ over zero router, hindsight', 'overZero', differenceWithInterval],
  ['AIQ over zero router, known', 'overKnownZero', differenceWithInterval],
];
const costColumns: readonly Column[] = [
  ['cost to equal the best single', 'costOfBest', shareWithInterval],
  ['cost to reach 95 % of it', 'costOf95', shareWithInterval],
  ['calibration error', 'calibration', scoreWithInterval],
];
const pairColumns: readonly Column[] = [
  ['APGR', 'apgr', scoreWithInterval],
  ['CPT 50 %', 'cpt50', shareWithInterval],
  ['CPT 80 %', 'cpt80', shareWithInterval],
  ['APGR, later', 'apgrLater', scoreWithInterval],
  ['CPT 50 %, later', 'cpt50Later', shareWithInterval],
  ['CPT 80 %, later', 'cpt80Later', shareWithInterval],
];

/** The methods and columns that have figures; null if none has. */
function methodTable(
  title: string,
  note: string,
  methods: Verdict['methods'],
  columns: readonly Column[],
): Table | null {
  const listed = methodOrder.filter((name) =>
    columns.some(([, figure]) => methods[name]?.[figure]),
  );
  const used = columns.filter(([, figure]) => listed.some((name) => methods[name]![figure]));
  if (listed.length === 0) return null;
  return {
    title,
    notes: [note],
    head: ['', ...used.map(([heading]) => heading)],
    rows: listed.map((name) => [
      name,
      ...used.map(([, figure, format]) => format(methods[name]![figure])),
    ]),
  };
}

const qualityNote =
  'With 95 % intervals of a bootstrap over groups of equal prompts. Accuracy is at any price; AIQ is the mean height of the cost-quality hull between the cheapest and the most expensive model. ' +
  'The zero router mixes single models along their hull: "known" by what the other folds say, "hindsight" by the very prompts that are judged. The best single model of the comparison is that of hindsight.';
const costNote =
  'Costs in percent of the best single model\'s cost; "never": at no price. Calibration error: 15 bins over all prompts and models.';
const [[strong, weak], [laterStrong, laterWeak]] = strongAndWeak as [
  (typeof strongAndWeak)[number],
  (typeof strongAndWeak)[number],
];
const pairNote = `Choosing between ${strong} and ${weak}, and (later) between ${laterStrong} and ${laterWeak}. APGR: the share of the gap between them that is recovered, over all shares of calls to the stronger. CPT: the share of calls to the stronger that recovers half and four fifths of it.`;

/** The tables of one pool on prompts that no fit saw. */
export function poolTables({ name, rows, singles, methods }: Verdict): Table[] {
  const models: Table = {
    title: `${name}: the models one by one`,
    notes: [],
    head: ['model', 'accuracy', 'USD for 1,000 requests'],
    rows: [...singles]
      .sort((a, b) => b.score - a.score)
      .map(({ model, score, cost }) => [model, formatScore(score), costPerThousand(cost)]),
  };
  const title = `${name}, in distribution`;
  const size = `(${formatCount(rows)} prompts, ${singles.length} models)`;
  return [
    methodTable(`${title}: quality ${size}`, qualityNote, methods, qualityColumns),
    methodTable(`${title}: cost and calibration`, costNote, methods, costColumns),
    methodTable(`${title}: two models`, pairNote, methods, pairColumns),
    models,
  ].filter((table) => table !== null);
}
