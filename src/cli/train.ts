import { messageOf } from '../errors.js';
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { Chooser, type TrainingTerms } from '../chooser/chooser.js';
import type { Store } from '../store/contracts/store.js';
import { findAccountId } from './keys.js';
import { printable } from './table.js';

/** The options of `signalbox train`. */
export interface TrainOptions {
  readonly preference: string;
  /** Mail address. Default: the first account. */
  readonly account?: string;
  readonly promptColumn?: string;
  readonly minimize?: boolean;
}

const seed = 1;

/**
 * `signalbox train <file> --preference <id>`: trains like the API, but in this process. Prints
 * progress to standard error and returns the report.
 * @throws Error that says what is wrong
 */
export async function trainCommand(
  store: Store,
  file: string,
  { preference, account, promptColumn = 'prompt', minimize = false }: TrainOptions,
  terms: TrainingTerms,
): Promise<string> {
  const bytes = await bytesOf(file);
  if (!isUtf8(bytes)) throw new Error(`train: ${file} is not valid UTF-8`);
  const dataset = bytes.toString('utf8');
  const accountId = await findAccountId(store, account);
  const wishes = {
    format: Chooser.formatOf(dataset),
    promptColumn,
    models: null,
    maximize: !minimize,
    seed,
  };
  const training = { accountId, preferenceId: preference, dataset, wishes };
  const told = { warn: say, onProgress: printProgress(10) };
  const report = await Chooser.trainNow(store, training, terms, told).catch((error: unknown) => {
    throw new Error(`train: ${messageOf(error)}`, { cause: error });
  });
  return linesOf(report);
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? ''})`;
    throw new Error(`train: ${file}: ${reason}`, { cause: error });
  }
}

type TrainingReport = Awaited<ReturnType<typeof Chooser.trainNow>>;
type Estimate = TrainingReport['choices']['fitted']['gain'];
type TrainedSavings = NonNullable<TrainingReport['savings']>;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const figure = (value: number): string => value.toFixed(4);
/** A difference with its interval. */
const between = ({ value, low, high }: Estimate): string =>
  `${value < 0 ? '' : '+'}${figure(value)} (${figure(low)} to ${figure(high)})`;
/** A label of any length, with a space behind it. */
const labelled = (label: string): string => `${label.padEnd(31)} `;
const aiqs = (aiq: NonNullable<TrainingReport['aiq']>): string =>
  Object.entries(aiq)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(', ');
const names = {
  router: 'the shipped router',
  offsets: 'with an offset for each model',
  fitted: 'the trained router',
} as const;

function costLine(single: string, { cost }: TrainedSavings): string {
  const usd = (value: number): string => `${Number((1000 * value).toPrecision(4))}`;
  return `USD for 1000 answers with tradeoff: cost: ${names.router} ${usd(cost.shipped)}, ${names.fitted} ${usd(cost.trained)}; always ${printable(single)} ${usd(cost.bestSingle)}`;
}

function linesOf({
  rows,
  prompts,
  models,
  bestSingle,
  choices,
  aiq,
  savings,
  calibration: { logLoss, levelError },
  verdict,
}: TrainingReport): string {
  const ways = (Object.keys(names) as (keyof typeof names)[]).map((way) => {
    const { score, gain } = choices[way];
    return `${labelled(names[way])}${figure(score)}   ${between(gain)}`;
  });
  return [
    `${rows} rows, ${prompts} prompts, ${models.length} models; scores from 0 to 1, on held-out prompts`,
    `${labelled(`always ${printable(bestSingle.model)}`)}${figure(bestSingle.score)}`,
    ...ways,
    ...(aiq ? [`AIQ: ${aiqs(aiq)}`] : []),
    ...(savings ? [costLine(bestSingle.model, savings)] : []),
    `${labelled('log loss, levels corrected')}${figure(logLoss.before)} -> ${figure(logLoss.after)}   ${between(logLoss.change)}`,
    `${labelled('mean error of the level')}${figure(levelError.before)} -> ${figure(levelError.after)}`,
    printable(verdict),
    '',
  ].join('\n');
}

/**
 * Returns a function that prints progress to standard error, one line for each new percentage or
 * step of the work; a line is never printed twice in a row.
 * @param steps how many steps the percentage moves in: 100 prints every percent, 10 every tenth
 */
export function printProgress(steps: number): (share: number, step: string) => void {
  let last = '';
  return (share, step) => {
    const percent = (Math.floor(share * steps) * 100) / steps;
    const line = `${String(percent).padStart(3)} %  ${step}\n`;
    if (line !== last) process.stderr.write((last = line));
  };
}
