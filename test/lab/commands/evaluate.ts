import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  fullExtent,
  quickExtent,
  runEvaluation,
  type Evaluation,
  type OnTaskDone,
} from '../run-evaluation.js';
import { plotOf } from '../report/plot.js';
import { asJson } from '../report/json.js';
import { cardTables, reportTables } from '../report/report-tables.js';
import { asMarkdown, asText, type Table } from '../report/tables.js';
import { TaskWorkers } from '../task-workers.js';
import { choiceTables } from './judge-choice.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeAtomically, writeSection } from './write-file.js';

/** Options of `npm run lab -- evaluate`. */
export interface EvaluateOptions {
  /** Folder of published evaluations; undefined: as `evaluationsFolder` finds it. */
  readonly data: string | undefined;
  /** Folder for the report; undefined: no report is written. */
  readonly out: string | undefined;
  readonly quick: boolean;
  /** Markdown file with a `figures` section to replace; undefined: none. */
  readonly card: string | undefined;
}

const threads = 2;
const plotName = 'cost-quality.svg';
const image = `![Cost and quality of choosing a model](${plotName})`;
const quickNote =
  'A quick evaluation: one fold, at most three families, few bootstrap draws. Use the full evaluation for decisions.';

/**
 * Evaluates the router and the baselines on published evaluations. Prints progress to standard
 * error.
 * @returns all tables as text
 * @throws Error for people
 */
export async function evaluateRouter({ data, out, quick, card }: EvaluateOptions): Promise<string> {
  const folder = evaluationsFolder('evaluate', data);
  if (card !== undefined) await requireCard(card);
  const workers = new TaskWorkers(folder, threads);
  try {
    const extent = quick ? quickExtent : fullExtent;
    const evaluation = await runEvaluation(workers.run, extent, printTasks());
    const choice = quick ? [] : choiceTables(folder, 'card');
    const tables = [...reportTables(evaluation, quick ? [quickNote] : []), ...choice];
    if (out !== undefined) await writeReport(out, evaluation, tables);
    if (card !== undefined)
      await writeCard(card, evaluation, [...cardTables(evaluation), ...choice]);
    return asText(tables);
  } finally {
    await workers.close();
  }
}

/** Fails before minutes of work, not after them. */
async function requireCard(card: string): Promise<void> {
  await access(card).catch((error: unknown) => {
    throw new Error(`evaluate: the card ${resolve(card)} does not exist`, { cause: error });
  });
}

function printTasks(): OnTaskDone {
  const startedAt = performance.now();
  process.stderr.write('reading\n');
  return (done, total, task) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const elapsed = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    process.stderr.write(`${String(done).padStart(3)} of ${total}  ${elapsed}  ${task}\n`);
  };
}

async function writePlot(folder: string, { inDistribution }: Evaluation): Promise<void> {
  const [verdict] = inDistribution;
  if (verdict) await writeAtomically(join(folder, plotName), plotOf(verdict));
}

async function writeReport(
  out: string,
  evaluation: Evaluation,
  tables: readonly Table[],
): Promise<void> {
  await writePlot(out, evaluation);
  await writeAtomically(join(out, 'report.json'), asJson(evaluation));
  await writeAtomically(
    join(out, 'report.md'),
    `# Evaluation\n\n${image}\n\n${asMarkdown(tables, 2)}`,
  );
}

async function writeCard(
  card: string,
  evaluation: Evaluation,
  tables: readonly Table[],
): Promise<void> {
  await writePlot(dirname(card), evaluation);
  await writeSection(card, 'figures', `${image}\n\n${asMarkdown(tables, 3)}`);
}
