import { readModelTable, type ReasoningRule, type RuleGroups } from './model-tables.js';
import { effortInName, modelIdentity } from './model-identity.js';
import { canonicalName, parametersInName } from './model-name.js';
import { NameCache } from './name-cache.js';

/** Whether a model calls tools and reads images; null if that is not known. */
interface Capabilities {
  readonly tools: boolean | null;
  readonly images: boolean | null;
}

/**
 * Compiles the rules of a table. A pattern matches whole words of a canonical name: `gpt-4` is
 * found in `ft-gpt-4-mini`, not in `gpt-4o` or `gpt-41`. The first rule that matches one of the
 * names decides.
 */
function compileRules<T>({ groups }: RuleGroups<T>): (...names: string[]) => T | null {
  const compiled = groups
    .flatMap(({ rules }) => rules)
    .map((rule) => ({
      expression: new RegExp(`(?<![a-z0-9])(?:${rule.pattern})(?![a-z0-9])`),
      rule,
    }));
  return (...names) =>
    compiled.find(({ expression }) => names.some((name) => expression.test(name)))?.rule ?? null;
}

const findAbility = compileRules(readModelTable('abilities'));
const findReasoning = compileRules(readModelTable('reasoning'));
const findImageTokens = compileRules(readModelTable('image-tokens'));
const findCapabilities = compileRules(readModelTable('capabilities'));
const findPace = compileRules(readModelTable('paces'));
const findLongestAnswer = compileRules(readModelTable('longest-answers'));

/** The ability of a model's family, 0..1, by canonical name; null if the table lacks it. */
export const knownAbility = (canonicalName: string): number | null =>
  findAbility(canonicalName)?.ability ?? null;

/**
 * As `knownAbility`, by any name of the model. A name that demands an effort is looked up as
 * written, because the table distinguishes models that reason from those that do not.
 */
export function abilityByName(model: string): number | null {
  const byIdentity = effortInName(model) === null ? knownAbility(modelIdentity(model)) : null;
  return byIdentity ?? knownAbility(canonicalName(model));
}

/**
 * The canonical name and the product that it stands for. Each may lack what a rule needs: a cloud's
 * name the maker (`deepseek.r1-v1:0`), a moving name the version, an identity the effort.
 */
const namesOf = (model: string): [string, string] => [canonicalName(model), modelIdentity(model)];

/** How a model's family reasons, by any name of the model; null: it is not known to reason. */
export const reasoningRuleOf = (model: string): ReasoningRule | null =>
  findReasoning(...namesOf(model));

/** Tokens of a usual picture, by any name of the model; null for an unlisted family. */
export const imageTokensOf = (model: string): number | null =>
  findImageTokens(...namesOf(model))?.tokens ?? null;

/** The most tokens of an answer with its reasoning, by any name; null for an unlisted family. */
export const longestAnswerOf = (model: string): number | null =>
  findLongestAnswer(...namesOf(model))?.tokens ?? null;

/** How fast a provider's model is expected to answer; null if the table has no rule for it. */
export function paceRuleOf(provider: string, model: string): ReturnType<typeof findPace> {
  const names = namesOf(model);
  return findPace(`${provider.toLowerCase()}/${names[0]}`, names[1]);
}

/** What a model's family can do, by any name of the model. */
export function capabilitiesOf(model: string): Capabilities {
  const { tools = null, images = null } = findCapabilities(...namesOf(model)) ?? {};
  return { tools, images };
}

const small = /(?<![a-z])(?:nano|mini|tiny|lite|small|micro|air|flash|instant)(?![a-z])/;
const large = /(?<![a-z])(?:large|max|ultra|pro|plus|opus|premier|heavy)(?![a-z])/;
const clamp = (value: number): number => Math.min(0.7, Math.max(0.2, value));

/** A model's size, as its name tells it. */
interface SizeInName {
  /** Null: it states no number of parameters. */
  readonly billions: number | null;
  readonly step: number;
}

const maxCachedNames = 1_000,
  maxNameLength = 200;
const sizes = new NameCache<SizeInName>(maxCachedNames);

function sizeInName(model: string): SizeInName {
  const name = model.toLowerCase();
  return {
    billions: parametersInName(model),
    step: small.test(name) ? -0.08 : large.test(name) ? 0.06 : 0,
  };
}

/**
 * Guesses the ability of a model whose family is not in the table: 0.2..0.7, rising with the
 * model's size and slightly with its price.
 * @param price blended, USD per million tokens; null if it is not known
 */
export function guessedAbility(model: string, price: number | null): number {
  const { billions, step } =
    model.length > maxNameLength ? sizeInName(model) : sizes.of(model, sizeInName);
  if (billions !== null && billions > 0) return clamp(0.29 + 0.13 * Math.log10(billions));
  const byPrice =
    price !== null && price > 0 ? 0.06 * Math.log10(Math.min(100, Math.max(0.01, price))) : -0.02;
  return clamp(0.5 + step + byPrice);
}
