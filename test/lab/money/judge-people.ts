import type { Candidate, RankedCandidate, Ranker } from '../../../src/chooser/plan.js';
import { chooseFor, type Tradeoff } from '../choice/chooser.js';
import type { ChoiceRule } from './choice-rules.js';
import {
  type Hardness,
  mixture,
  type PeoplesConversation,
  peoplesConversations,
} from './people.js';
import { reworded } from './reworded.js';

const offer = (provider: string, model: string): Candidate => ({
  label: `${provider}/${model}`,
  provider,
  model,
});

/** Models of November 2026 that people choose among. Their prices are those of the catalogue. */
const peoplesPool: readonly Candidate[] = [
  offer('openai', 'gpt-5.2'),
  offer('openai', 'gpt-5-mini'),
  offer('openai', 'gpt-5-nano'),
  offer('anthropic', 'claude-opus-4-5'),
  offer('anthropic', 'claude-sonnet-4-5'),
  offer('anthropic', 'claude-haiku-4-5'),
  offer('gemini', 'gemini-3-pro-preview'),
  offer('gemini', 'gemini-2.5-flash'),
  offer('gemini', 'gemini-2.5-flash-lite'),
  offer('deepseek', 'deepseek-chat'),
  offer('alibaba', 'qwen3-max'),
  offer('groq', 'llama-3.1-8b-instant'),
];
const frontier = /gpt-5\.2|opus|sonnet|gemini-3-pro/;
const tiny = /nano|flash-lite|llama-3\.1-8b/;

/** A way to choose for a conversation. */
export type Way = (conversation: PeoplesConversation) => RankedCandidate;

/** What a ranker chooses. */
export const shipped =
  (ranker: Ranker, tradeoff: Tradeoff): Way =>
  (conversation) =>
    chooseFor(ranker, peoplesPool, conversation, tradeoff)[0]!;

/** What a rule chooses by the figures that a ranker predicts. Each conversation is ranked once. */
export function byRule(ranker: Ranker): (rule: ChoiceRule) => Way {
  const known = new Map<PeoplesConversation, readonly RankedCandidate[]>();
  const rankedOf = (conversation: PeoplesConversation): readonly RankedCandidate[] => {
    const ranked = known.get(conversation) ?? chooseFor(ranker, peoplesPool, conversation, null);
    known.set(conversation, ranked);
    return ranked;
  };
  return (rule) => (conversation) => {
    const ranked = rankedOf(conversation);
    return ranked[rule(ranked.map(({ why }) => why))]!;
  };
}

const hardnesses = Object.keys(mixture) as readonly Hardness[];
const conversations = new Map(hardnesses.map((one) => [one, peoplesConversations(one)]));
const variants = hardnesses.flatMap((one) =>
  conversations.get(one)!.map((plain) => ({ plain, others: reworded(plain) })),
);

const ofTwenty = (chosen: readonly RankedCandidate[], models: RegExp): number =>
  20 * meanOf(chosen.map(({ model }) => (models.test(model) ? 1 : 0)));

/** Of twenty conversations of further fields, how many go where. */
export function judgeFields(
  way: Way,
): Readonly<Record<'easyOnFrontier' | 'hardOnFrontier' | 'hardOnTiny', number>> {
  const easy = fields.easy.map(way),
    hard = fields.hard.map(way);
  return {
    easyOnFrontier: ofTwenty(easy, frontier),
    hardOnFrontier: ofTwenty(hard, frontier),
    hardOnTiny: ofTwenty(hard, tiny),
  };
}

/** How a way chooses for people's conversations. */
export interface PeoplesVerdict {
  /** Of twenty conversations of the hardness: how many went to a frontier or to a tiny model. */
  readonly onFrontier: Readonly<Record<Hardness, number>>;
  readonly onTiny: Readonly<Record<Hardness, number>>;
  /** USD per 1,000 conversations and mean predicted quality, in the stated mixture. */
  readonly usd: number;
  readonly quality: number;
}

const fields = {
  easy: peoplesConversations('fields-easy'),
  hard: peoplesConversations('fields-hard'),
};

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

/** Judges a way on people's conversations. */
export function judgePeople(way: Way): PeoplesVerdict {
  const chosen = hardnesses.map((one) => [one, conversations.get(one)!.map(way)] as const);
  const byHardness = (models: RegExp): Record<Hardness, number> =>
    Object.fromEntries(chosen.map(([one, all]) => [one, ofTwenty(all, models)])) as Record<
      Hardness,
      number
    >;
  const mixed = (of: (one: RankedCandidate) => number): number =>
    chosen.reduce((sum, [one, all]) => sum + mixture[one] * meanOf(all.map(of)), 0);
  return {
    onFrontier: byHardness(frontier),
    onTiny: byHardness(tiny),
    usd: 1_000 * mixed(({ why }) => why.cost ?? 0),
    quality: mixed(({ why }) => why.quality),
  };
}

/** By name of the rewording: how many there are, and how many of them move the choice. */
export function judgeRewordings(
  way: Way,
): ReadonlyMap<string, { readonly count: number; readonly moved: number }> {
  const found = new Map<string, { count: number; moved: number }>();
  for (const { plain, others } of variants) {
    const { label } = way(plain);
    for (const [name, other] of others) {
      const known = found.get(name) ?? { count: 0, moved: 0 };
      found.set(name, known);
      known.count++;
      if (way(other).label !== label) known.moved++;
    }
  }
  return found;
}
