import { paceRuleOf } from './model-families.js';
import type { ModelFacts } from './model-facts.js';
import { NameCache } from './name-cache.js';
import { RecentSamples } from './recent-samples.js';

/** How fast a model answers at one provider, as measured or expected. */
export interface Pace {
  /** The time to the first token, of reasoning or of the answer. */
  readonly startSeconds: number;
  readonly secondsPerToken: number;
  /** How many answers were measured; 0: the pace is only expected. */
  readonly answers: number;
}

/** How fast a model is expected to answer, by published measurements of models of its kind. */
export interface ExpectedPace {
  /** The time to the first token, of reasoning or of the answer. */
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
}

const defaultPace: ExpectedPace = { firstTokenMs: 1000, tokensPerSecond: 60 };
/** Keyed by the catalogue's facts of a model: a key made of names takes four times as long. */
const expectedPaces = new WeakMap<object, ExpectedPace>();

/** The pace of an offer before its answers are measured; never 0. */
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

/** The weight of an expected pace beside measured ones, in answers. */
const expectedCounts = 2;

/** The geometric mean of the expected and the measured pace, weighted by numbers of answers. */
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

/** The timing of one answer. Times in ms from the start of its call. */
export interface TimedAnswer {
  /** The time to the provider's first content, of reasoning or of the answer. */
  readonly firstContentMs: number;
  readonly endMs: number;
  /** Reasoning included. */
  readonly tokens: number;
  readonly reasoningTokens: number;
}

/** Shorter answers measure the network rather than the model. */
const minTokens = 16,
  minMs = 50;
/** No model writes faster; a provider that sends its answer at once only seems to. */
const minMsPerToken = 0.2;
const maxSamples = 64,
  maxModels = 1_000,
  windowMs = 3_600_000;

/** The samples of one model at one provider, in milliseconds. */
interface Timed {
  readonly starts: RecentSamples;
  readonly perToken: RecentSamples;
}

const newTimed = (): Timed => ({
  starts: new RecentSamples(maxSamples),
  perToken: new RecentSamples(maxSamples),
});

/**
 * Whether a model reasoned before its first content: the wait was long enough for at least half of
 * the reasoning, at the speed of the rest. A provider that shows the reasoning begins at once.
 */
function isHidden({ firstContentMs, endMs, tokens, reasoningTokens }: TimedAnswer): boolean {
  if (reasoningTokens <= 0) return false;
  const perMs = (tokens - reasoningTokens) / (endMs - firstContentMs);
  return firstContentMs * perMs >= reasoningTokens / 2;
}

/**
 * How fast models answer, by provider and model: medians of the last hour, for at least the
 * thousand models that were used last. Measured by answers that the provider streamed.
 */
export class AnswerPaces {
  private readonly models = new NameCache<Timed>(maxModels);

  /** @param now milliseconds, any epoch; by default a monotonic clock */
  constructor(private readonly now = () => performance.now()) {}

  /** Records an answer; ignores one that is too short or came at once. */
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

  /** Null for fewer than three answers in the last hour. @param offer `<provider>/<model>` */
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
