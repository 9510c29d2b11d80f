import { type AnswerKind, readModelTable } from '../../models/model-tables.js';

/** What is usual of a kind of answer. */
export interface TypicalAnswer {
  /** Tokens beside those that depend on the given text. */
  readonly tokens: number;
  /** Tokens for each token of the given text, and the most that they add. */
  readonly ofText: number;
  readonly maxOfText: number;
  /** 0..1: how far a model's verbosity shows in such answers. */
  readonly freedom: number;
  /** How much a model thinks, in steps: 0 for general knowledge, 1 for hard programming. */
  readonly difficulty: number;
}

const kind = (
  tokens: number,
  freedom: number,
  difficulty: number,
  ofText = 0,
  maxOfText = 0,
): TypicalAnswer => ({ tokens, ofText, maxOfText, freedom, difficulty });

/** Our estimates for average verbosity (GPT-4o), which `measuredFactor` corrects (2026-11). */
export const typicalAnswers: Readonly<Record<AnswerKind, TypicalAnswer>> = {
  greeting: kind(22, 0.4, -3),
  label: kind(4, 0, -1.8),
  fact: kind(60, 0.8, -1.5),
  choice: kind(110, 0.8, -0.2),
  calculation: kind(60, 0.8, -1),
  mathematics: kind(330, 0.8, 1),
  proof: kind(650, 0.8, 1.6),
  explanation: kind(340, 1, -0.2),
  chat: kind(270, 1, -0.3),
  code: kind(260, 0.8, 0.5, 0.35, 2_500),
  program: kind(1_500, 0.8, 1, 0.3, 3_000),
  story: kind(800, 0.7, -0.2),
  essay: kind(900, 0.8, 0),
  letter: kind(230, 0.7, -0.6),
  poem: kind(190, 0.6, -0.3),
  tiny: kind(28, 0.6, -0.6),
  summary: kind(70, 0.7, -0.6, 0.12, 400),
  translation: kind(4, 0.1, -0.6, 1.05, 60_000),
  rewriting: kind(25, 0.4, -0.6, 0.95, 30_000),
  extraction: kind(30, 0.5, -0.6, 0.1, 500),
  toolCall: kind(55, 0.3, -0.8),
  agentStep: kind(220, 0.5, -0.6),
};

const { factors, levels } = readModelTable('answer-lengths');

/** By how much published answers of a kind were longer than our own estimate; 1 if unknown. */
export const measuredFactor = (kind: AnswerKind): number => factors[kind] ?? 1;

/** Answers that are worked out: if only the result is to be written, models think all the same. */
export const workedKinds: ReadonlySet<AnswerKind> = new Set([
  'choice',
  'calculation',
  'mathematics',
  'proof',
  'code',
  'program',
]);

/** Steps of difficulty are kept within these. */
const minSteps = -3,
  maxSteps = 3.5;

/**
 * The difficulty that models think about, in steps: what is usual of the kind, and what the
 * request's own level says, half each.
 * @param level on the scale of abilities; null: unknown
 * @param by how it shows. Default: as shipped
 */
export function difficultyAt(usual: number, level: number | null, by = levels): number {
  if (level === null) return usual;
  const steps = (usual + by.steps * (level - by.usual)) / 2;
  return Math.min(maxSteps, Math.max(minSteps, steps));
}
