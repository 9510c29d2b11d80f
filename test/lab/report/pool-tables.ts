import type { FigureName } from '../figures.js';
import type { Figures, Verdict } from '../judge.js';
import { strongAndWeak } from '../pools.js';
import { hindsightZero, knownZero } from '../protocols/trial.js';
import type { Table } from './tables.js';
import { asDifference, asScore, asShare, perThousand, score, whole } from './written.js';

/** Ways to choose in the order in which they are told. */
const order = [
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

const columns: readonly (readonly [
  title: string,
  figure: FigureName,
  write: (figure: Figures[FigureName]) => string,
])[] = [
  ['accuracy', 'accuracy', asScore],
  ['over the best single', 'gain', asDifference],
  ['AIQ', 'aiq', asScore],
  ['AIQ over zero router, hindsight', 'overZero', asDifference],
  ['AIQ over zero router, known', 'overKnownZero', asDifference],
];
const costColumns: typeof columns = [
  ['cost to equal the best single', 'costOfBest', asShare],
  ['cost to reach 95 % of it', 'costOf95', asShare],
  ['calibration error', 'calibration', asScore],
];
const pairColumns: typeof columns = [
  ['APGR', 'apgr', asScore],
  ['CPT 50 %', 'cpt50', asShare],
  ['CPT 80 %', 'cpt80', asShare],
  ['APGR, later', 'apgrLater', asScore],
  ['CPT 50 %, later', 'cpt50Later', asShare],
  ['CPT 80 %, later', 'cpt80Later', asShare],
];

function tableOf(
  title: string,
  notes: readonly string[],
  ways: Verdict['ways'],
  taken: typeof columns,
): Table | null {
  const told = order.filter((way) => taken.some(([, figure]) => ways[way]?.[figure]));
  const used = taken.filter(([, figure]) => told.some((way) => ways[way]![figure]));
  if (told.length === 0) return null;
  return {
    title,
    notes,
    head: ['', ...used.map(([name]) => name)],
    rows: told.map((way) => [way, ...used.map(([, figure, write]) => write(ways[way]![figure]))]),
  };
}

const qualityNote =
  'With 95 % intervals of a bootstrap over groups of equal prompts. Accuracy is at any price; AIQ is the mean height of the cost-quality hull between the cheapest and the dearest model. ' +
  'The zero router mixes single models along their hull: "known" by what the other folds tell, "hindsight" by the very prompts that are judged. The best single model of the comparison is that of hindsight.';
const costNote =
  'Cost in hundredths of the best single model\'s cost; "never": at no price. Calibration error: 15 bins over all prompts and models.';
const pairNote = `Choosing between ${strongAndWeak[0]![0]} and ${strongAndWeak[0]![1]}, and (later) between ${strongAndWeak[1]![0]} and ${strongAndWeak[1]![1]}: share of the gap between them that is recovered, over all shares of calls to the stronger; and the share of calls that recovers half and four fifths of it.`;

/** The tables of one pool on prompts that no fit saw. */
export function poolTables({ name, rows, singles, ways }: Verdict): Table[] {
  const models: Table = {
    title: `${name}: the models one by one`,
    notes: [],
    head: ['model', 'accuracy', 'USD for 1,000 requests'],
    rows: [...singles]
      .sort((a, b) => b.score - a.score)
      .map(({ model, score: mean, cost }) => [model, score(mean), perThousand(cost)]),
  };
  return [
    tableOf(
      `${name}, in distribution: quality (${whole(rows)} prompts, ${singles.length} models)`,
      [qualityNote],
      ways,
      columns,
    ),
    tableOf(`${name}, in distribution: cost and calibration`, [costNote], ways, costColumns),
    tableOf(`${name}, in distribution: two models`, [pairNote], ways, pairColumns),
    models,
  ].filter((table) => table !== null);
}
