import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AnswerKind } from '../../../src/models/model-tables.js';
import { readWords } from '../../../src/chooser/answer-length/request-words.js';
import { statedLength } from '../../../src/chooser/answer-length/stated-length.js';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { type Features, featuresOf } from '../../../src/chooser/predictor/features/features.js';
import { foldOf, questionOf } from '../fit/published-evaluations.js';

/** A published prompt, as far as it tells the length of its answers. */
export interface ObservedPrompt {
  readonly source: string;
  /** Null: the source does not publish its texts; then `kind` and `level` are those of its test. */
  readonly request: {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly tools: readonly unknown[];
    readonly features: Features;
  } | null;
  readonly kind: AnswerKind | null;
  /** How difficult it is by the shipped outlook, on the scale of abilities. */
  readonly level: number;
  /** Whether it states a length itself. */
  readonly isStated: boolean;
}

/** How long one model's answer to a published prompt was. */
export interface ObservedLength {
  readonly prompt: ObservedPrompt;
  readonly model: string;
  readonly tokens: number;
  /** Whether they are only those that a reader sees: characters divided by four. */
  readonly isVisible: boolean;
}

interface PromptLine {
  readonly prompt_id: string;
  readonly source: string;
  readonly category: string;
  readonly prompt: string;
  readonly dup_group?: string;
}

type Row = Readonly<Record<string, string>>;

/** Of a large source, as many prompts are read as one in so many, by hash. */
const sampled: Readonly<Record<string, number>> = { bfcl: 3 };
/**
 * Their answers follow examples that are not published with the prompts, or were cut to a letter:
 * they are not what the prompts lead to.
 */
const framedSources = new Set(['mmlu_pro', 'routerbench']);
/** Sources that count tokens instead of characters. */
const counted = new Set(['bfcl']);
/** Sources that tell what an answer cost, of one call with the text alone. */
const pricedSources = new Set(['labelset', 'hardset', 'superhard']);
/** Tests without texts, the prompts of the same test that have some, and the kind of answer. */
const textless: Readonly<Record<string, { readonly like: string; readonly kind: AnswerKind }>> = {
  'MMLU-Pro': { like: 'mmlu_pro', kind: 'choice' },
  GPQA: { like: 'gpqa', kind: 'choice' },
};
/** Tokens of a prompt beside its text, and characters of a token. */
const promptFrame = 4,
  charactersPerToken = 4;

const unzip = (folder: string, file: string): string =>
  gunzipSync(readFileSync(join(folder, file))).toString('utf8');
const rowsOf = (text: string): Row[] => parse(text, { columns: true });
const linesOf = (folder: string, file: string): PromptLine[] =>
  unzip(folder, file)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as PromptLine);

function readPrompt({ source, prompt }: PromptLine): ObservedPrompt {
  const { question, tools } = questionOf(prompt);
  const messages = [{ role: 'user', content: question }];
  const features = featuresOf({ messages, tools });
  return {
    source,
    request: { messages, tools, features },
    kind: null,
    level: shippedOutlook().read(features).difficulty,
    isStated: statedLength(readWords(question), question) !== null,
  };
}

const isRead = ({ prompt_id: id, source, dup_group: group = id }: PromptLine): boolean =>
  !framedSources.has(source) && foldOf(group, sampled[source] ?? 1) === 0;

/** Answers of 2023 and 2024. */
function earlier(folder: string, lines: readonly PromptLine[]): ObservedLength[] {
  const rows = rowsOf(unzip(folder, 'scores.csv.gz')).filter(
    (row) => Number(row['output_tokens']) > 0,
  );
  const answered = new Set(rows.map((row) => row['prompt_id']!));
  const prompts = new Map(
    lines
      .filter((line) => answered.has(line.prompt_id) && isRead(line))
      .map((line) => [line.prompt_id, readPrompt(line)]),
  );
  return rows.flatMap(({ prompt_id: id, model, output_tokens: tokens }) => {
    const prompt = prompts.get(id!);
    if (!prompt) return [];
    return [
      { prompt, model: model!, tokens: Number(tokens), isVisible: !counted.has(prompt.source) },
    ];
  });
}

/** Answers of 2025 and 2026 whose tokens follow from what they cost. */
function priced(folder: string): ObservedLength[] {
  const lines = linesOf(folder, 'current/misc_prompts.jsonl.gz');
  const prompts = new Map(
    lines
      .filter(({ source }) => pricedSources.has(source))
      .map((line) => [line.prompt_id, { line, prompt: readPrompt(line) }]),
  );
  const prices = new Map(
    rowsOf(readFileSync(join(folder, 'current/models.csv'), 'utf8')).map((row) => [
      row['model']!,
      row,
    ]),
  );
  return rowsOf(unzip(folder, 'current/misc_scores.csv.gz')).flatMap((row) => {
    const known = prompts.get(row['prompt_id']!),
      price = prices.get(row['model']!);
    if (!known || !(Number(price?.['price_out']) > 0)) return [];
    const promptTokens = known.line.prompt.length / charactersPerToken + promptFrame;
    const usd = Number(row['cost']) * 1e6 - promptTokens * Number(price?.['price_in']);
    const tokens = usd / Number(price?.['price_out']);
    if (!(tokens > 0)) return [];
    return [
      { prompt: known.prompt, model: row['model']!.split('/')[1]!, tokens, isVisible: false },
    ];
  });
}

/** Answers of 2025 to prompts whose texts are not published with them. */
function withoutTexts(folder: string, lines: readonly PromptLine[]): ObservedLength[] {
  const levelOf = (like: string): number => {
    const some = lines.filter(({ source, category }) => source === like || category === like);
    const levels = some.filter((_, at) => at % 25 === 0).map((line) => readPrompt(line).level);
    return levels.reduce((sum, level) => sum + level, 0) / levels.length;
  };
  const prompts = new Map(
    Object.entries(textless).map(([source, { like, kind }]): [string, ObservedPrompt] => [
      source,
      {
        source: 'llmrouterbench',
        request: null,
        kind,
        level: levelOf(like),
        isStated: false,
      },
    ]),
  );
  const file = join(folder, 'llmrouterbench_240x33_noprompt.csv');
  return rowsOf(readFileSync(file, 'utf8')).flatMap(
    ({ dataset, model, completion_tokens: tokens }) => {
      const prompt = prompts.get(dataset!);
      if (!prompt || !(Number(tokens) > 0)) return [];
      return [{ prompt, model: model!, tokens: Number(tokens), isVisible: false }];
    },
  );
}

/**
 * Reads how long published answers were, with the prompts that led to them.
 * @throws Error if a file is missing or malformed
 */
export function readObservedLengths(folder: string): ObservedLength[] {
  const lines = linesOf(folder, 'prompts.jsonl.gz');
  return [...earlier(folder, lines), ...priced(folder), ...withoutTexts(folder, lines)];
}
