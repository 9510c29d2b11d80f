import type { ResearchWeb, WebFindings } from '../../grounding/research/research-web.js';
import { ObservedWeb } from '../../grounding/tools/observed-web.js';
import { SearchCost } from '../../grounding/tools/web-tools.js';
import { GatewayError } from '../../errors.js';
import type { GroundedInput } from './grounded-run.js';
import type { GroundingEvents } from './grounding-events.js';
import type { GroundingPayments } from './grounding-payments.js';
import { searchPrice } from './grounding-terms.js';

const anyPages = {
  engine: null,
  maxResults: 8,
  recency: null,
  country: null,
  allowedDomains: [],
  blockedDomains: [],
};

/** The web as a research run reaches it, within the request's wishes for search. */
export class ResearchPages implements ResearchWeb {
  readonly searchPriceUsd: number | null;
  private readonly web: ObservedWeb;

  constructor(
    { request, grounding }: GroundedInput,
    private readonly events: GroundingEvents,
    private readonly payments: GroundingPayments,
  ) {
    const { search: terms } = grounding.terms;
    const { grounding: parts } = request.snapshot;
    const { search, reader } = parts;
    if (!search) throw new GatewayError('not_configured', 'no search engine is configured');
    this.searchPriceUsd = searchPrice(parts, terms?.engine ?? null);
    this.web = new ObservedWeb({ search, reader }, terms ?? anyPages, events);
  }

  async search(query: string, signal: AbortSignal): Promise<WebFindings> {
    const { events } = this;
    events.searching(query);
    const settle = await this.payments.pay({ priceUsd: this.searchPriceUsd });
    const cost = new SearchCost();
    try {
      const results = await this.web.search(query, null, signal, cost.add);
      return { results, costUsd: cost.usd };
    } finally {
      settle(cost.usd);
      events.charge(cost.usd);
    }
  }

  read(url: string, signal: AbortSignal): ReturnType<ResearchWeb['read']> {
    return this.web.read(url, signal);
  }
}
