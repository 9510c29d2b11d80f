import { GatewayError } from '../../errors.js';
import { cutQuery } from '../../grounding/search/domains.js';
import { RequestSources, type ReadSource } from '../../grounding/tools/request-sources.js';
import { WebAccess } from '../../grounding/tools/web-access.js';
import { foundText, SearchCost } from '../../grounding/tools/web-tools.js';
import { takeLimits } from '../limits.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';
import type { SearchWish } from './grounding-call.js';
import { GroundingEvents } from './grounding-events.js';
import { searchPrice, searchTerms } from './grounding-terms.js';

const maxQueryLength = 400;
const maxTokens = 6_000;
/** The longest query, in characters, from a question in a conversation. */
const maxQuestionLength = 300;
const pagesRead = 3;
/** A shorter text is an engine's snippet of a page, not its content. */
const minContentLength = 1_500;

/** One search by itself, without a model. */
export interface WebQuestion extends Pick<
  SearchWish,
  'maxResults' | 'recency' | 'allowedDomains' | 'blockedDomains'
> {
  readonly query: string;
}

/**
 * Searches the web by the configured engines for a request that calls no model. It counts as one
 * request of its caller, and its price towards the caller's budgets.
 * @returns the sources with the passages that fit, as models read them
 * @throws GatewayError the code for an invalid field or a price that is not known, or as
 * `takeLimits` and `WebSearch.search`
 */
export async function searchWeb(
  parts: GatewayParts,
  request: GatewayRequest,
  { query: asked, ...wish }: WebQuestion,
): Promise<string> {
  const { record, snapshot, cancellation } = request;
  const { search: engines, reader } = snapshot.grounding;
  if (!engines) throw new GatewayError('bad_request', 'search: no search engine is configured');
  const terms = searchTerms(request, { invalidCode: 'bad_request' }, wish);
  const priceUsd = searchPrice(snapshot.grounding, null);
  const events = new GroundingEvents(parts.metrics, request.trace, () => undefined);
  const web = new WebAccess({ search: engines, reader }, new RequestSources(), terms, events);
  const settle = await takeLimits(parts, request, { requests: 1, tokens: null, costUsd: priceUsd });
  const cost = new SearchCost();
  const startedAt = performance.now();
  try {
    const query = cutQuery(asked, maxQueryLength);
    const found = await parts.state.running.run(cancellation, () =>
      cancellation.withSignal((signal) =>
        web.search({ query, recency: terms.recency }, signal, cost.add),
      ),
    );
    return await foundText(found, query, maxTokens);
  } finally {
    events.charge(cost.usd);
    events.busy(performance.now() - startedAt);
    // an unknown cost counts as reserved
    record.costUsd = cost.usd ?? priceUsd;
    record.grounding = events.record();
    settle();
  }
}

/** The result of one search before an answer. */
interface OnceFound {
  /** For the model; '': nothing was found. */
  readonly material: string;
  readonly costUsd: number | null;
}

/**
 * Searches once for the question, for models that call no tools, and reads the best pages if the
 * engine sent only snippets. Pages that cannot be read are left out.
 * @throws GatewayError as `WebSearch.search`
 */
export async function searchOnce(
  access: WebAccess,
  question: string,
  maxTokens: number,
  signal: AbortSignal,
): Promise<OnceFound> {
  const query = cutQuery(question, maxQuestionLength);
  if (query === '') return { material: '', costUsd: 0 };
  const cost = new SearchCost();
  const found = await access.search({ query, recency: null }, signal, cost.add);
  const thin = found.slice(0, pagesRead).filter(({ text }) => text.length < minContentLength);
  await Promise.all(
    thin.map(({ url }) =>
      access.read(url, signal).catch((error: unknown) => ignore(signal, error)),
    ),
  );
  const whole = found.map((source): ReadSource => access.sources.byId(source.id) ?? source);
  const material = whole.length === 0 ? '' : await foundText(whole, question, maxTokens);
  return { material, costUsd: cost.usd };
}

function ignore(signal: AbortSignal, error: unknown): void {
  if (signal.aborted) throw error;
}
