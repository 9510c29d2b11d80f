import type { ReadSource } from '../../grounding/tools/request-sources.js';
import type { WebObserver } from '../../grounding/tools/web-access.js';
import { webToolkit } from '../../grounding/tools/web-tools.js';
import type { GroundingRecord } from '../../telemetry/observed-request.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GroundingProgress, GroundingReport } from './grounding-call.js';
import { hasBudget } from '../../accounts/caller-limits.js';
import type { GroundedInput } from './grounded-run.js';
import { reserveLimits } from '../limits.js';
import type { GatewayRequest } from '../request.js';

/** How one tool call ended, for metrics and the client. */
export interface ToolCallReport {
  readonly id: string;
  readonly toolkit: string;
  readonly tool: string;
  readonly outcome: 'ok' | 'error' | 'refused';
  readonly ms: number;
  readonly costUsd: number | null;
}

const withoutText = ({ text: _text, ...source }: ReadSource) => source;

/** How many queries are listed: longer lists would fill the request log. */
const maxQueries = 50;

/** Counts a request's searches and tool calls, and reports them to its client and the metrics. */
export class GroundingEvents implements WebObserver {
  private engine: string | null = null;
  private readonly queries: string[] = [];
  private searches = 0;
  private pagesRead = 0;
  private toolCalls = 0;
  private costUsd: number | null = 0;
  private busyMs = 0;
  private readonly natives: { query: string; sources: readonly ReadSource[] }[] = [];
  private readonly calls: GroundingRecord['calls'][number][] = [];
  stoppedBy: GroundingReport['stoppedBy'] = null;

  constructor(
    private readonly metrics: GatewayParts['metrics'],
    private readonly trace: GatewayRequest['trace'],
    private readonly tell: (progress: GroundingProgress) => void,
  ) {}

  searching(query: string): void {
    if (this.queries.length < maxQueries) this.queries.push(query);
    this.tell({ type: 'progress', phase: 'search', detail: query });
  }

  searched: WebObserver['searched'] = ({ engine, ms, error, cached }) => {
    this.metrics.grounding.search(engine, error?.code ?? (cached ? 'cached' : 'ok'), ms);
    if (!cached) this.trace?.did('retrieval', engine, ms, error?.code ?? null);
    if (error) return;
    this.searches++;
    this.engine = engine;
  };

  searchEnded(query: string, sources: readonly ReadSource[] | null): void {
    this.tell({ type: 'found', query, sources: sources?.map(withoutText) ?? null });
  }

  /**
   * A model searched by itself. @param counted how often, by its usage, which the metrics count
   * already; absent: its provider does not tell. @param sources the results of all its searches
   */
  searchedNatively(
    queries: readonly string[],
    counted: number | undefined,
    sources: readonly ReadSource[],
  ): void {
    this.engine ??= 'native';
    const searches = counted ?? Math.max(queries.length, 1);
    this.searches += searches;
    if (counted === undefined) this.metrics.grounding.nativeSearches(searches);
    const length = Math.min(maxQueries, Math.max(queries.length, searches));
    for (let at = 0; at < length; at++)
      this.natives.push({ query: queries[at] ?? '', sources: at === 0 ? sources : [] });
    for (const query of queries) if (this.queries.length < maxQueries) this.queries.push(query);
  }

  /** Reports the models' own searches to the client. Call once their answer is written. */
  tellNatives(): void {
    for (const { query, sources } of this.natives.splice(0)) this.searchEnded(query, sources);
  }

  reading(url: string): void {
    this.tell({ type: 'progress', phase: 'read', detail: url });
  }

  read: WebObserver['read'] = (outcome, ms) => {
    this.metrics.grounding.page(outcome, ms);
    if (outcome === 'ok') this.pagesRead++;
  };

  found(source: ReadSource): void {
    this.tell({ type: 'source', source: withoutText(source) });
  }

  toolBegins(id: string, toolkit: string, tool: string): void {
    this.tell({ type: 'tool', tool, toolkit, callId: id, status: 'running' });
  }

  toolEnded({ id, toolkit, tool, outcome, ms, costUsd }: ToolCallReport): void {
    this.trace?.did('execute_tool', tool, ms, outcome === 'ok' ? null : outcome);
    this.metrics.grounding.toolCall(toolkit, outcome, ms);
    if (toolkit !== webToolkit) this.toolCalls++;
    this.charge(costUsd);
    const latency = Math.round(ms);
    this.calls.push({ toolkit, tool, outcome, latency });
    this.tell({ type: 'tool', tool, toolkit, callId: id, status: outcome, latency });
  }

  charge(costUsd: number | null): void {
    this.costUsd = this.costUsd === null || costUsd === null ? null : this.costUsd + costUsd;
    if (costUsd) this.metrics.grounding.cost(costUsd);
  }

  /** Adds the time in which the models waited for tools. */
  busy(ms: number): void {
    this.busyMs += ms;
  }

  /** What the request log keeps. */
  record(): GroundingRecord {
    return { ...this.report(), calls: this.calls };
  }

  report(): GroundingReport {
    const { engine, queries, searches, pagesRead, toolCalls, costUsd, stoppedBy } = this;
    const latency = Math.round(this.busyMs);
    return { engine, queries, searches, pagesRead, toolCalls, costUsd, latency, stoppedBy };
  }
}

/**
 * Reserves the price of one call beside the model's, where its caller has a budget.
 * @returns charges the cost to the request's record and budgets; for null the reserved price
 * @throws GatewayError as `reserveLimits`
 */
export async function payFor(
  { parts, request, figures }: Pick<GroundedInput, 'parts' | 'request' | 'figures'>,
  priceUsd: number | null,
): Promise<(costUsd: number | null) => void> {
  const add = (costUsd: number): void => {
    if (costUsd > 0) figures.addBeside(costUsd);
  };
  if (!hasBudget(request.caller) || !priceUsd) return (costUsd) => add(costUsd ?? 0);
  const use = { requests: null, tokens: null };
  const granted = await reserveLimits(parts, request, { ...use, costUsd: priceUsd });
  return (costUsd) => {
    const charged = costUsd ?? priceUsd;
    granted.settle({ ...use, costUsd: charged });
    add(charged);
  };
}
