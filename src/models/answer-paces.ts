import { paceRuleOf } from './model-families.js';
import type { ModelFacts } from './model-facts.js';
import { NameCache } from './name-cache.js';
import { RecentSamples } from './recent-samples.js';

/** How fast a model answers at one provider. */
export interface Pace {
  /** To the first token that it thinks or writes. */
  readonly startSeconds: number;
  readonly secondsPerToken: number;
  /** How many answers it was measured by; 0: it is only expected. */
  readonly answers: number;
}

/** How fast a model is expected to answer, as published measurements of its kind say. */
export interface ExpectedPace {
  /** To the first token that it thinks or writes. */
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
}

const defaultPace: ExpectedPace = { firstTokenMs: 1000, tokensPerSecond: 60 };
/** By the facts of a model, which the catalogue keeps: a key of names would take four times as long. */
const expectedPaces = new WeakMap<object, ExpectedPace>();

/** What is expected of an offer before its answers are measured; never null, never 0. */
export function expectedPace(facts: Pick<ModelFacts, 'offer' | 'knownAs'>): ExpectedPace {
  let pace = expectedPaces.get(facts);
  if (pace === undefined) expectedPaces.set(facts, (pace = publishedPace(facts)));
  return pace;
}

function publishedPace({ offer, knownAs }: Pick<ModelFacts, 'offer' | 'knownAs'>): ExpectedPace {
  const rule = paceRuleOf(offer.slice(0, offer.indexOf('/')), knownAs);
  if (rule === null) return defaultPace;
  return { firstTokenMs: rule.firstTokenSeconds * 1000, tokensPerSecond: rule.tokensPerSecond };
}

/** How many answers an expected pace counts as beside measured ones. */
const expectedCounts = 2;

/** The mean of the expected and the measured pace, in logarithms, by their numbers of answers. */
export function likelyPace(
  { firstTokenMs, tokensPerSecond }: ExpectedPace,
  measured: Pace | null,
): Pace {
  if (measured === null)
    return { startSeconds: firstTokenMs / 1000, secondsPerToken: 1 / tokensPerSecond, answers: 0 };
  const { answers, startSeconds, secondsPerToken } = measured;
  const share = answers / (answers + expectedCounts);
  const between = (known: number, expected: number): number =>
    known ** share * expected ** (1 - share);
  return {
    startSeconds: between(startSeconds, firstTokenMs / 1000),
    secondsPerToken: between(secondsPerToken, 1 / tokensPerSecond),
    answers,
  };
}

/** What an answer tells of the pace. Times from the start of its call. */
export interface TimedAnswer {
  /** To the first content that the provider sent, of its reasoning or of the answer. */
  readonly firstContentMs: number;
  readonly endMs: number;
  /** Reasoning included. */
  readonly tokens: number;
  readonly reasoningTokens: number;
}

/** Shorter pieces say more of the network than of the model. */
const minTokens = 16,
  minMs = 50;
/** No model writes faster; a provider that sends all at once seems to. */
const minMsPerToken = 0.2;
const maxSamples = 64,
  maxModels = 1_000,
  windowMs = 3_600_000;

/** Of one model at one provider, in milliseconds. */
interface Timed {
  readonly starts: RecentSamples;
  readonly perToken: RecentSamples;
}

const newTimed = (): Timed => ({
  starts: new RecentSamples(maxSamples),
  perToken: new RecentSamples(maxSamples),
});

/**
 * Whether a model thought before its first content: the wait would have been long enough for at
 * least half of the reasoning, at the speed of what came after it. A provider that shows the
 * reasoning begins at once.
 */
function isHidden({ firstContentMs, endMs, tokens, reasoningTokens }: TimedAnswer): boolean {
  if (reasoningTokens <= 0) return false;
  const perMs = (tokens - reasoningTokens) / (endMs - firstContentMs);
  return firstContentMs * perMs >= reasoningTokens / 2;
}

/**
 * How fast models answer, by provider and model: medians of the last hour, of the thousand models that
 * were used last, and at most twice as many. It is learned from answers that were streamed by the provider.
 */
export class AnswerPaces {
  private readonly models = new NameCache<Timed>(maxModels);

  /** @param now milliseconds, any epoch; by default a monotonic clock */
  constructor(private readonly now = () => performance.now()) {}

  /** Takes in an answer; one that is too short, or that came at once, tells nothing. */
  record(provider: string, model: string, answer: TimedAnswer): void {
    const { firstContentMs, endMs, tokens, reasoningTokens } = answer;
    const hidden = isHidden(answer) ? reasoningTokens : 0;
    const rest = tokens - hidden,
      ms = endMs - firstContentMs;
    if (!(rest >= minTokens) || !(ms >= minMs)) return;
    const msPerToken = Math.max(minMsPerToken, ms / rest);
    const startMs = Math.max(0, firstContentMs - hidden * msPerToken);
    if (!Number.isFinite(startMs + msPerToken)) return;
    const timed = this.models.of(`${provider}/${model}`, newTimed),
      now = this.now();
    timed.starts.add(startMs, now);
    timed.perToken.add(msPerToken, now);
  }

  /** Null if fewer than three answers of the last hour tell. @param offer `<provider>/<model>` */
  of(offer: string): Pace | null {
    const timed = this.models.get(offer);
    if (timed === undefined) return null;
    const now = this.now();
    // both are read: samples that are not read keep old answers
    const msPerToken = timed.perToken.p50(now, windowMs),
      startMs = timed.starts.p50(now, windowMs);
    if (msPerToken === null || startMs === null) return null;
    const answers = timed.perToken.count;
    return { startSeconds: startMs / 1000, secondsPerToken: msPerToken / 1000, answers };
  }
}
