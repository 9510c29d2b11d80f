import {
  answerTokens,
  type AnswerTokens,
} from '../../../src/chooser/answer-length/answer-tokens.js';
import { type AskedAnswer, askedAnswer } from '../../../src/chooser/answer-length/asked-answer.js';
import type { AnswerLengths } from '../../../src/models/model-tables.js';
import {
  difficultyAt,
  measuredFactor,
  typicalAnswers,
} from '../../../src/chooser/answer-length/kinds-of-answer.js';
import { habitsOf, harderFactor } from '../../../src/models/model-habits.js';
import { efforts } from '../../../src/completion.js';
import { reasoningRuleOf } from '../../../src/models/model-families.js';
import { canonicalName } from '../../../src/models/model-name.js';
import { grouped, type LengthGroup } from './calibrate-lengths.js';
import type { ObservedLength, ObservedPrompt } from './observed-lengths.js';

/** What is expected without any correction by published answers. */
export const uncorrected: AnswerLengths = {
  factors: {},
  levels: { usual: 0, steps: 0 },
};
/** Tokens of the text of a prompt that is not published. */
const usualText = 150;

/** What a prompt asks for by our own estimate alone. */
function ownEstimate({ request, kind, isStated }: ObservedPrompt): AskedAnswer {
  if (request === null) {
    const { tokens, ofText, freedom, difficulty } = typicalAnswers[kind!];
    return { kind: kind!, visible: tokens + usualText * ofText, freedom, difficulty };
  }
  const asked = askedAnswer(request, request.features);
  const isCorrected = !isStated && asked.kind !== 'label';
  return isCorrected ? { ...asked, visible: asked.visible / measuredFactor(asked.kind) } : asked;
}

/** What a table says that a prompt asks for. */
function askedWith(
  { factors, levels }: AnswerLengths,
  own: AskedAnswer,
  { level, isStated }: ObservedPrompt,
): AskedAnswer {
  const { kind, visible, difficulty } = own;
  const factor = isStated ? 1 : (factors[kind] ?? 1);
  const known = levels.steps > 0 ? level : null;
  return { ...own, visible: visible * factor, difficulty: difficultyAt(difficulty, known, levels) };
}

/** An answer with what our own estimate says of it. */
export interface EstimatedLength extends ObservedLength {
  readonly own: AskedAnswer;
}

/** Whether the tables know how verbose a model is: by its own measurement or its family's. */
const isKnown = (model: string): boolean =>
  reasoningRuleOf(canonicalName(model))?.like !== undefined;

/** Adds our own estimates to the answers of known models; equal prompts are read once. */
export function withEstimates(rows: readonly ObservedLength[]): EstimatedLength[] {
  const read = new Map<ObservedPrompt, AskedAnswer>();
  return rows
    .filter(({ model }) => isKnown(model))
    .map((row) => {
      let own = read.get(row.prompt);
      if (!own) read.set(row.prompt, (own = ownEstimate(row.prompt)));
      return { ...row, own };
    });
}

/** Tokens of an answer as a table expects them. */
export function expectedTokens(
  table: AnswerLengths,
  { own, prompt, model }: EstimatedLength,
): AnswerTokens {
  return answerTokens(askedWith(table, own, prompt), model, null);
}

/** What a model reasons about a question of usual difficulty; 0: it does not reason. */
function reasoningOf(model: string): number {
  const { reasoning, defaultEffort } = habitsOf(model);
  return reasoning[efforts.indexOf(defaultEffort)]!;
}

/** Groups answers by source, kind and model, for a fit. */
export function lengthGroups(rows: readonly EstimatedLength[]): LengthGroup[] {
  const free = rows.filter(({ prompt }) => !prompt.isStated);
  const nameOf = ({ own, prompt, model }: EstimatedLength): string =>
    [prompt.source, own.kind, model].join('\t');
  return [...grouped(free, nameOf).values()].map((group) => {
    const { own, prompt, model, isVisible } = group[0]!;
    const sumOf = (valueOf: (row: EstimatedLength) => number): number =>
      group.reduce((sum, row) => sum + valueOf(row), 0) / group.length;
    const tokens = sumOf((row) => row.tokens),
      estimated = sumOf((row) => expectedTokens(uncorrected, row).visible);
    const reasoning = reasoningOf(model),
      thought = tokens - estimated;
    const isReasoning = !isVisible && reasoning > 0;
    return {
      source: prompt.source,
      kind: own.kind,
      model,
      count: group.length,
      level: sumOf((row) => row.prompt.level),
      visible: isReasoning ? null : tokens,
      estimated,
      steps:
        isReasoning && thought > 0 ? Math.log(thought / reasoning) / Math.log(harderFactor) : null,
    };
  });
}
