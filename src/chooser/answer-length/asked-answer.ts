import type { ChatMessage } from '../../completion.js';
import { denseNames, type Features } from '../predictor/features/features.js';
import { readWish, type Wish } from './wish.js';
import { type Cue, cueBit } from './request-words.js';
import type { StatedLength } from './stated-length.js';
import type { AnswerKind } from '../../models/model-tables.js';
import { difficultyAt, measuredFactor, typicalAnswers, workedKinds } from './kinds-of-answer.js';

/** What length of an answer a request leads to, whatever model gives it. */
export interface AskedAnswer {
  readonly kind: AnswerKind;
  /** Visible tokens of a model of average verbosity. */
  readonly visible: number;
  /** 0..1: how far a model's verbosity shows. */
  readonly freedom: number;
  /** How much models think about it, in steps of difficulty as `TypicalAnswer.difficulty`. */
  readonly difficulty: number;
}

const placeOf = (name: string): number => denseNames.indexOf(name);
const hasOptions = placeOf('hasOptions'),
  endsAsking = placeOf('endsAsking');

const kindOfWork: Readonly<Partial<Record<Cue, AnswerKind>>> = {
  story: 'story',
  essay: 'essay',
  letter: 'letter',
  poem: 'poem',
  shortText: 'tiny',
  translate: 'translation',
  summarise: 'summary',
  rewrite: 'rewriting',
  extract: 'extraction',
  prove: 'proof',
};

/** Upper bounds of words and tokens by which short requests are recognised. */
const maxSumWords = 14,
  maxFactWords = 22,
  maxGreetingWords = 6,
  maxSumTokens = 40;
/** Tokens of each further tool call of an answer. */
const furtherCall = 30,
  maxFurtherCalls = 6;

function isAgentStep(messages: readonly ChatMessage[]): boolean {
  const role = messages.at(-1)?.role;
  return role === 'tool' || role === 'function';
}

/** Also "hello, how are you", which asks for nothing. */
const isGreeting = ({ work, cues }: Wish): boolean =>
  (cues & cueBit.greet) !== 0 &&
  (cues & (cueBit.write | cueBit.ask)) === 0 &&
  (work === 'greet' || work === 'explain');

/** The kind of answer, without regard to a stated length. */
function kindOf(
  asked: Wish,
  { dense, genre, isCourtesy }: Features,
  isOffered: boolean,
): AnswerKind {
  const { work, cues, words } = asked;
  if (isCourtesy) return 'greeting';
  if (isGreeting(asked) && words <= maxGreetingWords) return 'greeting';
  if (work === 'classify' && (cues & cueBit.explain) === 0) return 'label';
  const named = work === null ? undefined : kindOfWork[work];
  if (named !== undefined) return named;
  if (isOffered) return 'toolCall';
  if (dense[hasOptions] === 1) return 'choice';
  if (work === 'code' || genre === 'code')
    return cues & cueBit.program && !(cues & cueBit.explain) ? 'program' : 'code';
  if (cues & cueBit.data) return 'extraction';
  if (genre === 'mathematics')
    return words < maxSumWords && asked.tokens < maxSumTokens ? 'calculation' : 'mathematics';
  if (work === 'explain') return 'explanation';
  if (words <= maxFactWords && (work === 'ask' || dense[endsAsking] === 1)) return 'fact';
  return 'chat';
}

const briefShare = 0.4,
  maxBrief = 160,
  longShare = 1.8;

/** How wishes without a number change the usual length. */
function wished(tokens: number, { cues }: Wish): number {
  if (cues & cueBit.brief) return Math.min(tokens, Math.max(maxBrief, tokens * briefShare));
  return tokens * (cues & cueBit.long ? longShare : 1);
}

/** A verbose model keeps closer to a stated length than to none. */
const statedFreedom = 0.15;
const maxLabel = 10;

/**
 * How much thought an answer of a kind takes. For a label it is that of the question behind it:
 * `Reply with just the number` shortens what a model writes, not what it thinks.
 */
function thoughtOf(kind: AnswerKind, asked: Wish, features: Features): number {
  const { difficulty } = typicalAnswers[kind];
  if (kind !== 'label' || !asked.isLabel) return difficulty;
  const thought = kindOf(asked, features, false);
  return workedKinds.has(thought) ? typicalAnswers[thought].difficulty : difficulty;
}

/**
 * What length of an answer a request leads to: the length that its last turn states, else what is
 * usual for its kind. Bounded work, some microseconds for a kilobyte.
 * @param level how difficult the request is, on the scale of abilities; null: unknown
 */
export function askedAnswer(
  { messages, tools = [] }: { messages: readonly ChatMessage[]; tools?: readonly unknown[] },
  features: Features,
  level: number | null = null,
): AskedAnswer {
  const asked = readWish(messages);
  const kind = asked.isLabel
    ? 'label'
    : isAgentStep(messages)
      ? 'agentStep'
      : kindOf(asked, features, tools.length > 0);
  const usual = typicalVisible(kind, asked, features);
  const thought = thoughtOf(kind, asked, features);
  const { length } = asked;
  const { freedom } = typicalAnswers[kind];
  if (length === null || isWithin(usual, length)) {
    const difficulty = difficultyAt(thought + bySize(asked.tokens), level);
    return { kind, visible: usual, freedom, difficulty };
  }
  const visible = kind === 'label' ? Math.min(maxLabel, length.tokens) : length.tokens;
  return { kind, visible, freedom: statedFreedom, difficulty: difficultyAt(thought, level) };
}

/** What is usual of a kind, as the request wishes it without a number. */
function typicalVisible(kind: AnswerKind, asked: Wish, features: Features): number {
  const { tokens, ofText, maxOfText } = typicalAnswers[kind];
  const usual = tokens + Math.min(maxOfText, asked.tokens * ofText) + further(kind, features);
  if (kind === 'label') return usual;
  return wished(usual, asked) * measuredFactor(kind);
}

/** Whether the usual length keeps the stated bound, which then changes nothing. */
const isWithin = (usual: number, { tokens, bound }: StatedLength): boolean =>
  bound === 'most' ? usual <= tokens : bound === 'least' && usual >= tokens;

const joins = placeOf('joinsWithTools');

/** Tokens of the calls after the first, as far as the request names several things. */
function further(kind: AnswerKind, { dense }: Features): number {
  if (kind !== 'toolCall') return 0;
  return furtherCall * Math.min(maxFurtherCalls, Math.expm1(dense[joins]!));
}

const typicalPrompt = 60,
  maxBySize = 0.3;

/** Longer questions are somewhat harder. */
function bySize(tokens: number): number {
  const steps = 0.1 * Math.log2(Math.max(1, tokens) / typicalPrompt);
  return Math.max(-maxBySize, Math.min(maxBySize, steps));
}
