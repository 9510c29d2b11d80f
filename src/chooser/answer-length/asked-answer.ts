import type { ChatMessage } from '../../completion.js';
import { denseNames, type Features } from '../predictor/features/features.js';
import { type Wish, readWish } from './wish.js';
import { bitOf, type CueRole } from './cues.js';
import type { RequestedLength } from './requested-length.js';
import type { AnswerKind } from '../../models/answer-lengths.js';
import { difficultyAt, measuredFactor, usualAnswers, workedKinds } from './kinds-of-answer.js';

/** What length of an answer a request leads to, whatever model gives it. */
export interface AskedAnswer {
  readonly kind: AnswerKind;
  /** Visible tokens of a model of average verbosity. */
  readonly visible: number;
  /** 0..1: how far a model's verbosity shows. */
  readonly freedom: number;
  /** How much models think about it, in steps of difficulty as `UsualAnswer.difficulty`. */
  readonly difficulty: number;
}

/** A request, as far as it tells the length of its answer. */
interface AskedRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[];
}

const placeOf = (name: string): number => denseNames.indexOf(name);
const hasOptions = placeOf('hasOptions'),
  endsAsking = placeOf('endsAsking');

/** The kind of answer that each kind of work leads to. */
const kindOfWork: Readonly<Partial<Record<CueRole, AnswerKind>>> = {
  story: 'story',
  essay: 'essay',
  letter: 'letter',
  poem: 'poem',
  tiny: 'tiny',
  translate: 'translation',
  summarise: 'summary',
  rewrite: 'rewriting',
  extract: 'extraction',
  prove: 'proof',
};

const fewWords = 14,
  factWords = 22,
  shortGreeting = 6,
  shortSum = 40;
/** Tokens of each further tool call of an answer. */
const furtherCall = 30,
  mostFurtherCalls = 6;

function isAgentStep(messages: readonly ChatMessage[]): boolean {
  const role = messages.at(-1)?.role;
  return role === 'tool' || role === 'function';
}

/** Also "hello, how are you", which asks for nothing. */
const isGreeting = ({ work, roles }: Wish): boolean =>
  (roles & bitOf.greet) !== 0 &&
  (roles & (bitOf.write | bitOf.ask)) === 0 &&
  (work === 'greet' || work === 'explain');

/** The kind of answer, without regard to a stated length. */
function kindOf(
  asked: Wish,
  { dense, genre, isCourtesy }: Features,
  isOffered: boolean,
): AnswerKind {
  const { work, roles, words, size } = asked;
  if (isCourtesy) return 'greeting';
  if (isGreeting(asked) && words <= shortGreeting) return 'greeting';
  if (work === 'classify' && (roles & bitOf.explain) === 0) return 'label';
  const named = work === null ? undefined : kindOfWork[work];
  if (named !== undefined) return named;
  if (isOffered) return 'toolCall';
  if (dense[hasOptions] === 1) return 'choice';
  if (work === 'code' || genre === 'code')
    return (roles & bitOf.large && !(roles & bitOf.explain)) || (work === 'code' && size.isWhole)
      ? 'program'
      : 'code';
  if (roles & bitOf.json) return 'extraction';
  if (genre === 'mathematics')
    return words < fewWords && asked.tokens < shortSum ? 'calculation' : 'mathematics';
  if (work === 'explain') return 'explanation';
  if (words <= factWords && (work === 'ask' || dense[endsAsking] === 1)) return 'fact';
  return 'chat';
}

const briefShare = 0.4,
  mostBrief = 160,
  longShare = 1.8,
  stepwiseShare = 1.3;
/** A novel is not written in one answer, but as much of it as fits; each part adds to a plan. */
const longTextShare = 3,
  partShare = 0.35;
/** Kinds that parts make longer: what is asked to be written, not what is asked about. */
const ofParts: ReadonlySet<AnswerKind> = new Set(['essay', 'chat']);

/** How much longer than usual a kind of answer is for the size of what is asked for. */
function sizeShare(kind: AnswerKind, { size, roles }: Wish): number {
  const long = size.isLong && (kind === 'story' || kind === 'essay') ? longTextShare : 1;
  const isListed = ofParts.has(kind) && (roles & bitOf.write || kind !== 'chat');
  return long * (isListed ? 1 + partShare * (size.parts - 1) : 1);
}

/** How wishes without a number change the usual length. */
function wished(tokens: number, { roles, isStepwise }: Wish): number {
  if (roles & bitOf.brief) return Math.min(tokens, Math.max(mostBrief, tokens * briefShare));
  return tokens * (roles & bitOf.long ? longShare : 1) * (isStepwise ? stepwiseShare : 1);
}

/** A verbose model keeps closer to a stated length than to none. */
const statedFreedom = 0.15;
const maxLabel = 10;

/**
 * How hard it is to find an answer of a kind: of a label, what would be asked without the wish for
 * a label alone. `Reply with just the number` changes what is written, not what is thought.
 */
function thoughtOf(kind: AnswerKind, asked: Wish, features: Features): number {
  const { difficulty } = usualAnswers[kind];
  if (kind !== 'label' || !asked.isLabel) return difficulty;
  const thought = kindOf(asked, features, false);
  return workedKinds.has(thought) ? usualAnswers[thought].difficulty : difficulty;
}

/**
 * What length of an answer a request leads to: the length that its last turn states, else what is
 * usual for its kind. Bounded work, some microseconds for a kilobyte.
 * @param level how difficult the request is, on the scale of abilities; null: unknown
 */
export function askedAnswer(
  { messages, tools = [] }: AskedRequest,
  features: Features,
  level: number | null = null,
): AskedAnswer {
  const asked = readWish(messages);
  const kind = asked.isLabel
    ? 'label'
    : isAgentStep(messages)
      ? 'agentStep'
      : kindOf(asked, features, tools.length > 0);
  const usual = usualVisible(kind, asked, features);
  const thought = thoughtOf(kind, asked, features);
  const { length } = asked;
  const { freedom } = usualAnswers[kind];
  if (length === null || isWithin(usual, length)) {
    const difficulty = difficultyAt(thought + bySize(asked.tokens), level);
    return { kind, visible: usual, freedom, difficulty };
  }
  const visible = kind === 'label' ? Math.min(maxLabel, length.tokens) : length.tokens;
  return { kind, visible, freedom: statedFreedom, difficulty: difficultyAt(thought, level) };
}

/** What is usual of a kind, as the request wishes it without a number. */
function usualVisible(kind: AnswerKind, asked: Wish, features: Features): number {
  const { tokens, ofText, mostOfText } = usualAnswers[kind];
  const usual = tokens + Math.min(mostOfText, asked.tokens * ofText) + further(kind, features);
  if (kind === 'label') return usual;
  if (asked.roles & bitOf.brief) return wished(usual, asked) * measuredFactor(kind);
  return wished(usual * sizeShare(kind, asked), asked) * measuredFactor(kind);
}

/** A limit does not lengthen what is usual, and a least length does not shorten it. */
function isWithin(usual: number, { tokens, bound }: RequestedLength): boolean {
  return bound === 'most' ? usual <= tokens : bound === 'least' && usual >= tokens;
}

const joins = placeOf('joinsWithTools');

/** Tokens of the calls after the first, as far as the request names several things. */
function further(kind: AnswerKind, { dense }: Features): number {
  if (kind !== 'toolCall') return 0;
  return furtherCall * Math.min(mostFurtherCalls, Math.expm1(dense[joins]!));
}

const usualPrompt = 60,
  mostBySize = 0.3;

/** Longer questions are somewhat harder. */
function bySize(tokens: number): number {
  const steps = 0.1 * Math.log2(Math.max(1, tokens) / usualPrompt);
  return Math.max(-mostBySize, Math.min(mostBySize, steps));
}
