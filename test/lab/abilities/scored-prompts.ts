import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { logit } from '../fit/evaluations.js';
import {
  callsAsText,
  type PublishedResults,
  type Result,
  type ResultColumn,
} from './published-results.js';
import { effortLevel, type Measured, measuredByTask } from './result-kinds.js';

/** With fewer answers to a task a model's share says little. */
const minAnswers = 20;

interface ScoreRow {
  readonly prompt_id: string;
  readonly model: string;
  readonly effort?: string;
  readonly score: string;
}

/** Which names stand for one model: as sources write them -> `<maker>/<model>`. */
export function readModelNames(folder: string): (written: string) => string {
  const rowsOf = (file: string): Record<string, string>[] =>
    parse(readFileSync(join(folder, 'current', file)), { columns: true });
  const names = new Map<string, string>();
  for (const { model = '' } of rowsOf('models.csv'))
    names.set(model.slice(model.indexOf('/') + 1).toLowerCase(), model);
  for (const { as_written: written = '', canonical = '' } of rowsOf('aliases.csv'))
    names.set(written.toLowerCase(), canonical);
  return (written) =>
    written.includes('/') ? written : (names.get(written.toLowerCase()) ?? `unknown/${written}`);
}

const gunzipped = (folder: string, file: string): Buffer =>
  gunzipSync(readFileSync(join(folder, file)));

/** The task of each prompt of the first data set, which is in another file than its scores. */
function tasksOfPrompts(folder: string): ReadonlyMap<string, string> {
  const lines = gunzipped(folder, 'prompts.jsonl.gz').toString('utf8').trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const { prompt_id, source, category } = JSON.parse(line) as Record<string, string>;
      return [prompt_id!, `${source}:${category}`];
    }),
  );
}

/** Adds up each model's scores by task and effort. */
class ShareSums {
  private readonly sums = new Map<string, { sum: number; count: number }>();

  add(task: string, model: string, effort: string, score: number): void {
    const name = `${task}|${model}|${effort}`;
    const known = this.sums.get(name);
    if (!known) this.sums.set(name, { sum: score, count: 1 });
    else {
      known.sum += score;
      known.count++;
    }
  }

  /** Results in columns, one for each task. */
  results(): PublishedResults {
    const columns: ResultColumn[] = [],
      places = new Map<string, number>(),
      results: Result[] = [];
    for (const [name, { sum, count }] of this.sums) {
      const [task = '', model = '', effort = ''] = name.split('|');
      const measured = measuredByTask(task);
      if (!measured || count < minAnswers) continue;
      let column = places.get(task);
      if (column === undefined) {
        column = columns.push(columnOf(task, measured)) - 1;
        places.set(task, column);
      }
      // as if two more had been answered, one of them well
      const share = (sum + 1) / (count + 2);
      const error = 1 / Math.sqrt((count + 2) * share * (1 - share));
      results.push({ column, model, effort, value: logit(share), error });
    }
    return { columns, results };
  }
}

const columnOf = (task: string, measured: Measured): ResultColumn => ({
  name: task,
  source: task.slice(0, task.indexOf(':')),
  ...measured,
});

/** In `current/`: the task is what the prompt's id begins with. */
const currentFiles = ['textclass', 'bfcl', 'misc', 'notext'];
const taskOf = (promptId: string): string => {
  const [source = '', task = ''] = promptId.split(':');
  return source === 'textclass' ? `${source}:${task}` : `${source}:all`;
};

/**
 * Reads the scores of single prompts in a folder of published evaluations, as one column of results
 * for each task. Takes some seconds.
 * @throws Error if a file is missing or malformed
 */
export function readScoredPrompts(folder: string): PublishedResults {
  const nameOf = readModelNames(folder);
  const sums = new ShareSums();
  const tasks = tasksOfPrompts(folder);
  const scored: string[][] = parse(gunzipped(folder, 'scores.csv.gz'), { from: 2 });
  for (const [promptId, model, score] of scored)
    sums.add(tasks.get(promptId!) ?? '', nameOf(model!), '', Number(score));
  for (const file of currentFiles) {
    const rows: ScoreRow[] = parse(gunzipped(folder, `current/${file}_scores.csv.gz`), {
      columns: true,
    });
    for (const { prompt_id: promptId, model, effort = '', score } of rows)
      if (!callsAsText(effort))
        sums.add(taskOf(promptId), model, effortLevel(effort), Number(score));
  }
  return sums.results();
}

/** Several sets of results as one. */
export function joined(sets: readonly PublishedResults[]): PublishedResults {
  const columns: ResultColumn[] = [],
    results: Result[] = [];
  for (const set of sets) {
    const from = columns.length;
    columns.push(...set.columns);
    for (const result of set.results) results.push({ ...result, column: from + result.column });
  }
  return { columns, results };
}
