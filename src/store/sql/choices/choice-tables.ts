export interface PreferenceTable {
  id: string;
  account_id: string;
  name: string;
  /** JSON. */
  settings: string;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  /** JSON, or null: the router that was trained for the preference. */
  router: string | null;
  revision: number;
}

export interface LearningTable {
  account_id: string;
  /** '' for requests without a preference. */
  preference_id: string;
  /** JSON; null: forgotten. */
  state: string | null;
  updated_at: number;
  revision: number;
}

export interface TrainingTable {
  id: string;
  account_id: string;
  preference_id: string;
  state: string;
  progress: number;
  doing: string;
  /** JSON. */
  wishes: string;
  /** The rows as the client sent them; null after the end. */
  dataset: string | null;
  /** JSON, or null. */
  report: string | null;
  error: string | null;
  attempts: number;
  owner: string | null;
  lease_until: number | null;
  created_at: number;
  updated_at: number;
}

export interface SelectionTable {
  id: string;
  account_id: string;
  key_id: string | null;
  previous_id: string | null;
  at: number;
  label: string;
  /** JSON. */
  candidates: string;
  reason: string;
  tradeoff: string | null;
  preference_id: string | null;
  /** JSON, or null. */
  content: string | null;
}

export interface FeedbackTable {
  id: string;
  account_id: string;
  key_id: string | null;
  at: number;
  session_id: string | null;
  response_id: string | null;
  provider: string | null;
  model: string | null;
  score: number | null;
  comment: string | null;
  tokens_per_second: number | null;
  predicted: number | null;
}

/**
 * Sums of choices by day: see `ChoiceSums`. '' for a choice without key or preference, because a
 * primary key accepts no null.
 */
export interface ChoiceDayTable {
  day: string;
  account_id: string;
  key_id: string;
  preference_id: string;
  measured: number;
  /** `<provider>/<model>`. */
  chosen: string;
  candidate: string;
  choices: number;
  quality: number;
  uncertainty: number;
  chosen_quality: number;
  chosen_uncertainty: number;
  variance: number;
  priced: number;
  prompt_usd: number;
  answer_usd: number;
  answer_squares: number;
  actual_usd: number;
  chosen_prompt_usd: number;
  chosen_answer_usd: number;
  tokens: number;
  expected_tokens: number;
}

/** Requests that were sent to a second model too: see `NewShadow`. '' for no key or preference. */
export interface ShadowTable {
  /** Of the request that was shadowed, and of the shadow. */
  plan_id: string;
  /** The shadow's id in the request log. */
  request_id: string;
  account_id: string;
  key_id: string;
  preference_id: string;
  response_id: string | null;
  at: number;
  /** `<provider>/<model>`. */
  chosen: string;
  shadow: string;
  /** Whether there are two whole answers, and whether their lengths are known. */
  pair: number;
  measured: number;
  chosen_quality: number;
  chosen_uncertainty: number;
  quality: number;
  uncertainty: number;
  /** Natural logarithm: see `PairSums`. 0 where the lengths are not known. */
  log_ratio: number;
  cost_usd: number;
}

/** Accounts that want no request sent to a second model. */
export interface ShadowRefusalTable {
  account_id: string;
  at: number;
}

/** A row of the evaluation set of an account. */
export interface EvaluationTable {
  id: string;
  account_id: string;
  request_id: string | null;
  at: number;
  /** JSON. */
  scores: string;
  /** JSON. */
  costs: string;
  prompt: string;
}
