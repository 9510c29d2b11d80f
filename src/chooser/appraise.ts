import { guessedAbility } from '../models/model-families.js';
import { type AnswerPaces, expectedPace, likelyPace } from '../models/answer-paces.js';
import type { Catalog } from '../models/catalog.js';
import type { LatencyWindow } from '../models/latency-window.js';
import {
  blendedPrice,
  figure,
  type ModelFacts,
  type Rates,
  ratesAt,
} from '../models/model-facts.js';
import type { Appraisal, Candidate, RoutingRequest } from './plan.js';
import { effortOf, type ReasoningEffort } from '../completion.js';

/** Where the figures of candidates come from. */
export interface AppraisalSources {
  readonly catalog: Pick<Catalog, 'lookup' | 'identify'>;
  readonly latencies: Pick<LatencyWindow, 'p50Ms'>;
  /** Absent: none was measured. */
  readonly paces?: Pick<AnswerPaces, 'of'>;
}

/** What appraisal needs to know about the request. */
interface AppraisalTerms {
  /** Selects the tier of a tiered price. */
  readonly promptTokens: number;
  /** Whether the time of an answer is ranked by or shown. Default: false. */
  readonly weighsTime?: boolean;
  /** As `RoutingRequest` has it. */
  readonly reasoningEffort?: RoutingRequest['reasoningEffort'];
}

const noAttributes: Record<string, unknown> = {};

function share(value: unknown): number | null {
  const number = figure(value);
  return number !== null && number <= 1 ? number : null;
}

const count = (value: unknown): number | null => figure(value) || null;
const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

/** The caller's own price is taken as complete: no separate cached rate, no fee for each request. */
function ratesOf({ price }: Candidate, facts: ModelFacts, promptTokens: number): Rates {
  const listed = facts.rates ?? ratesAt(facts, promptTokens);
  if (price === undefined) return listed;
  const input = figure(price.input) ?? listed.input;
  return { input, output: figure(price.output) ?? listed.output, cachedInput: input };
}

/** A candidate sent by bare name, with its maker as provider if that is known; same label. */
function identified(candidate: Candidate, catalog: AppraisalSources['catalog']): Candidate {
  const owner = candidate.provider === null ? catalog.identify(candidate.model) : null;
  return owner ? { ...candidate, ...owner } : candidate;
}

/** The candidate with the effort that it is asked for; itself if it has that. */
function withEffort(candidate: Candidate, effort: ReasoningEffort | null): Candidate {
  if ((candidate.effort ?? null) === effort) return candidate;
  const { effort: _own, ...rest } = candidate;
  return effort === null ? rest : { ...rest, effort };
}

/**
 * Gathers what is known about a candidate. One without a provider gets its maker if the catalogue
 * knows the name. Of the free-form attributes it reads `quality` (0..1), `context_length`,
 * `max_output`, `tools`, `images` and `reasoning_effort`; values of another type or range are
 * ignored.
 */
export function appraise(
  sent: Candidate,
  terms: AppraisalTerms,
  sources: AppraisalSources,
): Appraisal {
  const { promptTokens, weighsTime, reasoningEffort } = terms;
  const { catalog, latencies, paces } = sources;
  const named = identified(sent, catalog);
  const facts = catalog.lookup(named.provider, named.model);
  // the request's own comes first; null: none
  const own = named.effort ?? effortOf(named.attributes?.['reasoning_effort']);
  const effort = reasoningEffort === undefined ? (own ?? facts.reasoningEffort) : reasoningEffort;
  const candidate = withEffort(named, effort);
  const attributes = candidate.attributes ?? noAttributes;
  const rates = ratesOf(candidate, facts, promptTokens);
  const price = blendedPrice(rates.input, rates.output);
  const stated = share(attributes['quality']) ?? share(facts.quality);
  // in seconds to the first token, as the caller or the configuration states them
  const latency = figure(candidate.latency) ?? figure(facts.latency);
  const measuredMs = latency === null ? latencies.p50Ms(facts.offer) : null;
  // a stated latency counts as it is, so nothing is added to it
  const hasPace = weighsTime && latency === null;
  return {
    candidate,
    figures: {
      quality:
        stated ??
        facts.ability ??
        // a caller's own price is not used: a lower one must not count against the model
        guessedAbility(candidate.model, candidate.price === undefined ? price : null),
      price,
      latency: measuredMs === null ? latency : measuredMs / 1000,
    },
    pace: hasPace ? likelyPace(expectedPace(facts), paces?.of(facts.offer) ?? null) : null,
    knownAs: facts.knownAs || candidate.model,
    qualityStated: stated !== null,
    isFamilyKnown: facts.ability !== null,
    rates,
    contextLength: count(attributes['context_length']) ?? facts.contextLength,
    maxOutput: count(attributes['max_output']) ?? facts.maxOutput,
    tools: flag(attributes['tools']) ?? facts.tools,
    images: flag(attributes['images']) ?? facts.images,
    effort: effort ?? facts.effortInName,
    abilityStated: facts.abilityStated,
  };
}
