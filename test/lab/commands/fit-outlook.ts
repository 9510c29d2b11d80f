import { readFileSync } from 'node:fs';
import { type AbilityTable, ModelAbilities } from '../../../src/routing/outlook/model-abilities.js';
import {
  encodeOutlook,
  type OutlookWeights,
} from '../../../src/routing/outlook/outlook-weights.js';
import { OutlookReader } from '../../../src/routing/outlook/read-outlook.js';
import { abilityOnTests, fitWithFamilies } from '../abilities/ability-table.js';
import { readPublishedResults } from '../abilities/published-results.js';
import { joined, readScoredPrompts } from '../abilities/scored-prompts.js';
import { foldOf } from '../fit/published-evaluations.js';
import { fitOutlook } from '../scale/fit-outlook.js';
import { OutlookJudge } from '../scale/judge-outlook.js';
import { readScaleRows, type ScaleRow } from '../scale/scale-rows.js';
import { evaluationsFolder } from './evaluations-folder.js';
import { writeAtomically } from './write-file.js';

/** Options of `npm run lab -- outlook`. */
export interface FitOutlookOptions {
  /** The file to write; undefined: judges a fit without some rows instead. */
  readonly out: string | undefined;
  /** Folder of published evaluations; undefined: as `evaluationsFolder` finds it. */
  readonly data: string | undefined;
}

/** The month of the newest texts. */
const name = 'outlook 2026-11';
const seed = 1;
/** The spread of levels of families that were held out, on the scale of abilities (2026-11). */
const difficultyError = 0.8;
/** One of so many folds of everyday prompts, and these families, are kept back to judge. */
const folds = 5;
const heldOut = [
  'math',
  'textclass:policy_EN',
  'textclass:policy_HU',
  'textclass:technology_EN',
  'textclass:toxicity_ZH',
];
const tableFile = new URL('../../../config/models/measured-abilities.json', import.meta.url);

/**
 * Fits what reads kinds, languages and difficulty of requests. Without `out` it keeps some rows back
 * and says how well they are judged; with it, all rows are learned. Takes minutes.
 * @throws Error for people
 */
export async function printOutlook({ out, data }: FitOutlookOptions): Promise<string> {
  const folder = evaluationsFolder('outlook', data);
  const { fitted } = fitWithFamilies(
    joined([readPublishedResults(folder), readScoredPrompts(folder)]),
  );
  const rows = readScaleRows(folder);
  const fit = (own: readonly ScaleRow[]): OutlookWeights =>
    fitOutlook(own, abilityOnTests(fitted), { name, seed, difficultyError });
  if (out !== undefined) {
    const bytes = encodeOutlook(fit(rows));
    await writeAtomically(out, bytes);
    return `wrote ${out}, ${bytes.length} bytes\n`;
  }
  return judged(rows, fit);
}

const isHeld = ({ family, tier, group }: ScaleRow): boolean =>
  heldOut.includes(family) || (tier !== null && foldOf(group, folds) === 0);

function judged(
  rows: readonly ScaleRow[],
  fit: (rows: readonly ScaleRow[]) => OutlookWeights,
): string {
  const table = JSON.parse(readFileSync(tableFile, 'utf8')) as AbilityTable;
  const reader = new OutlookReader(fit(rows.filter((row) => !isHeld(row))));
  const judge = new OutlookJudge(reader, new ModelAbilities(table));
  const held = rows.filter(isHeld);
  return [
    '| tier | prompts | a small model within .05 of the best |',
    '|---|---|---|',
    ...[...judge.easyShares(held)].map(
      ([tier, { share, rows: count }]) => `| ${tier} | ${count} | ${(100 * share).toFixed(0)} % |`,
    ),
    '',
    '| family, held out | error of the predicted quality | bias |',
    '|---|---|---|',
    ...judge
      .levelErrors(held)
      .map(({ family, error, bias }) => `| ${family} | ${error.toFixed(3)} | ${bias.toFixed(3)} |`),
    '',
  ].join('\n');
}
