import { defaults } from '../../../src/config/fill.js';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { shippedPredictor } from '../../../src/chooser/predictor/shipped-predictor.js';
import { createLearnedRanker } from '../../../src/chooser/rankers/learned-ranker.js';
import { readPublishedResults } from '../abilities/published-results.js';
import { joined, readScoredPrompts } from '../abilities/scored-prompts.js';
import { currentPools } from '../choice/current-pools.js';
import { type HeldKind, judgeKind, type KindOrder } from '../choice/judge-kinds.js';
import { judgePairs } from '../choice/judge-order.js';
import { classificationTable, judgeClassification } from '../choice/judge-classification.js';
import { judgeMoney } from '../choice/judge-money.js';
import { judgeStability } from '../choice/judge-stability.js';
import { readTables } from '../choice/published-tables.js';
import { noFigure } from '../report/format-figures.js';
import { asText, type Table } from '../report/tables.js';
import { isOwn, readScaleRows, type ScaleRow } from '../scale/scale-rows.js';
import { evaluationsFolder } from './evaluations-folder.js';

const tiers = ['SIMPLE', 'MEDIUM', 'COMPLEX', 'REASONING'];
/** Tables of all kinds of prompts, by which pairs of models are judged. */
const overall = ['lmarena-2026-05/text_overall/elo', 'arena-catalog/text_overall/elo_sc'];
const heldKinds = (kinds: Readonly<Record<string, readonly string[]>>): readonly HeldKind[] =>
  Object.entries(kinds).flatMap(([source, own]) => own.map((kind) => ({ source, kind })));
const heldToJudge = heldKinds({
  'arena-catalog': ['coding', 'mathematics', 'knowledge', 'writing'],
  livebench: ['coding', 'mathematics', 'reasoning', 'data'],
  euroeval: ['knowledge', 'classification'],
});
/** For choices of method: what judges must not decide. */
const heldToChoose = heldKinds({
  'arena-catalog': ['conversation'],
  livebench: ['agentic', 'summaries'],
  euroeval: ['extraction', 'summaries'],
  'aider-polyglot': ['coding'],
  'lmarena-2026-05': ['coding'],
  mmlu_pro: ['knowledge'],
  bfcl: ['tools'],
  textclass: ['classification'],
  pm: ['data'],
  misguided: ['reasoning'],
});
const farApart = 80;
const pairTexts = 50;
const stabilityTexts = 300;
const classificationStep = 5;

const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)} %`;
const ranker = createLearnedRanker({ predictor: shippedPredictor(), ...defaults.routing });

function moneyTable(rows: readonly ScaleRow[]): Table {
  return {
    title: 'What `cost` saves against the default',
    notes: [
      'Everyday prompts by tier: the share that a small model answers, by default and by `cost`.',
    ],
    head: ['pool', 'saved, mean', 'of the bill', 'bits', 'bits, cost', ...tiers],
    rows: [...currentPools].map(([name, pool]) => {
      const { saved, savedOfBill, small, entropy } = judgeMoney(ranker, pool, rows);
      return [
        name,
        percent(saved),
        percent(savedOfBill),
        entropy.byDefault.toFixed(2),
        entropy.byCost.toFixed(2),
        ...tiers.map((tier) => {
          const { byDefault, byCost } = small.get(tier)!;
          return `${percent(byDefault)}, ${percent(byCost)}`;
        }),
      ];
    }),
  };
}

function pairTable(folder: string, rows: readonly ScaleRow[]): Table {
  const step = Math.ceil(rows.length / pairTexts);
  const texts = rows.filter((_, at) => at % step === 0).map(({ text }) => text);
  const tables = readTables(folder);
  return {
    title: `Pairs of models at least ${farApart} Elo apart that most prompts turn round`,
    notes: [],
    head: ['table', 'pairs', 'wrong', 'most often'],
    rows: overall.map((name) => {
      const { pairs, wrong, worst } = judgePairs(ranker, tables.get(name)!, texts, farApart);
      const named = worst.slice(0, 4).map(([model]) => model);
      return [name, `${pairs}`, percent(wrong / pairs, 2), named.join(', ')];
    }),
  };
}

function stabilityTable(rows: readonly ScaleRow[]): Table {
  const pool = currentPools.get('mixed')!;
  const some = rows.filter((_, at) => at % Math.ceil(rows.length / stabilityTexts) === 0);
  const [usual, cheap] = [null, 'cost' as const].map((tradeoff) =>
    judgeStability(ranker, pool, some, tradeoff),
  );
  return {
    title: 'Everyday prompts for which a paraphrase changes nothing, mixed pool',
    notes: [],
    head: ['paraphrase', 'default', 'cost'],
    rows: [...usual!].map(([kind, share]) => [kind, percent(share), percent(cheap!.get(kind)!)]),
  };
}

function shippedClassification(rows: readonly ScaleRow[]): Table {
  const texts = rows.filter(({ family }) => family.startsWith('textclass'));
  const some = texts.filter((_, at) => at % classificationStep === 0);
  return classificationTable(
    'Classification: right labels among models of 2025',
    [judgeClassification(ranker, some)],
    ['The texts are among those that difficulty was fitted to.'],
  );
}

const cardNote = 'Abilities are fitted without the tables of the kind that they are compared with.';
const cardHead = ['tables', 'models', 'by kind', 'one number for all', 'particular to the kind'];

/** Columns that tell how much could be known; the model card does without them. */
const boundNotes = [
  'Knowing: by a regression that knows the held-out table of all other models, which no prediction does.',
  'Halves: the order, and what is particular, by half of the columns beside the other half.',
];
const boundHead = ['order, knowing', 'particular, knowing', 'order, halves', 'particular, halves'];

function kindLine({ source, kind, models, byKind, overall: all, ...rest }: KindOrder): string[] {
  const { particular, knowing, halves } = rest;
  const figures = [byKind, all, particular, knowing.order, knowing.particular];
  return [
    `${source}, ${kind}`,
    `${models}`,
    ...[...figures, halves?.order, halves?.particular].map((one) => one?.toFixed(3) ?? noFigure),
  ];
}

function kindTable(orders: readonly KindOrder[], what: string, extent: 'card' | 'whole'): Table {
  const mean = (of: (one: KindOrder) => number): string =>
    (orders.reduce((sum, one) => sum + of(one), 0) / orders.length).toFixed(3);
  const means = [
    ...['mean', '', mean(({ byKind }) => byKind), mean(({ overall: all }) => all)],
    ...[mean(({ particular }) => particular), mean(({ knowing }) => knowing.order)],
    ...[mean(({ knowing }) => knowing.particular), noFigure, noFigure],
  ];
  const isCard = extent === 'card';
  const head = isCard ? cardHead : [...cardHead, ...boundHead];
  return {
    title: `The order of models by kind of task, tables kept back ${what}`,
    notes: isCard ? [cardNote] : [cardNote, ...boundNotes],
    head,
    rows: [...orders.map(kindLine), means].map((line) => line.slice(0, head.length)),
  };
}

/**
 * How the shipped choice among models of today does, in tables; `card` for those of the model card.
 * Takes minutes.
 */
export function choiceTables(folder: string, extent: 'card' | 'whole'): Table[] {
  const rows = readScaleRows(folder);
  const everyday = rows.filter(({ tier, task }) => tier !== null && !isOwn(task));
  const published = joined([readPublishedResults(folder), readScoredPrompts(folder)]);
  const outlook = shippedOutlook();
  const kinds = (held: readonly HeldKind[], what: string): Table =>
    kindTable(
      held.flatMap((one) => judgeKind(published, outlook, rows, one) ?? []),
      what,
      extent,
    );
  return [
    moneyTable(everyday),
    stabilityTable(everyday),
    shippedClassification(rows),
    pairTable(folder, rows),
    kinds(heldToJudge, 'to judge by'),
    ...(extent === 'whole' ? [kinds(heldToChoose, 'to choose a method by')] : []),
  ];
}

/**
 * Judges the shipped choice among models of today.
 * @throws Error for people
 */
export const judgeChoice = ({ data }: { readonly data?: string }): string =>
  asText(choiceTables(evaluationsFolder('choice', data), 'whole'));
