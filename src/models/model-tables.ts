import { readFileSync } from 'node:fs';
import type { ReasoningEffort } from '../completion.js';
import { packageFile } from '../package-files.js';

/** What each file in `config/models/` holds, in addition to its description. */
interface ModelTables {
  /** Ability of model families, 0..1. */
  readonly abilities: RuleGroups<{ readonly ability: number }>;
  /** Whether model families call tools and read images; null if that is not known. */
  readonly capabilities: RuleGroups<{
    readonly tools: boolean | null;
    readonly images: boolean | null;
  }>;
  /** Other spellings of names. */
  readonly aliases: {
    /** Spellings of a provider's name -> the provider's id in the price data. */
    readonly providers: Readonly<Record<string, string>>;
    /** Names that other gateways give to a provider -> the values of `api` that it can have. */
    readonly providerNames: Readonly<Record<string, readonly string[]>>;
    /** What may stand before a name in a provider's API without changing the model. */
    readonly resourcePrefixes: readonly string[];
    /** The vendors that Bedrock's model ids begin with. */
    readonly bedrockVendors: readonly string[];
    /** Canonical names (regular expressions) and the model that each is a version of. */
    readonly families: readonly { readonly pattern: string; readonly family: string }[];
    /** Canonical names in which a date only marks a state of one product. */
    readonly snapshots: readonly string[];
    /** Names of one product, and the one that is used; `$1` is the first group. */
    readonly sameModels: readonly { readonly pattern: string; readonly model: string }[];
    /** Beginnings of canonical names that may end with an effort: a level, or thinking. */
    readonly namedEfforts: {
      readonly levels: readonly string[];
      readonly thinking: readonly string[];
    };
    /** What clouds write before a maker's own name. */
    readonly prefixes: readonly string[];
    /**
     * Names by which a provider (its id in the price data, or its name) calls another product than
     * others do, in canonical spelling, and the product's name.
     */
    readonly ownNames: Readonly<Record<string, Readonly<Record<string, string>>>>;
    /** How another gateway's configuration names providers and their settings. */
    readonly litellm: {
      readonly apis: Readonly<Record<string, string>>;
      readonly settings: Readonly<Record<string, string>>;
      readonly secrets: Readonly<Record<string, string>>;
      readonly pathWords: readonly string[];
    };
    /** Names in a provider's price list, by its id there, of models that its own API does not serve. */
    readonly otherApis: Readonly<Record<string, string>>;
    /** Names that agents send by default (regular expressions), and the families that stand in. */
    readonly standIns: readonly { readonly names: string; readonly families: readonly string[] }[];
    /** What a name without a date stood for when models of 2023 and 2024 were measured. */
    readonly namesOf2024: Readonly<Record<string, string>>;
  };
  /** The most tokens that model families write in one answer, reasoning included. */
  readonly 'longest-answers': RuleGroups<{ readonly tokens: number }, { readonly source: string }>;
  /** How fast models are expected to answer, by provider and family. */
  readonly paces: RuleGroups<{
    readonly tokensPerSecond: number;
    readonly firstTokenSeconds: number;
  }>;
  /** Tokens of a prompt for a picture of usual size. */
  readonly 'image-tokens': RuleGroups<{ readonly tokens: number }>;
  /** Whether model families reason before they answer. */
  readonly reasoning: RuleGroups<ReasoningRule>;
  readonly 'reasoning-tokens': ReasoningTokens;
  readonly 'answer-lengths': AnswerLengths;
  /** Providers in the price data whose lists give context lengths, and products that none has. */
  readonly 'context-lengths': {
    readonly sources: readonly string[];
    readonly models: Readonly<Record<string, number>>;
  };
  /** Prices that the price data lacks, by the provider's id there, and facts about all prices. */
  readonly prices: RuleGroups<
    { readonly prices: Readonly<Record<string, ListedPrice>> },
    { readonly source: string }
  > & {
    readonly closed: readonly string[];
    readonly sameAsOlder: readonly string[];
  };
  /** Abilities of single models, on one scale. */
  readonly 'measured-abilities': AbilityTable;
}

/** Rules in the order in which they are tried; groups are for the reader only. */
export interface RuleGroups<T, G = unknown> {
  readonly groups: readonly (G & {
    readonly group: string;
    readonly rules: readonly (T & { readonly pattern: string })[];
  })[];
}

/**
 * Reads `config/models/<name>.json`. Takes about 0.1 ms; callers read each table once. A test, not
 * this function, checks the shape of the files, which are part of this package.
 * @throws Error if the file is missing or is not JSON
 */
export function readModelTable<Name extends keyof ModelTables>(name: Name): ModelTables[Name] {
  const text = readFileSync(packageFile(`config/models/${name}.json`), 'utf8');
  return JSON.parse(text) as ModelTables[Name];
}

/** USD per million tokens or another unit of the price data: one price, or by length of prompt. */
export type ListedPrice =
  | number
  | { readonly base: number; readonly tiers: readonly { start: number; price: number }[] }
  | undefined;

/** The kinds of answers that have lengths of their own. */
export type AnswerKind =
  | 'greeting'
  | 'label'
  | 'fact'
  | 'choice'
  | 'calculation'
  | 'mathematics'
  | 'proof'
  | 'explanation'
  | 'chat'
  | 'code'
  | 'program'
  | 'story'
  | 'essay'
  | 'letter'
  | 'poem'
  | 'tiny'
  | 'summary'
  | 'translation'
  | 'rewriting'
  | 'extraction'
  | 'toolCall'
  | 'agentStep';

/** What `config/models/answer-lengths.json` holds: made by `npm run lab -- lengths`. */
export interface AnswerLengths {
  /** By kind: how much longer published answers were than estimated; absent: not measured. */
  readonly factors: Readonly<Partial<Record<AnswerKind, number>>>;
  /** How a request's difficulty, on the scale of abilities, changes the amount of reasoning. */
  readonly levels: {
    /** The difficulty of a question of general knowledge: step 0 of `TypicalAnswer.difficulty`. */
    readonly usual: number;
    /** Steps of reasoning for each unit of difficulty. */
    readonly steps: number;
  };
}

/** `config/models/measured-abilities.json`, which the laboratory writes. */
export interface AbilityTable {
  readonly description: string;
  readonly asOf: string;
  /** Turns the place of the share that a family's table states (`placeOfShare`) into an ability. */
  readonly families: { readonly constant: number; readonly factor: number; readonly error: number };
  /** The standard deviation of an ability that is guessed from a name and a price. */
  readonly guessError: number;
  /** What is added to the error on a kind of task in which a model has no results. */
  readonly unmeasuredKind: number;
  /** How much more able models are at each effort than without reasoning. */
  readonly efforts: Readonly<Record<EffortLevel, number>>;
  readonly models: Readonly<Record<string, WrittenAbility>>;
}

/** What to add to an ability, and the standard error of the sum. */
export type Particular = readonly [by: number, error: number];

/**
 * One model of the table. A kind that is left out is unknown, by its own results and by those of
 * related kinds; other figures that are left out are 0.
 */
export interface WrittenAbility {
  readonly ability: number;
  /** The standard error of the ability on tasks of all kinds. */
  readonly error: number;
  readonly kinds?: Readonly<Record<string, Particular>>;
  readonly languages?: Readonly<Record<string, Particular>>;
  readonly efforts?: Readonly<Record<string, number>>;
}

/** What `config/models/reasoning.json` says of a model family. */
export interface ReasoningRule {
  /** The effort for a request that names none; null: it cannot reason. */
  readonly usual: ReasoningEffort | null;
  /** The model ignores the effort `none`. */
  readonly always?: true;
  /** The lowest effort that it accepts; absent: its providers may refuse any. */
  readonly lowest?: ReasoningEffort;
  /** The measured model that it is like. */
  readonly like?: string;
}

/** What `config/models/reasoning-tokens.json` holds: made by `npm run lab -- reasoning-tokens`. */
export interface ReasoningTokens {
  /** How many times more models reason about a hard programming exercise than about a question. */
  readonly harder: number;
  /** By model: mean tokens of its answers to the same questions. */
  readonly models: Readonly<
    Record<
      string,
      {
        readonly visible: number;
        /** Reasoning tokens, from `minimal` to `max`; empty: it does not reason. */
        readonly tokens: readonly number[];
      }
    >
  >;
}

/** The efforts that published results distinguish. */
export const effortLevels = ['none', 'low', 'medium', 'high', 'xhigh'] as const;
export type EffortLevel = (typeof effortLevels)[number];

/** The level that an effort counts as. */
export function levelOf(effort: ReasoningEffort): EffortLevel {
  if (effort === 'minimal') return 'none';
  return effort === 'max' ? 'xhigh' : effort;
}
