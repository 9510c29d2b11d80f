import { readFileSync } from 'node:fs';
import type { AnswerLengths } from './answer-lengths.js';
import type { ReasoningRule, ReasoningTokens } from './reasoning-rule.js';
import type { AbilityTable } from './ability-table.js';

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
    /** Names of one product, and the one that counts; `$1` is the first group. */
    readonly sameModels: readonly { readonly pattern: string; readonly model: string }[];
    /** How canonical names begin that may end with an effort: a level, or whether it thinks. */
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
    /** What a name without a date stood for when models of 2023 and 2024 were measured. */
    readonly namesOf2024: Readonly<Record<string, string>>;
  };
  /** Tokens of a prompt for a picture of usual size. */
  readonly 'image-tokens': RuleGroups<{ readonly tokens: number }>;
  /** Whether model families reason before they answer. */
  readonly reasoning: RuleGroups<ReasoningRule>;
  readonly 'reasoning-tokens': ReasoningTokens;
  readonly 'answer-lengths': AnswerLengths;
  /** Providers in the price data whose lists give context lengths. */
  readonly 'context-lengths': { readonly sources: readonly string[] };
  /** Abilities of single models, on one scale. */
  readonly 'measured-abilities': AbilityTable;
}

/** Rules in the order in which they are tried; groups are for the reader only. */
export interface RuleGroups<T> {
  readonly groups: readonly {
    readonly group: string;
    readonly rules: readonly (T & { readonly pattern: string })[];
  }[];
}

/**
 * Reads `config/models/<name>.json`, which is next to `src` and next to `dist`. Takes about 0.1 ms;
 * callers read each table once. The files are part of this package, so a test checks their shape
 * and this function does not.
 * @throws Error if the file is missing or is not JSON
 */
export function readModelTable<Name extends keyof ModelTables>(name: Name): ModelTables[Name] {
  const file = new URL(`../../config/models/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as ModelTables[Name];
}
