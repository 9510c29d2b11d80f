import { guessedAbility, knownAbility } from '../../../src/models/model-families.js';
import { canonicalName } from '../../../src/models/model-name.js';
import { modelIdentity } from '../../../src/models/model-identity.js';
import { placeOfShare } from '../../../src/chooser/outlook/model-abilities.js';
import type { AbilityTable, Particular, WrittenAbility } from '../../../src/models/model-tables.js';
import { type Abilities, fitAbilities, type FittedAbility, usualSpreads } from './fit-abilities.js';
import type { AbilityOf } from '../scale/fit-outlook.js';
import { defaultEffortSteps, type EffortSteps, effortsOf } from './effort-steps.js';
import { type Line, lineThrough } from './line-through.js';
import type { PublishedResults } from './published-results.js';
import { kinds, languages } from './result-kinds.js';
import { technicalFactors } from './technical.js';

/**
 * What part of the difference between tests with a right answer and people's preferences counts for
 * a kind of task. Nobody grades a conversation; few prefer a wrong label. Chosen by tables that do
 * not judge (2026-11-23).
 */
const gradedPart: Readonly<Record<string, number>> = {
  conversation: 0,
  coding: 0.15,
  vision: 0.25,
  long: 0.25,
  instructions: 0.35,
  data: 0.4,
  knowledge: 0.4,
  reasoning: 0.45,
  classification: 0.45,
  tools: 0.45,
  agentic: 0.6,
  extraction: 0.6,
  summaries: 0.6,
};
const usualGradedPart = 0.3;
/**
 * The fit draws what is particular to a kind to 0. By these factors it agrees best with tables that
 * do not judge (2026-11-23): where kinds are related, most of it is in how technical a model is.
 */
const kindFactor = 1.3,
  relatedKindFactor = 0.75;
/** Results of fewer columns say too little, unless they are as sure as this, as are many votes. */
const minColumns = 3;
const sureError = 0.3;
const maxError = 0.5;

const saysEnough = ({ columns, error }: FittedAbility): boolean =>
  error <= (columns < minColumns ? sureError : maxError);

/**
 * A proposed revision of a repository (`maker/model@refs/pr/6`) helps to place the columns that it
 * has results in, but nobody asks for it by that name.
 */
const isRevision = (model: string): boolean => model.includes('@refs/');

/** Smaller differences are left out. */
const least = 0.03;
const guessError = 0.8;

/** How abilities follow from the shares that the table of families states. */
interface FamilyLine extends Line {
  readonly error: number;
}

const shareOf = (model: string): number | null => knownAbility(canonicalName(model));

/** Least squares over the models that both tables know. */
function familyLine(models: readonly FittedAbility[]): FamilyLine {
  const points = models.flatMap((one) => {
    const share = shareOf(one.model);
    return share === null || !saysEnough(one)
      ? []
      : [{ x: placeOfShare(share), y: usualAbility(one) }];
  });
  const { constant, factor } = lineThrough(points);
  const squares = points.reduce((sum, { x, y }) => sum + (y - constant - factor * x) ** 2, 0);
  return { constant, factor, error: Math.sqrt(squares / points.length) };
}

const gradedBy = ({ beside }: FittedAbility): number => beside['graded']?.by ?? 0;
const usualAbility = (one: FittedAbility): number => one.ability + usualGradedPart * gradedBy(one);

/**
 * Abilities of models, drawn to what their family lets expect where results are few. Fitted twice:
 * the first fit says what the families' shares are worth.
 */
export function fitWithFamilies(published: PublishedResults): {
  readonly fitted: Abilities;
  readonly families: FamilyLine;
} {
  const families = familyLine(fitAbilities(published).models);
  const outside = (model: string): number =>
    families.constant +
    families.factor *
      placeOfShare(shareOf(model) ?? guessedAbility(model.split('/').at(-1)!, null));
  const spreads = { ...usualSpreads, ability: Math.max(0.3, families.error) };
  const fitted = fitAbilities(published, outside, spreads);
  // the second fit has another zero: the line for models without results is that of its abilities
  return { fitted, families: { ...familyLine(fitted.models), error: families.error } };
}

/** What a model's results in tests with a right answer let expect on a text; NaN: nothing. */
export function abilityOnTests({ models }: Abilities): AbilityOf {
  const byModel = new Map(models.map((one) => [one.model, one]));
  return (model, { kind, language }, effort) => {
    const known = byModel.get(model);
    if (!known) return NaN;
    const names = [kind, language, 'graded', effort === '' ? null : `effort:${effort}`];
    const technical = technicalFactors[kind ?? ''] ?? 0;
    return names.reduce(
      (sum, name) => sum + (name === null ? 0 : (known.beside[name]?.by ?? 0)),
      known.ability + technical * (known.beside['technical']?.by ?? 0),
    );
  };
}

/** The table that is shipped. */
export function abilityTable(
  { models }: Abilities,
  families: FamilyLine,
  asOf: string,
  description: string,
): AbilityTable {
  const best = new Map<string, FittedAbility>();
  for (const one of models) {
    if (!saysEnough(one) || isRevision(one.model)) continue;
    const identity = modelIdentity(one.model);
    const rival = best.get(identity);
    if (!rival || rival.columns < one.columns) best.set(identity, one);
  }
  const sorted = [...best].sort(([a], [b]) => (a < b ? -1 : 1));
  const steps = defaultEffortSteps(models);
  return {
    description,
    asOf,
    families: rounded(families),
    guessError,
    unmeasuredKind: usualSpreads.beside,
    efforts: rounded(steps),
    models: Object.fromEntries(sorted.map(([identity, one]) => [identity, written(one, steps)])),
  };
}

function written(one: FittedAbility, steps: EffortSteps): WrittenAbility {
  const ofKinds = Object.keys(kinds)
    .filter((kind) => kind in one.beside || Math.abs(ofKind(one, kind)) >= least)
    .map((kind) => [kind, [ofKind(one, kind), errorOfKind(one, kind)]] as const);
  const ofLanguages = Object.keys(languages)
    .filter((name) => name in one.beside)
    .map((name) => [name, [one.beside[name]!.by, errorBeside(one, { [name]: 1 })]] as const);
  const ofEfforts = Object.entries(effortsOf(one, steps) ?? {}).filter(([, by]) => by !== 0);
  return {
    ...rounded({ ability: usualAbility(one), error: errorBeside(one, {}) }),
    ...(ofKinds.length > 0 ? { kinds: particulars(ofKinds) } : {}),
    ...(ofLanguages.length > 0 ? { languages: particulars(ofLanguages) } : {}),
    ...(ofEfforts.length > 0 ? { efforts: rounded(Object.fromEntries(ofEfforts)) } : {}),
  };
}

/** The standard error of the usual ability with these. */
const errorBeside = (one: FittedAbility, parts: Readonly<Record<string, number>>): number =>
  one.errorOf({ graded: usualGradedPart, ...parts });

/** That of the ability on a kind of task; where there are no results, as far as kinds differ. */
function errorOfKind(one: FittedAbility, kind: string): number {
  const told = errorBeside(one, {
    graded: gradedPart[kind] ?? usualGradedPart,
    technical: technicalFactors[kind] ?? 0,
    [kind]: 1,
  });
  return kind in one.beside ? told : Math.hypot(told, usualSpreads.beside);
}

/** What to add for a kind of task, by its results and by those of related kinds. */
function ofKind({ beside }: FittedAbility, kind: string): number {
  const by = (name: string): number => beside[name]?.by ?? 0;
  const technical = technicalFactors[kind];
  const graded = (gradedPart[kind] ?? usualGradedPart) - usualGradedPart;
  return (
    (technical === undefined ? kindFactor : relatedKindFactor) * by(kind) +
    (technical ?? 0) * by('technical') +
    graded * by('graded')
  );
}

const particulars = (
  kept: readonly (readonly [string, Particular])[],
): Readonly<Record<string, Particular>> =>
  Object.fromEntries(
    kept.map(([name, [by, error]]) => [name, [hundredths(by), hundredths(error)] as const]),
  );

const hundredths = (value: number): number => Math.round(value * 100) / 100;

const rounded = <T extends object>(figures: T): T =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, hundredths(Number(value))]),
  ) as T;
