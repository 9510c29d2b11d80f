import type { PageError } from '../../grounding/reading/page-error.js';
import type { ResearchWeb, WebFindings } from '../../grounding/research/research-web.js';
import { isAllowedPage } from '../../grounding/search/domains.js';
import { SearchCost } from '../../grounding/tools/web-tools.js';
import { GatewayError } from '../../errors.js';
import type { GroundedInput } from './grounded-run.js';
import type { GroundingEvents } from './grounding-events.js';
import type { GroundingPayments } from './grounding-payments.js';
import { searchPrice } from './grounding-terms.js';

const maxResults = 8;

/** The web as a research run reaches it, within the request's wishes for search. */
export class ResearchPages implements ResearchWeb {
  readonly searchPriceUsd: number | null;

  constructor(
    private readonly input: GroundedInput,
    private readonly events: GroundingEvents,
    private readonly payments: GroundingPayments,
  ) {
    const { request, grounding } = input;
    const engine = grounding.terms.search?.engine ?? null;
    this.searchPriceUsd = searchPrice(request.snapshot.grounding, engine);
  }

  async search(query: string, signal: AbortSignal): Promise<WebFindings> {
    const { input, events } = this;
    const { search: terms } = input.grounding.terms;
    const { search: engines } = input.request.snapshot.grounding;
    if (!engines) throw new GatewayError('not_configured', 'no search engine is configured');
    events.searching(query);
    const settle = await this.payments.pay({ priceUsd: this.searchPriceUsd });
    const cost = new SearchCost();
    try {
      const { results } = await engines.search(
        {
          query,
          maxResults: terms?.maxResults ?? maxResults,
          recency: terms?.recency ?? null,
          country: terms?.country ?? null,
          language: null,
          allowedDomains: terms?.allowedDomains ?? [],
          blockedDomains: terms?.blockedDomains ?? [],
        },
        {
          signal,
          engine: terms?.engine ?? null,
          continuesOnEmpty: true,
          onAttempt: (attempt) => {
            cost.add(attempt.costUsd);
            events.searched(attempt);
          },
        },
      );
      return { results, costUsd: cost.usd };
    } finally {
      settle(cost.usd);
      events.charge(cost.usd);
    }
  }

  async read(url: string, signal: AbortSignal): ReturnType<ResearchWeb['read']> {
    const { events, input } = this;
    const { allowedDomains = [], blockedDomains = [] } = input.grounding.terms.search ?? {};
    const startedAt = performance.now();
    events.reading(url);
    const report = (outcome: 'ok' | PageError['code']): void =>
      events.read(outcome, performance.now() - startedAt);
    try {
      const page = await input.request.snapshot.grounding.reader.read(url, {
        signal: AbortSignal.any([signal]),
        allowed: ({ href }) => isAllowedPage(href, allowedDomains, blockedDomains),
      });
      report('ok');
      return page;
    } catch (error) {
      report((error as Partial<PageError>).code ?? 'unreadable');
      throw error;
    }
  }
}
