import type { AbilityTable } from '../../../src/models/model-tables.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { abilityTable, fitWithFamilies } from '../abilities/ability-table.js';
import type { Abilities } from '../abilities/fit-abilities.js';
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
/** The month of the newest results. */
const asOf = '2026-07';
const description =
  'Abilities of models on one scale, in log odds; 0 is a usual model of 2024. Fitted by ' +
  '`npm run lab -- abilities` to published results: LMArena (text, vision, documents, web development; ' +
  'no licence stated, ratings are facts), LiveBench (no licence file), EuroEval (MIT), SWE-bench Pro (MIT), ' +
  'aider polyglot (Apache-2.0), Berkeley Function Calling (Apache-2.0; results without a licence), ' +
  'terminal-bench (no licence stated), TextClass (CC BY 4.0, B. González-Bustamante, arXiv 2412.00539), ' +
  'MMLU-Pro, ZeroEval and others that the model card names. Fitted values only. error: the standard ' +
  'error of an ability. kinds and languages: what to add for a kind of task and a group of languages, ' +
  'and the standard error of the sum; efforts: what to add for a reasoning effort. families: how the ' +
  'shares of abilities.json become abilities.';

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
  const { fitted, families } = fitWithFamilies(
    joined([readPublishedResults(folder), readScoredPrompts(folder)]),
  );
  if (out !== undefined) {
    const table = abilityTable(fitted, families, asOf, description);
    await writeAtomically(out, Buffer.from(linesOf(table)));
  }
  return tableOf(fitted);
}

/** As JSON with a line for each model, which is smaller, and shows what a new fit changes. */
function linesOf({ models, ...rest }: AbilityTable): string {
  const head = JSON.stringify(rest, null, 2).slice(0, -'\n}'.length);
  const lines = Object.entries(models).map(
    ([model, known]) => `    ${JSON.stringify(model)}: ${JSON.stringify(known)}`,
  );
  return `${head},\n  "models": {\n${lines.join(',\n')}\n  }\n}\n`;
}

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
