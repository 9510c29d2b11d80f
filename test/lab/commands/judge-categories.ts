import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { readPublishedResults } from '../abilities/published-results.js';
import { joined, readScoredPrompts } from '../abilities/scored-prompts.js';
import {
  type CategoryOrder,
  judgeCategory,
  type KeptCategory,
} from '../choice/judge-categories.js';
import { formatScore, noFigure } from '../report/format-figures.js';
import { asText, type Table } from '../report/tables.js';
import { isOwn, readScaleRows } from '../scale/scale-rows.js';
import { evaluationsFolder } from './evaluations-folder.js';

const arenaKinds: Readonly<Record<string, readonly string[]>> = {
  coding: ['coding', 'industry_software_and_it_services'],
  mathematics: ['math', 'industry_mathematical'],
  knowledge: [
    'industry_business_and_management_and_financial_operations',
    'industry_legal_and_government',
    'industry_life_and_physical_and_social_science',
    'industry_medicine_and_healthcare',
  ],
  writing: ['industry_entertainment_and_sports_and_media'],
  conversation: ['multiturn'],
};
const arenaLanguages = {
  chinese: 'zh',
  japanese: 'ja',
  french: 'fr',
  spanish: 'es',
  russian: 'ru',
};
const livebenchGroups = {
  Coding: 'coding',
  'Agentic Coding': 'agentic',
  'Data Analysis': 'data',
  Mathematics: 'mathematics',
  Reasoning: 'reasoning',
  IF: 'summaries',
};
/** Those with tables of three kinds or more, by groups: Germanic, Romance, Slavic, other. */
const euroevalLanguages = [
  ...['danish', 'dutch', 'swedish', 'french', 'italian', 'spanish', 'polish', 'czech'],
  ...['finnish', 'greek'],
];
const euroevalKinds = ['classification', 'extraction', 'knowledge', 'summaries'];

const bySource: Readonly<Record<string, readonly KeptCategory[]>> = {
  'LMArena, December 2025': [
    ...Object.entries(arenaKinds).flatMap(([kind, categories]) =>
      categories.map((category) => arena(category, { kind })),
    ),
    ...Object.entries(arenaLanguages).map(([name, language]) => arena(name, { language })),
  ],
  LiveBench: Object.entries(livebenchGroups).map(([category, kind]) => ({
    source: 'livebench',
    category,
    judged: [{ texts: { kind } }],
    usual: '',
  })),
  EuroEval: euroevalLanguages.map((category) => ({
    source: 'euroeval',
    category,
    judged: euroevalKinds.map((kind) => ({ columnsOf: kind, texts: { kind } })),
    usual: `${category}/`,
  })),
};

function arena(category: string, texts: KeptCategory['judged'][number]['texts']): KeptCategory {
  const source = 'arena-catalog';
  return { source, category: `text_${category}`, judged: [{ texts }], usual: 'text_overall/' };
}

const gain = ({ byKind, overall }: CategoryOrder): number => byKind - overall;
const most = ({ again, overall }: CategoryOrder): number => again! - overall;
const meanOf = (orders: readonly CategoryOrder[], of: (one: CategoryOrder) => number): string =>
  formatScore(orders.reduce((sum, one) => sum + of(one) / orders.length, 0));

function tableOf(source: string, orders: readonly CategoryOrder[]): Table {
  const areSure = orders.every(({ again }) => again !== null);
  return {
    title: `The order of models in one category, kept back from the rest: ${source}`,
    notes: [
      'Abilities are fitted without the columns of the category; other categories of the source stay.',
      'Most: the gain of who knew the truth, by the agreement of the table with itself if it were measured again within its stated errors.',
    ],
    head: ['category', 'models', 'by kind', 'one number for all', 'gain', 'most', 'particular'],
    rows: [
      ...orders.map((one) => [
        one.name,
        `${one.models}`,
        ...[one.byKind, one.overall, gain(one)].map(formatScore),
        one.again === null ? noFigure : formatScore(most(one)),
        formatScore(one.particular),
      ]),
      [
        ...['mean', ''],
        ...[meanOf(orders, (one) => one.byKind), meanOf(orders, (one) => one.overall)],
        meanOf(orders, gain),
        areSure ? meanOf(orders, most) : noFigure,
        meanOf(orders, (one) => one.particular),
      ],
    ],
  };
}

/**
 * Judges the order of models on one category of published results after the other, each predicted
 * from all others. Takes minutes.
 * @throws Error for people
 */
export function judgeCategories({ data }: { readonly data?: string }): string {
  const folder = evaluationsFolder('choice', data);
  const everyday = readScaleRows(folder).filter(({ tier, task }) => tier !== null && !isOwn(task));
  const published = joined([readPublishedResults(folder), readScoredPrompts(folder)]);
  const tables = Object.entries(bySource).map(([source, kept]) => {
    process.stderr.write(`${source}\n`);
    const orders = kept.flatMap((one) => judgeCategory(published, shippedOutlook(), everyday, one));
    return tableOf(source, orders);
  });
  return asText(tables);
}
