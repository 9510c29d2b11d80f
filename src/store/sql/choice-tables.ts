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
