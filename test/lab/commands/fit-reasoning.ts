import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { fitReasoningTokens } from '../answers/fit-reasoning-tokens.js';
import { readPublishedLengths } from '../answers/published-lengths.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeAtomically } from './write-file.js';

/** Options of `npm run lab -- reasoning-tokens`. */
export interface FitReasoningOptions {
  /** The file to write; undefined: none. */
  readonly out: string | undefined;
  /** Folder of published evaluations; undefined: as `evaluationsFolder` finds it. */
  readonly data: string | undefined;
}

const description =
  'How many tokens models write and reason for, by effort. `visible`: mean tokens of answers to 155 short questions, reasoning excluded; `tokens`: mean reasoning tokens at the efforts minimal, low, medium, high, xhigh and max; efforts that nobody measured are interpolated, or continued by the growth of the same model on programming exercises, else by that of the maker’s other models. `harder`: how many times more the same models reason about a hard programming exercise. Made by `npm run lab -- reasoning-tokens`.';

const sources = [
  {
    name: 'bullshit-benchmark',
    url: 'https://github.com/petergpt/bullshit-benchmark',
    commit: 'd2489cf',
    date: '2026-05-02',
    licence: 'MIT',
    used: 'mean completion and reasoning tokens by model and effort',
  },
  {
    name: 'aider polyglot leaderboard',
    url: 'https://github.com/Aider-AI/aider',
    commit: '5dc9490',
    date: '2026-05-22',
    licence: 'Apache-2.0',
    used: 'completion tokens of programming exercises, for `harder` and for growth with effort',
  },
];

/**
 * Makes the table of reasoning tokens from published token counts. The same data give the same
 * bytes.
 * @returns the table
 * @throws Error for people
 */
export async function printReasoningTokens({ out, data }: FitReasoningOptions): Promise<string> {
  const folder = evaluationsFolder('reasoning-tokens', data);
  if (!existsSync(join(folder, 'current')))
    throw new Error(`reasoning-tokens: ${folder} has no folder current, with newer models`);
  const { models, harder } = fitReasoningTokens(readPublishedLengths(folder));
  const table = JSON.stringify({ description, asOf: '2026-05', sources, harder, models });
  const text = await format(table, { parser: 'json', printWidth: 100 });
  if (out !== undefined) await writeAtomically(out, text);
  return out === undefined ? text : `${Object.keys(models).length} models, harder ${harder}\n`;
}
