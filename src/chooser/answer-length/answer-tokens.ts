import { efforts, type ReasoningEffort } from '../../completion.js';
import type { AskedAnswer } from './asked-answer.js';
import { habitsOf, harderFactor } from '../../models/model-habits.js';

/** Expected tokens of one model's answer. */
export interface AnswerTokens {
  readonly visible: number;
  /** What it thinks before, which is charged and takes time as its answer does. */
  readonly reasoning: number;
}

const maxVisible = 64_000,
  maxReasoning = 32_000;

/**
 * Tokens of a model's answer: what the request leads to, as this model answers, and as much as it
 * reasons at that effort about something so difficult.
 * @param effort null: the model's usual one
 * @param factor what the model's answers have shown: by how much they were longer
 */
export function answerTokens(
  { visible, freedom, difficulty }: AskedAnswer,
  model: string,
  effort: ReasoningEffort | null,
  factor = 1,
): AnswerTokens {
  const { verbosity, reasoning, defaultEffort } = habitsOf(model);
  const thought = reasoning[efforts.indexOf(effort ?? defaultEffort)]!;
  return {
    visible: Math.max(1, Math.min(maxVisible, visible * Math.exp(verbosity * freedom) * factor)),
    reasoning:
      thought === 0 ? 0 : Math.min(maxReasoning, thought * harderFactor ** difficulty * factor),
  };
}
