import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { evaluate, quickExtent, wholeExtent, type Evaluation } from './run-evaluation.js';
import { plotOf } from './report/plot.js';
import { asJson } from './report/json.js';
import { reportTables } from './report/report-tables.js';
import { asMarkdown, asText, type Table } from './report/tables.js';
import { TaskWorkers } from './task-workers.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeSection, writeWhole } from '../../src/cli/write-file.js';

/** What `signalbox evaluate` is told. */
export interface EvaluateWishes {
  readonly data: string | undefined;
  /** Folder for the report; absent: none is written. */
  readonly out: string | undefined;
  readonly quick: boolean | undefined;
  /** Markdown file with a place for the figures. */
  readonly card: string | undefined;
}

const threads = 2;
const plotName = 'cost-quality.svg';
const quickNote =
  'A quick look: one fold and at most three families, with few draws. The whole evaluation says more.';

/**
 * `signalbox evaluate`: how good the router is on published evaluations, beside the baselines. Progress goes to standard error.
 * @returns the whole table @throws Error that says what is wrong
 */
export async function evaluateRouter({
  data,
  out,
  quick = false,
  card,
}: EvaluateWishes): Promise<string> {
  const folder = evaluationsFolder('evaluate', data);
  // said before minutes of work, not after
  if (card !== undefined)
    await access(card).catch((error: unknown) => {
      throw new Error(`evaluate: there is no card ${resolve(card)}`, { cause: error });
    });
  const workers = new TaskWorkers(folder, threads);
  try {
    const evaluation = await evaluate(
      workers.run,
      quick ? quickExtent : wholeExtent,
      tellProgress(),
    );
    const tables = reportTables(evaluation, quick ? [quickNote] : []);
    if (out !== undefined) await writeReport(out, evaluation, tables);
    if (card !== undefined) await writeCard(card, evaluation, tables);
    return asText(tables);
  } finally {
    await workers.close();
  }
}

function tellProgress(): (done: number, of: number, what: string) => void {
  const startedAt = performance.now();
  process.stderr.write('reading\n');
  return (done, of, what) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stderr.write(
      `${String(done).padStart(3)} of ${of}  ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}  ${what}\n`,
    );
  };
}

function plotsOf({ inDistribution: [verdict] }: Evaluation): string[] {
  return verdict ? [plotOf(verdict)] : [];
}

const image = `![Cost and quality of choosing a model](${plotName})`;

async function writeReport(
  out: string,
  evaluation: Evaluation,
  tables: readonly Table[],
): Promise<void> {
  for (const plot of plotsOf(evaluation)) await writeWhole(join(out, plotName), plot);
  await writeWhole(join(out, 'report.json'), asJson(evaluation));
  await writeWhole(join(out, 'report.md'), `# Evaluation\n\n${image}\n\n${asMarkdown(tables, 2)}`);
}

async function writeCard(
  card: string,
  evaluation: Evaluation,
  tables: readonly Table[],
): Promise<void> {
  for (const plot of plotsOf(evaluation)) await writeWhole(join(dirname(card), plotName), plot);
  await writeSection(card, 'figures', `${image}\n\n${asMarkdown(tables, 3)}`);
}
