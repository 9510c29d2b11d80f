import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Abilities, fitAbilities } from '../abilities/fit-abilities.js';
import { readPublishedResults } from '../abilities/published-results.js';
import { kinds } from '../abilities/result-kinds.js';
import { joined, readScoredPrompts } from '../abilities/scored-prompts.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeAtomically } from './write-file.js';

/** Options of `npm run lab -- abilities`. */
export interface FitAbilitiesOptions {
  /** The file to write; undefined: none. */
  readonly out: string | undefined;
  /** Folder of published evaluations; undefined: as `evaluationsFolder` finds it. */
  readonly data: string | undefined;
}

const shown = 40;

/**
 * Brings published results of models to one scale of abilities, by kind of task, language and
 * reasoning effort. The same results give the same figures. Takes about half a minute.
 * @returns a table of the best known models
 * @throws Error for people
 */
export async function printAbilities({ out, data }: FitAbilitiesOptions): Promise<string> {
  const folder = evaluationsFolder('abilities', data);
  if (!existsSync(join(folder, 'current')))
    throw new Error(`abilities: ${folder} has no folder current, with results of newer models`);
  const fitted = fitAbilities(joined([readPublishedResults(folder), readScoredPrompts(folder)]));
  if (out !== undefined)
    await writeAtomically(out, Buffer.from(`${JSON.stringify(fitted.models, rounded, 1)}\n`));
  return tableOf(fitted);
}

const rounded = (_name: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;

/** The models with the surest places at the top. */
function tableOf({ models }: Abilities): string {
  const lowest = ({ ability, error }: (typeof models)[number]): number => ability - error;
  const best = [...models].sort((a, b) => lowest(b) - lowest(a)).slice(0, shown);
  const lines = best.map(({ model, ability, error, beside, columns }) => {
    const particular = Object.keys(kinds)
      .map((kind) => ({ kind, by: beside[kind]?.by ?? 0 }))
      .filter(({ by }) => Math.abs(by) >= 0.1)
      .map(({ kind, by }) => `${kind} ${by > 0 ? '+' : ''}${by.toFixed(2)}`);
    return `| ${model} | ${ability.toFixed(2)} ± ${error.toFixed(2)} | ${columns} | ${particular.join(', ')} |`;
  });
  return ['| model | ability | columns | beside |', '|---|---|---|---|', ...lines, ''].join('\n');
}
