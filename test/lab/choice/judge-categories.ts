import { ModelAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import type { OutlookReader } from '../../../src/chooser/outlook/read-outlook.js';
import { abilityTable, fitWithFamilies } from '../abilities/ability-table.js';
import type { PublishedResults, ResultColumn } from '../abilities/published-results.js';
import { createRandomStream } from '../random.js';
import type { ScaleRow } from '../scale/scale-rows.js';
import { correlation, rankCorrelation } from './judge-order.js';
import { isEnglish, isOfKind, MeanQuality, spread } from './mean-quality.js';
import { columnsWhere, meanRanks, measuredAgain, rankDifferences } from './table-ranks.js';

/**
 * One category of a source, kept back from the fit: all its columns, and no others. Other categories
 * of the source stay, also those of the same kind of task.
 */
export interface KeptCategory {
  readonly source: string;
  /** What a column's name begins with behind the source; `text_math`, `french`. */
  readonly category: string;
  /** What is judged: columns of the category by kind, or all, by texts of a kind or a language. */
  readonly judged: readonly {
    /** Absent: all columns of the category. */
    readonly columnsOf?: string;
    /** A kind of task (`coding`), or a language by its code. */
    readonly texts: { readonly kind: string } | { readonly language: string };
  }[];
  /** The columns that say what is usual in the source: those whose name begins so. */
  readonly usual: string;
}

/** How well the order of models agrees with a category that was kept back. */
export interface CategoryOrder {
  readonly name: string;
  readonly models: number;
  /** Spearman's correlation with the table, by what is predicted for the kind and for all kinds. */
  readonly byKind: number;
  readonly overall: number;
  /** The correlation of what is particular to the kind: kind less overall, in both. */
  readonly particular: number;
  /**
   * Spearman's correlation of the table with itself measured again, by its stated errors: who knew
   * the truth would agree no better. Null: the source states no errors.
   */
  readonly again: number | null;
}

const minModels = 25;
const textsOfKind = 24;
const redraws = 20;

const nameOf = (source: string, category: string): string => `${source}/${category}/`;

/** Judges what is predicted of one category by all others. Takes a quarter of a minute. */
export function judgeCategory(
  published: PublishedResults,
  reader: OutlookReader,
  rows: readonly ScaleRow[],
  kept: KeptCategory,
): CategoryOrder[] {
  const prefix = nameOf(kept.source, kept.category);
  const isKept = ({ name }: ResultColumn): boolean => name.startsWith(prefix);
  const left = published.results.filter(({ column }) => !isKept(published.columns[column]!));
  const { fitted, families } = fitWithFamilies({ ...published, results: left });
  const abilities = new ModelAbilities(abilityTable(fitted, families, '', ''));
  const quality = new MeanQuality(reader, abilities);
  const usualRows = spread(rows.filter(isEnglish), 2 * textsOfKind);
  const usualRanks = meanRanks(
    columnsWhere(published, ({ name }) => name.startsWith(`${kept.source}/${kept.usual}`)),
  );
  return kept.judged.flatMap(({ columnsOf, texts }) => {
    const columns = columnsWhere(
      published,
      (column) => isKept(column) && (columnsOf === undefined || column.kind === columnsOf),
    );
    const ranks = meanRanks(columns);
    const models = [...ranks.keys()].filter(
      (model) => abilities.measured(model) !== null && usualRanks.has(model),
    );
    if (models.length < minModels) return [];
    const table = models.map((model) => ranks.get(model)!),
      usualTable = models.map((model) => usualRanks.get(model)!);
    const particular = quality.of(models, spread(rowsOf(rows, texts), textsOfKind)),
      usual = quality.of(models, usualRows);
    return {
      name: [kept.source, kept.category, ...(columnsOf === undefined ? [] : [columnsOf])].join(
        ', ',
      ),
      models: models.length,
      byKind: rankCorrelation(particular, table),
      overall: rankCorrelation(usual, table),
      particular: correlation(
        rankDifferences(particular, usual),
        rankDifferences(table, usualTable),
      ),
      again: agreementWithItself(columns, models),
    };
  });
}

const rowsOf = (
  rows: readonly ScaleRow[],
  texts: KeptCategory['judged'][number]['texts'],
): readonly ScaleRow[] =>
  'kind' in texts
    ? rows.filter((row) => isEnglish(row) && isOfKind(row, texts.kind))
    : rows.filter(({ language }) => language === texts.language);

/** The mean of several draws. */
function agreementWithItself(
  columns: ReturnType<typeof columnsWhere>,
  models: readonly string[],
): number | null {
  if (columns.some((column) => [...column.values()].every(({ error }) => error === 0))) return null;
  const stream = createRandomStream(1);
  const once = meanRanks(columns);
  const table = models.map((model) => once.get(model)!);
  let sum = 0;
  for (let draw = 0; draw < redraws; draw++) {
    const again = meanRanks(measuredAgain(columns, stream));
    sum += rankCorrelation(
      table,
      models.map((model) => again.get(model)!),
    );
  }
  return sum / redraws;
}
