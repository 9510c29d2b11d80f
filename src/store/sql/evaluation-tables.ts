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
