import { ModelAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import type { OutlookReader } from '../../../src/chooser/outlook/read-outlook.js';
import { abilityTable, fitWithFamilies } from '../abilities/ability-table.js';
import type { FittedAbility } from '../abilities/fit-abilities.js';
import type { PublishedResults } from '../abilities/published-results.js';
import type { ScaleRow } from '../scale/scale-rows.js';
import { correlation, rankCorrelation, ranksOf } from './judge-order.js';
import { estimatesKnowingTheOthers } from './known-table.js';
import { isEnglish, isOfKind, MeanQuality, spread } from './mean-quality.js';
import { columnsWhere, meanRanks, rankDifferences, type TableColumns } from './table-ranks.js';

/** Columns of one source and one kind of task that the abilities are fitted without. */
export interface HeldKind {
  readonly source: string;
  readonly kind: string;
}

/** How well the order of models on prompts of a kind agrees with tables that were held out. */
export interface KindOrder extends HeldKind {
  readonly models: number;
  /** Spearman's correlation with the table, by what is predicted for the kind and for all kinds. */
  readonly byKind: number;
  readonly overall: number;
  /** The correlation of what is particular to the kind: kind less overall, in both. */
  readonly particular: number;
  /**
   * The same two figures of who knows the table's own ranks of all other models, and may weigh by
   * them all that the abilities say of a model, and its maker: more than can be predicted.
   */
  readonly knowing: { readonly order: number; readonly particular: number };
  /**
   * How well the tables agree with themselves: the same two figures of one half of the source's
   * columns with the other. Null: the source has only one column of the kind.
   */
  readonly halves: { readonly order: number; readonly particular: number } | null;
}

const minModels = 25;
const textsOfKind = 12;

/** The columns of one source by kind; those in English or mixed. */
const columnsOf = (
  published: PublishedResults,
  source: string,
  isWanted: (kind: string | null) => boolean,
): TableColumns =>
  columnsWhere(
    published,
    (column) => column.source === source && column.language === null && isWanted(column.kind),
  );

/**
 * Judges the order of models by kind of task: abilities are fitted without a source's tables of the
 * kind, and compared with those. Null: too few models are in them. Takes half a minute.
 */
export function judgeKind(
  published: PublishedResults,
  reader: OutlookReader,
  rows: readonly ScaleRow[],
  { source, kind }: HeldKind,
): KindOrder | null {
  const isHeld = (column: number): boolean =>
    published.columns[column]!.source === source && published.columns[column]!.kind === kind;
  const left = published.results.filter(({ column }) => !isHeld(column));
  const { fitted, families } = fitWithFamilies({ ...published, results: left });
  const abilities = new ModelAbilities(abilityTable(fitted, families, '', ''));
  const columns = columnsOf(published, source, (one) => one === kind),
    all = columnsOf(published, source, () => true);
  const [ofKind, ofAll] = [meanRanks(columns), meanRanks(all)];
  const models = [...ofKind.keys()].filter((model) => abilities.measured(model) !== null);
  if (models.length < minModels) return null;
  const quality = new MeanQuality(reader, abilities);
  // the tables are in English, too
  const english = rows.filter(isEnglish);
  const texts = english.filter((row) => isOfKind(row, kind));
  const particular = quality.of(models, spread(texts, textsOfKind)),
    usual = quality.of(models, spread(english, 3 * textsOfKind));
  const [one, other] = [ofKind, ofAll].map((by) => models.map((model) => by.get(model)!));
  const known = estimatesKnowingTheOthers([ranksOf(usual), ...said(fitted.models, models)], one!);
  return {
    source,
    kind,
    models: models.length,
    byKind: rankCorrelation(particular, one!),
    overall: rankCorrelation(usual, one!),
    particular: correlation(rankDifferences(particular, usual), rankDifferences(one!, other!)),
    knowing: {
      order: rankCorrelation(known, one!),
      particular: correlation(rankDifferences(known, usual), rankDifferences(one!, other!)),
    },
    halves: halvesOf(columns, all),
  };
}

/** Makers with fewer models in a table say nothing of them. */
const minOfMaker = 3;
const makerOf = (model: string): string => model.slice(0, model.indexOf('/'));

/** All that is said of models beside one number for all kinds: by figure, then by model. */
function said(fitted: readonly FittedAbility[], models: readonly string[]): number[][] {
  const byModel = new Map(fitted.map((one) => [one.model, one.beside]));
  const aspects = new Set(models.flatMap((model) => Object.keys(byModel.get(model) ?? {})));
  const makers = [...new Set(models.map(makerOf))].filter(
    (maker) => models.filter((model) => makerOf(model) === maker).length >= minOfMaker,
  );
  return [
    ...[...aspects].map((name) => models.map((model) => byModel.get(model)?.[name]?.by ?? 0)),
    ...makers.map((maker) => models.map((model) => Number(makerOf(model) === maker))),
  ];
}

const half = (columns: TableColumns, rest: number): TableColumns =>
  columns.filter((_, at) => at % 2 === rest);

/** How well half of a source's columns agree with the other half, on the kind and beside the rest. */
function halvesOf(columns: TableColumns, all: TableColumns): KindOrder['halves'] {
  if (columns.length < 2) return null;
  const others = all.filter((one) => !columns.includes(one));
  const [kindA, kindB, allA, allB] = [
    ...[0, 1].map((rest) => meanRanks(half(columns, rest))),
    ...[0, 1].map((rest) => meanRanks([...half(columns, rest), ...half(others, rest)])),
  ];
  const models = [...kindA!.keys()].filter((model) => kindB!.has(model));
  const of = (by: ReadonlyMap<string, number>): number[] => models.map((model) => by.get(model)!);
  return {
    order: rankCorrelation(of(kindA!), of(kindB!)),
    particular: correlation(
      rankDifferences(of(kindA!), of(allA!)),
      rankDifferences(of(kindB!), of(allB!)),
    ),
  };
}
