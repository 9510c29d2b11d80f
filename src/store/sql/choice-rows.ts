import type { Insertable } from 'kysely';
import { type ChoiceSums, type NewChoice, weighedFigures } from '../contracts/choices.js';
import { clean } from './columns.js';
import type { ChoiceDayTable } from './choice-tables.js';
import { dayOf } from './usage.js';

/** The columns of the primary key. */
export const choiceKey = [
  'day',
  'account_id',
  'key_id',
  'preference_id',
  'measured',
  'chosen',
  'candidate',
] as const;

/** The columns that are summed. */
export const choiceSums = [
  'choices',
  'quality',
  'uncertainty',
  'chosen_quality',
  'chosen_uncertainty',
  'variance',
  'priced',
  'prompt_usd',
  'answer_usd',
  'answer_squares',
  'actual_usd',
  'chosen_prompt_usd',
  'chosen_answer_usd',
  'tokens',
  'expected_tokens',
] as const;

type Sums = Insertable<ChoiceDayTable>;

/** A row to which a choice may belong. */
export interface Chosen {
  readonly accountId: string;
  readonly keyId: string | null;
  readonly at: number;
  readonly choice?: NewChoice;
}

/**
 * The sums of choices by day, account, key, preference and models, in the order of their keys, so
 * that two replicas cannot deadlock.
 */
export function sumsOfChoices(rows: readonly Chosen[]): Sums[] {
  const sums = new Map<string, Sums>();
  const add = (row: Sums, sign: number): void => {
    const key = JSON.stringify(choiceKey.map((column) => row[column]));
    let sum = sums.get(key);
    if (!sum) {
      sum = { ...row };
      for (const column of choiceSums) sum[column] = 0;
      sums.set(key, sum);
    }
    for (const column of choiceSums) sum[column] += sign * row[column];
  };
  for (const row of rows) {
    if (!row.choice) continue;
    for (const one of pairsOf(row, row.choice)) add(one, 1);
    if (row.choice.replaces) for (const one of pairsOf(row, row.choice.replaces)) add(one, -1);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** A row for each candidate, compared with the chosen one. */
function pairsOf({ accountId, keyId, at }: Chosen, choice: NewChoice): Sums[] {
  const { names, figures, chosen, measured } = choice;
  const [chosenQuality, chosenUncertainty, chosenPrompt, chosenAnswer] = figuresAt(figures, chosen);
  const own = measured ? (measured.costUsd ?? NaN) : chosenPrompt + chosenAnswer;
  return names.map((name, place) => {
    const [quality, uncertainty, promptUsd, answerUsd] = figuresAt(figures, place);
    const isOwn = place === chosen;
    const isPriced = Number.isFinite(own) && (isOwn || Number.isFinite(promptUsd + answerUsd));
    const priced = (usd: number): number => (isPriced && Number.isFinite(usd) ? usd : 0);
    return {
      day: dayOf(at),
      account_id: accountId,
      key_id: keyId ?? '',
      preference_id: choice.preferenceId ?? '',
      measured: measured ? 1 : 0,
      chosen: clean(names[chosen] ?? ''),
      candidate: clean(name),
      choices: 1,
      quality,
      uncertainty,
      chosen_quality: chosenQuality,
      chosen_uncertainty: chosenUncertainty,
      variance: isOwn ? 0 : varianceOf(quality) + varianceOf(chosenQuality),
      priced: isPriced ? 1 : 0,
      prompt_usd: priced(promptUsd),
      answer_usd: priced(answerUsd),
      answer_squares: priced(answerUsd ** 2),
      actual_usd: measured ? priced(own) : 0,
      chosen_prompt_usd: measured ? 0 : priced(chosenPrompt),
      chosen_answer_usd: measured ? 0 : priced(chosenAnswer),
      tokens: measured?.tokens ?? 0,
      expected_tokens: measured?.expectedTokens ?? 0,
    };
  });
}

/** Of an answer that is good or bad. */
const varianceOf = (quality: number): number => quality * (1 - quality);

function figuresAt(figures: Float64Array, place: number): [number, number, number, number] {
  const from = place * weighedFigures;
  return [figures[from]!, figures[from + 1]!, figures[from + 2]!, figures[from + 3]!];
}

/** The columns of sums, whatever they are grouped by. */
export type SumColumns = Pick<
  ChoiceDayTable,
  'chosen' | 'candidate' | 'measured' | (typeof choiceSums)[number]
>;

/** The sums of columns. */
export function fromChoiceColumns(row: SumColumns): Omit<ChoiceSums, 'group'> {
  return {
    chosen: row.chosen,
    candidate: row.candidate,
    isMeasured: row.measured === 1,
    choices: row.choices,
    quality: row.quality,
    uncertainty: row.uncertainty,
    chosenQuality: row.chosen_quality,
    chosenUncertainty: row.chosen_uncertainty,
    variance: row.variance,
    priced: row.priced,
    promptUsd: row.prompt_usd,
    answerUsd: row.answer_usd,
    answerSquares: row.answer_squares,
    actualUsd: row.actual_usd,
    chosenPromptUsd: row.chosen_prompt_usd,
    chosenAnswerUsd: row.chosen_answer_usd,
    tokens: row.tokens,
    expectedTokens: row.expected_tokens,
  };
}
