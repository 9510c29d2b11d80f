import type { ReasoningEffort } from '../completion.js';

/** What `config/models/reasoning.json` says of a model family. */
export interface ReasoningRule {
  /** The effort without a request for another one; null: it cannot reason. */
  readonly usual: ReasoningEffort | null;
  /** `none` is not obeyed. */
  readonly always?: true;
  /** The least effort that it may be asked for; absent: its providers may refuse to be asked. */
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
        /** Of reasoning, from `minimal` to `max`; empty: it does not reason. */
        readonly tokens: readonly number[];
      }
    >
  >;
}
