import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { withEstimates } from '../answers/estimate-lengths.js';
import {
  carriedOver,
  fitAnswerLengths,
  type JudgedLengths,
  judgeLengths,
  type LengthErrors,
} from '../answers/judge-lengths.js';
import { readObservedLengths } from '../answers/observed-lengths.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeAtomically } from './write-file.js';

/** Options of `npm run lab -- lengths`. */
export interface CalibrateLengthsOptions {
  /** The file to write; undefined: none. */
  readonly out: string | undefined;
  /** Folder of published evaluations; undefined: as `evaluationsFolder` finds it. */
  readonly data: string | undefined;
}

const description =
  'How much longer published answers were than our own estimates in src/chooser/answer-length/kinds-of-answer.ts, by kind of answer: of each source the median model, of the sources the mean by their prompts, drawn to 1. A kind without a factor keeps our own estimate: nobody published its lengths (`agentStep`), it has one length (`label`), or the factor made the estimates for a source that was kept back worse. `levels`: how the difficulty of a request shows in what models reason. `errors`: mean absolute logarithm of estimate to answer, by our own estimates and with corrections that were fitted without the source of the answer; kinds of one source are not corrected there. Made by `npm run lab -- lengths`.';

const sources = [
  {
    name: 'AlpacaEval, ZeroEval, Berkeley Function-Calling Leaderboard',
    date: '2024',
    used: 'lengths of answers of models of 2023 and 2024; characters divided by four, but for tool calls',
    leftOut: 'MMLU-Pro (answers follow unpublished examples), RouterBench (answers are cut)',
  },
  {
    name: 'LLMRouterBench',
    url: 'https://github.com/ynulihao/LLMRouterBench',
    date: '2025',
    licence: 'MIT',
    used: 'tokens of answers to MMLU-Pro and GPQA, without texts',
  },
  {
    name: 'llm-model-routing-benchmark',
    url: 'https://github.com/dennisonbertram/llm-model-routing-benchmark',
    commit: '9b9ee4c',
    date: '2026-06-24',
    licence: 'MIT',
    used: 'tokens, from what answers cost',
  },
];

const minAnswers = 200;
const fixed = (value: number): string => value.toFixed(2);

function tableOf(title: string, errors: readonly LengthErrors[]): string {
  const rows = [...errors]
    .sort((a, b) => b.answers - a.answers)
    .map(({ name, answers, sources: count, own, fitted, ownShare, fittedShare }) =>
      [name, answers, count, fixed(own), fixed(fitted), fixed(ownShare), fixed(fittedShare)].join(
        ' | ',
      ),
    );
  return [
    `${title} | answers | sources | error before | after | sum of answers / estimates before | after`,
    '--- | --- | --- | --- | --- | --- | ---',
    ...rows,
    '',
  ].join('\n');
}

function reportOf({ whole, sources: bySource, kinds, models }: JudgedLengths): string {
  return [
    'Mean absolute logarithm of estimate to answer; each source is kept back from its own fit.\n',
    tableOf('', whole),
    tableOf('source', bySource),
    tableOf('kind', kinds),
    tableOf(
      `model with at least ${minAnswers} answers`,
      models.filter(({ answers }) => answers >= minAnswers),
    ),
  ].join('\n');
}

/**
 * Fits the lengths of answers by kind to published answers, and says how far estimates are from
 * answers of sources that were kept back. The same data give the same bytes. Takes half a minute.
 * @returns the report
 * @throws Error for people
 */
export async function printLengths({ out, data }: CalibrateLengthsOptions): Promise<string> {
  const folder = evaluationsFolder('lengths', data);
  if (!existsSync(join(folder, 'current')))
    throw new Error(`lengths: ${folder} has no folder current, with newer models`);
  const rows = withEstimates(readObservedLengths(folder));
  const judged = judgeLengths(rows);
  const { factors, levels } = carriedOver(fitAnswerLengths(rows), judged);
  const errors = Object.fromEntries(
    [...judged.whole, ...[...judged.kinds].sort((a, b) => (a.name < b.name ? -1 : 1))].map(
      ({ name, own, fitted }) => [name, [fixed(own), fixed(fitted)].map(Number)],
    ),
  );
  const table = JSON.stringify({ description, asOf: '2026-11', sources, levels, factors, errors });
  if (out !== undefined)
    await writeAtomically(out, await format(table, { parser: 'json', printWidth: 100 }));
  return `${reportOf(judged)}\nfactors ${JSON.stringify(factors)}\nlevels ${JSON.stringify(levels)}\n`;
}
