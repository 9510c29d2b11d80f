import { efforts, type ReasoningEffort } from '../completion.js';
import { imageTokens as averageImageTokens } from './tokens.js';
import { imageTokensOf, reasoningRuleOf } from './model-families.js';
import { modelIdentity } from './model-identity.js';
import { NameCache } from './name-cache.js';
import { readModelTable } from './model-tables.js';

/** How a model answers. */
export interface ModelHabits {
  /** How much more it writes than a model of average verbosity: the natural logarithm of a factor. */
  readonly verbosity: number;
  /** Reasoning tokens about a question of usual difficulty, by place in `efforts`. */
  readonly reasoning: readonly number[];
  /** Tokens of a prompt for a picture of usual size. */
  readonly imageTokens: number;
  /** The effort for a request that names none. */
  readonly defaultEffort: ReasoningEffort;
}

const { harder, models } = readModelTable('reasoning-tokens');

/** The factor by which reasoning grows with one step of difficulty. */
export const harderFactor = harder;

const measured = new Map(
  Object.entries(models).map(([name, known]) => [modelIdentity(name), known]),
);
/** Tokens of a model of average verbosity, for the questions that all models were asked. */
const averageVisible = models['gpt-4o']?.visible ?? 400;
/** Those questions invite long answers: for other requests models differ less. */
const verbosityShare = 0.5,
  maxVerbosity = Math.log(2);
/** For models without measurements: they are newer and write more. */
const unknownVerbosity = Math.log(1.2);
/** For a model that is known to reason, without measurements. */
const guessedReasoning = [300, 450, 700, 1100, 1700, 2000];
const none = efforts.map(() => 0);

const maxCachedNames = 4000,
  maxNameLength = 200;
const unknownHabits: ModelHabits = {
  verbosity: unknownVerbosity,
  reasoning: none,
  imageTokens: averageImageTokens,
  defaultEffort: 'none',
};

const verbosityOf = (visible: number): number =>
  Math.min(
    maxVerbosity,
    Math.max(-maxVerbosity, Math.log(visible / averageVisible) * verbosityShare),
  );

function habitsNamed(model: string): ModelHabits {
  const rule = reasoningRuleOf(model),
    imageTokens = imageTokensOf(model) ?? averageImageTokens;
  const like = rule?.like === undefined ? undefined : models[rule.like];
  const own = measured.get(modelIdentity(model)) ?? like;
  const verbosity = own ? verbosityOf(own.visible) : unknownVerbosity;
  if (!rule || rule.usual === null)
    return { verbosity, reasoning: none, imageTokens, defaultEffort: 'none' };
  const first = own?.tokens.length ? own.tokens : (like?.tokens ?? []);
  const tokens = first.length > 0 ? first : guessedReasoning;
  // a model that always reasons treats `none` as its lowest effort
  const reasoning = [rule.always ? tokens[0]! : 0, ...tokens];
  return { verbosity, reasoning, imageTokens, defaultEffort: rule.usual };
}

const kept = new NameCache<ModelHabits>(maxCachedNames);

/** How a model answers, by any name of it: measured, or guessed from its family. */
export const habitsOf = (model: string): ModelHabits =>
  model.length > maxNameLength ? unknownHabits : kept.of(model, habitsNamed);

const known = new NameCache<boolean>(maxCachedNames);

const isKnown = (model: string): boolean =>
  measured.has(modelIdentity(model)) || reasoningRuleOf(model) !== null;

/** Whether it is known how a model answers, by its family at least. */
export const hasHabits = (model: string): boolean =>
  model.length <= maxNameLength && known.of(model, isKnown);
