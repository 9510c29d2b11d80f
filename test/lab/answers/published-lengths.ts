import { type ModelTableRow, readModelTableRows } from '../model-table-rows.js';

/** Mean tokens of a model's answers to the questions of one published test, at one effort. */
export interface PublishedLength {
  /** Without its maker. */
  readonly model: string;
  readonly maker: string;
  /** As its source writes it. */
  readonly effort: string;
  /** Reasoning included. */
  readonly completion: number;
  /** Null: the source does not say. */
  readonly reasoning: number | null;
}

/** Tokens of a model's answers to programming exercises, of two attempts at most. */
export interface ExerciseLength {
  readonly model: string;
  readonly effort: string;
  /** Of one attempt, reasoning included. */
  readonly completion: number;
}

/** What was published on lengths of answers. */
export interface PublishedLengths {
  readonly answers: readonly PublishedLength[];
  readonly exercises: readonly ExerciseLength[];
}

const exerciseCount = 225;
const lengthMetrics = new Set([
  'completion_tokens_mean',
  'reasoning_tokens_mean',
  'completion_tokens_total',
  'pass_rate_1',
]);

/**
 * Reads the token counts in `current/model_tables.csv.gz` of a folder of published evaluations.
 * @throws Error if the file is missing or malformed
 */
export function readPublishedLengths(folder: string): PublishedLengths {
  const rows = readModelTableRows(folder);
  const groups = new Map<string, ModelTableRow[]>();
  for (const row of rows) {
    if (!lengthMetrics.has(row.metric)) continue;
    const name = [row.source, row.model_canonical, row.category, row.effort].join('\t');
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  const answers: PublishedLength[] = [],
    exercises: ExerciseLength[] = [];
  for (const group of groups.values()) {
    const { source, model_canonical: name, effort } = group[0]!;
    const [maker = '', model = ''] = name.split('/');
    const figure = (metric: string): number | null => {
      const found = group.find((row) => row.metric === metric);
      return found ? Number(found.value) : null;
    };
    const mean = figure('completion_tokens_mean'),
      total = figure('completion_tokens_total');
    if (source === 'bullshit-benchmark' && mean !== null)
      answers.push({
        model,
        maker,
        effort,
        completion: mean,
        reasoning: figure('reasoning_tokens_mean'),
      });
    if (source === 'aider-polyglot' && total !== null) {
      // those who fail at first try again
      const attempts = exerciseCount * (2 - (figure('pass_rate_1') ?? 0) / 100);
      exercises.push({ model, effort, completion: total / attempts });
    }
  }
  return { answers, exercises };
}
