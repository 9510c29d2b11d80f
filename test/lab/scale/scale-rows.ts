import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { featuresOf, type Features } from '../../../src/chooser/predictor/features/features.js';
import { type OwnText, ownTexts } from './own-texts.js';
import { requestOf } from './request-of.js';
import { effortLevel, measuredByTask } from '../abilities/result-kinds.js';
import { readModelNames } from '../abilities/scored-prompts.js';
import { readPublishedEvaluations } from '../fit/published-evaluations.js';

/** A text of published evaluations, and how well models of known ability answered it. */
export interface ScaleRow {
  readonly features: Features;
  readonly text: string;
  /** Texts of one family are of one benchmark, or of one task of it. */
  readonly family: string;
  /** `<source>:<category>`. */
  readonly task: string;
  /** The kind of task that abilities are told apart by; null: none. */
  readonly kind: string | null;
  readonly language: string | null;
  /** A hand-made tier of difficulty instead of scores; null: none. */
  readonly tier: string | null;
  readonly group: string;
  readonly answers: readonly Answer[];
}

/** How well one model answered. */
export interface Answer {
  readonly model: string;
  readonly effort: string;
  /** 0..1. */
  readonly score: number;
}

interface Line {
  readonly prompt_id: string;
  readonly source: string;
  readonly category: string;
  readonly prompt: string;
  readonly dup_group?: string;
  readonly language?: string;
  readonly tier?: string;
}

const linesOf = (folder: string, file: string): Line[] =>
  gunzipSync(readFileSync(join(folder, file)))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const read = (prompt: string): Features => featuresOf(requestOf(prompt));

/** The first data set, without what is judged by preference. */
function earlierRows(folder: string, nameOf: (written: string) => string): ScaleRow[] {
  const { features, tasks, taskNames, families, groups, prompts, models, scores } =
    readPublishedEvaluations(folder);
  const names = models.map(nameOf);
  return features.flatMap((one, row) => {
    const task = taskNames[tasks[row]!]!,
      family = families[tasks[row]!]!;
    const measured = measuredByTask(task);
    if (family === 'alpaca' || !measured) return [];
    const answers = names.flatMap((model, at) => {
      const score = scores[row * models.length + at]!;
      return Number.isNaN(score) ? [] : [{ model, effort: '', score }];
    });
    const text = prompts[row]!;
    return [
      { features: one, text, family, task, ...measured, tier: null, group: groups[row]!, answers },
    ];
  });
}

function currentRows(folder: string, file: string): ScaleRow[] {
  const scores: Record<string, string>[] = parse(
    gunzipSync(readFileSync(join(folder, `current/${file}_scores.csv.gz`))),
    { columns: true },
  );
  const byPrompt = new Map<string, Answer[]>();
  for (const { prompt_id: id = '', model = '', effort = '', score } of scores) {
    const answers = byPrompt.get(id) ?? [];
    if (answers.push({ model, effort: effortLevel(effort), score: Number(score) }) === 1)
      byPrompt.set(id, answers);
  }
  return linesOf(folder, `current/${file}_prompts.jsonl.gz`).map((line) => {
    const { prompt_id: id, source, category, prompt, dup_group: group = id } = line;
    const task = `${source}:${category}`;
    return {
      features: read(prompt),
      text: prompt,
      family: source === 'textclass' ? task : source === 'bfcl4' ? 'bfcl' : source,
      task,
      ...(measuredByTask(task) ?? { kind: null, language: null }),
      tier: null,
      group,
      answers: byPrompt.get(id) ?? [],
    };
  });
}

function easyRows(folder: string): ScaleRow[] {
  return linesOf(folder, 'current/easy_prompts.jsonl.gz').map((line) => ({
    features: read(line.prompt),
    text: line.prompt,
    family: 'everyday',
    task: `everyday:${line.category}`,
    kind: null,
    language: line.language ?? null,
    tier: line.tier ?? null,
    group: line.dup_group ?? line.prompt_id,
    answers: [],
  }));
}

/** Whether a task is one of our own prompts. */
export const isOwn = (task: string): boolean => task.startsWith('own:');

const ownRow = ({ kind, tier, language, text }: OwnText): ScaleRow => ({
  features: read(text),
  text,
  family: 'everyday',
  task: `own:${kind}`,
  kind: null,
  language,
  tier,
  group: text,
  answers: [],
});

/** All texts of a folder of published evaluations. Takes half a minute. */
export function readScaleRows(folder: string): ScaleRow[] {
  const nameOf = readModelNames(folder);
  return [
    ...earlierRows(folder, nameOf),
    ...['textclass', 'bfcl', 'misc'].flatMap((file) => currentRows(folder, file)),
    ...easyRows(folder),
    ...ownTexts().map(ownRow),
  ];
}
