import { guessedAbility, knownAbility } from '../../../src/routing/model-families.js';
import { canonicalName } from '../../../src/routing/model-name.js';
import { modelIdentity } from '../../../src/routing/model-identity.js';
import { logOdds } from '../../../src/routing/numbers.js';
import type { AbilityTable, WrittenAbility } from '../../../src/routing/outlook/ability-table.js';
import { type Abilities, type FittedAbility, fitAbilities, usualSpreads } from './fit-abilities.js';
import type { AbilityOf } from '../scale/fit-outlook.js';
import { type Line, lineThrough } from './line-through.js';
import type { PublishedResults } from './published-results.js';
import { kinds, languages } from './result-kinds.js';

/**
 * What part of the difference between tests with a right answer and people's preferences counts for
 * a kind of task. Nobody grades a conversation; few prefer a wrong label.
 */
const gradedPart: Readonly<Record<string, number>> = {
  conversation: 0.15,
  summaries: 0.25,
  vision: 0.25,
  long: 0.25,
  reasoning: 0.45,
  classification: 0.45,
  extraction: 0.4,
  tools: 0.45,
  agentic: 0.45,
  coding: 0.4,
  data: 0.4,
  knowledge: 0.4,
  instructions: 0.35,
};
const usualGradedPart = 0.3;
/**
 * The fit draws what is particular to a kind to 0. With this factor it agrees best with tables that
 * were held out (2026-11-22).
 */
const kindFactor = 1.3;
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
const guessError = 0.8,
  unmeasuredKind = 0.2;

/** How abilities follow from the shares that the table of families states. */
interface FamilyLine extends Line {
  readonly error: number;
}

const shareOf = (model: string): number | null => knownAbility(canonicalName(model));

/** Least squares over the models that both tables know. */
function familyLine(models: readonly FittedAbility[]): FamilyLine {
  const points = models.flatMap((one) => {
    const share = shareOf(one.model);
    return share === null || !saysEnough(one) ? [] : [{ x: logOdds(share), y: usualAbility(one) }];
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
    families.factor * logOdds(shareOf(model) ?? guessedAbility(model.split('/').at(-1)!, null));
  const spreads = { ...usualSpreads, ability: Math.max(0.3, families.error) };
  return { fitted: fitAbilities(published, outside, spreads), families };
}

/** What a model's results in tests with a right answer let expect on a text; NaN: nothing. */
export function abilityOnTests({ models }: Abilities): AbilityOf {
  const byModel = new Map(models.map((one) => [one.model, one]));
  return (model, { kind, language }, effort) => {
    const known = byModel.get(model);
    if (!known) return NaN;
    const names = [kind, language, 'graded', effort === '' ? null : `effort:${effort}`];
    return names.reduce(
      (sum, name) => sum + (name === null ? 0 : (known.beside[name]?.by ?? 0)),
      known.ability,
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
  return {
    description,
    asOf,
    families: rounded(families),
    guessError,
    unmeasuredKind,
    models: Object.fromEntries(sorted.map(([identity, one]) => [identity, written(one)])),
  };
}

function written(one: FittedAbility): WrittenAbility {
  const graded = gradedBy(one);
  const by = (name: string): number => one.beside[name]?.by ?? 0;
  const ofKinds = Object.keys(kinds).map((kind): [string, number] => [
    kind,
    kindFactor * by(kind) + ((gradedPart[kind] ?? usualGradedPart) - usualGradedPart) * graded,
  ]);
  const ofLanguages = Object.keys(languages).map((name): [string, number] => [name, by(name)]);
  const ofEfforts = ['none', 'low', 'medium', 'high', 'xhigh'].map((effort): [string, number] => [
    effort,
    by(`effort:${effort}`),
  ]);
  return {
    ...rounded({ ability: usualAbility(one), error: one.error }),
    ...large('kinds', ofKinds),
    ...large('languages', ofLanguages),
    ...large('efforts', ofEfforts),
  };
}

function large(
  name: 'kinds' | 'languages' | 'efforts',
  figures: readonly [string, number][],
): Partial<WrittenAbility> {
  const kept = figures.filter(([, by]) => Math.abs(by) >= least);
  return kept.length === 0 ? {} : { [name]: rounded(Object.fromEntries(kept)) };
}

const rounded = <T extends object>(figures: T): T =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Math.round(Number(value) * 100) / 100]),
  ) as T;
