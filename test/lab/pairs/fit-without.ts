import { defaults } from '../../../src/config/fill.js';
import { ModelAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import { OutlookReader } from '../../../src/chooser/outlook/read-outlook.js';
import type { Ranker } from '../../../src/chooser/plan.js';
import { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { createLearnedRanker } from '../../../src/chooser/rankers/learned-ranker.js';
import { abilityOnTests, abilityTable, fitWithFamilies } from '../abilities/ability-table.js';
import type { PublishedResults } from '../abilities/published-results.js';
import { fitPredictor } from '../fit/fit-predictor.js';
import { publicAbilities } from '../fit/fit-shipped.js';
import type { PublishedEvaluations } from '../fit/published-evaluations.js';
import { fitOutlook } from '../scale/fit-outlook.js';
import type { ScaleRow } from '../scale/scale-rows.js';

/** All that the ranker is fitted to. */
export interface Published {
  readonly evaluations: PublishedEvaluations;
  readonly rows: readonly ScaleRow[];
  readonly results: PublishedResults;
}

/** What a fit must not see: results of some tasks, and all copies of some prompts, by their group. */
interface Without {
  readonly tasks: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

/** What tells of which family prompts are. */
interface FamilyRows {
  readonly evaluations: Pick<PublishedEvaluations, 'taskNames' | 'families' | 'tasks' | 'groups'>;
  readonly rows: readonly Pick<ScaleRow, 'family' | 'task' | 'group'>[];
}

/** All that is of one family, and copies of its prompts that another source lists elsewhere. */
export function familyOf({ evaluations, rows }: FamilyRows, family: string): Without {
  const { taskNames, families, tasks, groups } = evaluations;
  const ofScale = rows.filter((row) => row.family === family);
  return {
    tasks: new Set([
      ...taskNames.filter((_, task) => families[task] === family),
      ...ofScale.map(({ task }) => `${task.slice(0, task.indexOf(':'))}:all`),
    ]),
    groups: new Set([
      ...groups.filter((_, row) => families[tasks[row]!] === family),
      ...ofScale.map(({ group }) => group),
    ]),
  };
}

/** A ranker as it is shipped, and the abilities that it knows. */
export interface FittedRanker {
  readonly ranker: Ranker;
  readonly abilities: ModelAbilities;
}

const seed = 1;
const name = 'for an evaluation';
const difficultyError = 0.8;

/** Fits abilities to published results without those of some tasks. Takes seconds. */
export function abilitiesWithout(
  results: PublishedResults,
  tasks: ReadonlySet<string>,
): { fitted: ReturnType<typeof fitWithFamilies>['fitted']; abilities: ModelAbilities } {
  const isKept = ({ column }: { readonly column: number }): boolean =>
    !tasks.has(results.columns[column]!.name);
  const { fitted, families } = fitWithFamilies({
    ...results,
    results: results.results.filter(isKept),
  });
  return { fitted, abilities: new ModelAbilities(abilityTable(fitted, families, '', '')) };
}

/**
 * Fits everything that the shipped ranker is made of to what is left: abilities, the reader of
 * requests, and the predictor that tells models of 2024 apart. Its gate is the one of the fit's
 * defaults: three numbers that were fitted to places of texts. Takes minutes.
 */
export function fitWithout(
  { evaluations, rows, results }: Published,
  { tasks, groups }: Without,
): FittedRanker {
  const { fitted, abilities } = abilitiesWithout(results, tasks);
  const outlook = fitOutlook(
    rows.filter(({ group }) => !groups.has(group)),
    abilityOnTests(fitted),
    { name, seed, difficultyError },
  );
  const left = Int32Array.from(evaluations.groups.keys()).filter(
    (row) => !groups.has(evaluations.groups[row]!),
  );
  const known = publicAbilities(evaluations.models);
  const predictor = new QualityPredictor(fitPredictor(evaluations, left, { seed, name, known }));
  return {
    ranker: createLearnedRanker({
      predictor,
      outlook: new OutlookReader(outlook),
      abilities,
      ...defaults.routing,
    }),
    abilities,
  };
}
