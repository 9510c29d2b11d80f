import { type Metric, openMetricsContentType, prometheusContentType, Registry } from 'prom-client';
import type { Attempt } from '../../dispatch/execute-plan.js';
import type { Measure } from '../../store/contracts/counters.js';
import type { ObservedRequest } from '../observed-request.js';
import {
  registerFallbackGauge,
  registerQueueGauge,
  createInstruments,
  type Instruments,
  ModelSeries,
} from './instruments.js';
import { GroundingMetrics } from './grounding-metrics.js';
import { type MeasuredRequest, measuredRequest } from './measured-request.js';
import type { CounterSeries, HistogramSeries } from './series.js';
import { awaitedSurfaces } from '../../surface-labels.js';

/** The part of a prom-client registry that a gateway needs to add its metrics to a host's. */
export type MetricRegistry = Pick<
  Registry,
  'registerMetric' | 'removeSingleMetric' | 'getSingleMetric'
>;

/** What becomes of a completion that was drawn to be sent to a second model too. */
const shadowOutcomes = [
  'answered',
  // the answer was cut at a bound that only the second one has
  'truncated',
  'failed',
  // the gateway stopped
  'cancelled',
  // as many as may run at a time were running
  'busy',
  // the day's budget, or a limit of its key or account, has no room for its longest answer
  'budget',
  'limited',
  // the account wants none
  'refused',
] as const;

export type ShadowOutcome = (typeof shadowOutcomes)[number];

/**
 * The Prometheus metrics of one gateway, in a registry of its own: OpenTelemetry's GenAI metrics,
 * and our own.
 */
export class Metrics {
  /** All metrics of this gateway, and no other. */
  readonly registry = new Registry();
  private joined: MetricRegistry | null = null;
  private readonly instruments: Instruments;
  private readonly models = new Map<string, ModelSeries>();
  private readonly selections: HistogramSeries;
  /** Of searching, reading and tools. */
  readonly grounding: GroundingMetrics;

  /**
   * @param isKnownModel whether a model's name may be a label value; any other becomes `other`, so
   * that clients cannot create an unlimited number of series
   * @param prefix prepended to every name
   * @param recordsQueued the number of records waiting to be written, by kind
   * @param isFallback whether replicas are currently unable to share limits
   */
  constructor(
    private readonly isKnownModel: (provider: string, model: string) => boolean,
    prefix = '',
    recordsQueued: () => Readonly<Record<string, number>> = () => ({}),
    isFallback: () => boolean = () => false,
  ) {
    this.instruments = createInstruments(this.registry, prefix);
    this.selections = this.instruments.selections.series();
    this.grounding = new GroundingMetrics(this.instruments);
    // alerts need counters that exist from the start
    for (const surface of awaitedSurfaces) this.instruments.disconnects.series(surface);
    for (const result of ['applied', 'refused']) this.instruments.reloads.series(result);
    for (const limit of ['requests', 'tokens', 'usd_day', 'usd_month'])
      this.instruments.limited.series(limit);
    this.instruments.turnsLost.series();
    for (const outcome of ['stored', 'gone', 'lost']) this.instruments.turnsLate.series(outcome);
    this.instruments.citations.series();
    this.instruments.citationsDropped.series();
    this.instruments.ratings.series();
    this.instruments.explored.series();
    for (const outcome of shadowOutcomes) this.instruments.shadowed.series(outcome);
    for (const kind of ['requests', 'selections', 'outcomes', 'choices'])
      this.instruments.recordsLost.series(kind);
    registerQueueGauge(this.registry, prefix, recordsQueued);
    registerFallbackGauge(this.registry, prefix, isFallback);
  }

  /** Counts an upstream call. */
  attempt(attempt: Attempt): void {
    const model = this.modelLabel(attempt.provider, attempt.model);
    this.instruments.attempts.series(attempt.provider, model, attempt.outcome).inc();
    if (attempt.number > 1) this.instruments.retries.series(attempt.provider, model).inc();
  }

  /** Counts a finished request. */
  request(observed: ObservedRequest): void {
    const { surface, status, outcome, durationSeconds, answer, lost } = measuredRequest(observed);
    this.instruments.requests.series(surface, String(status)).observe(durationSeconds);
    if (outcome === 'client_closed') this.instruments.disconnects.series(surface).inc();
    if (lost) this.modelSeries('chat', lost.provider, lost.model).cost.inc(lost.costUsd);
    if (!answer) return;
    const operation = surface === 'embeddings' ? 'embeddings' : 'chat';
    const series = this.modelSeries(operation, answer.provider, answer.model);
    if (outcome === 'ok') series.duration.observe(durationSeconds);
    else this.instruments.duration.series(...series.labels, outcome).observe(durationSeconds);
    series.inputTokens.observe(answer.promptTokens);
    if (operation === 'chat') series.outputTokens.observe(answer.completionTokens);
    if (answer.ttftSeconds !== null) {
      series.ttft.observe(answer.ttftSeconds);
      if (answer.completionTokens > 1)
        series.perToken.observe(
          Math.max(0, durationSeconds - answer.ttftSeconds) / (answer.completionTokens - 1),
        );
    }
    this.countCost(series.labels, series.cost, answer);
  }

  selection(durationMs: number): void {
    this.selections.observe(durationMs / 1000);
  }

  /** The gateway's own time before the first upstream call. */
  overhead(surface: string, durationMs: number): void {
    this.instruments.overheads.series(surface).observe(durationMs / 1000);
  }

  /**
   * @param ratio tokens of an answer, as a share of what was expected
   */
  answerLength(provider: string, model: string, ratio: number): void {
    const known = this.modelLabel(provider, model);
    // a host may have named a provider that its client chose
    const named = known === 'other' ? 'other' : provider;
    this.instruments.lengths.series(named, known).observe(ratio);
  }

  usageMissing(provider: string): void {
    this.instruments.missing.series(provider).inc();
  }

  limited(limit: Measure): void {
    this.instruments.limited.series(limit).inc();
  }

  rated(): void {
    this.instruments.ratings.series().inc();
  }

  explored(): void {
    this.instruments.explored.series().inc();
  }

  shadowed(outcome: ShadowOutcome): void {
    this.instruments.shadowed.series(outcome).inc();
  }

  streamOpened(): void {
    this.instruments.streams.inc();
  }

  streamClosed(): void {
    this.instruments.streams.dec();
  }

  reloaded(result: 'applied' | 'refused'): void {
    this.instruments.reloads.series(result).inc();
  }

  turnsLost(count: number): void {
    this.instruments.turnsLost.series().inc(count);
  }

  /** Counts turns that were late for their clients, when it is known what became of them. */
  turnsLate(outcome: 'stored' | 'gone' | 'lost', count: number): void {
    this.instruments.turnsLate.series(outcome).inc(count);
  }

  recordsLost(kind: string, count: number): void {
    this.instruments.recordsLost.series(kind).inc(count);
  }

  /**
   * The page for Prometheus: in OpenMetrics if the `Accept` header asks for it, else in the text
   * format.
   */
  async page(accept: string | undefined): Promise<{ contentType: string; text: string }> {
    const text = await this.registry.metrics();
    const open = accept?.includes('application/openmetrics-text') ?? false;
    return open
      ? { contentType: openMetricsContentType, text: asOpenMetrics(text) }
      : { contentType: prometheusContentType, text };
  }

  /**
   * Adds all metrics to a host's registry too.
   * @returns the name of a metric that is in it already; then nothing was added. Null: added
   */
  joinRegistry(registry: MetricRegistry): string | null {
    const own = this.registry.getMetricsAsArray();
    const taken = own.find(({ name }) => registry.getSingleMetric(name) !== undefined);
    if (taken) return taken.name;
    for (const { name } of own) registry.registerMetric(this.metric(name));
    this.joined = registry;
    return null;
  }

  /** Removes the metrics from the host's registry. */
  close(): void {
    for (const { name } of this.registry.getMetricsAsArray())
      if (this.joined?.getSingleMetric(name) === this.metric(name))
        this.joined.removeSingleMetric(name);
    this.joined = null;
  }

  private metric(name: string): Metric {
    return this.registry.getSingleMetric(name)!;
  }

  private countCost(
    [, provider, model]: ModelSeries['labels'],
    cost: CounterSeries,
    { costUsd, fallbacks }: NonNullable<MeasuredRequest['answer']>,
  ): void {
    if (costUsd === null) this.instruments.unpriced.series(provider, model).inc();
    else cost.inc(costUsd);
    if (fallbacks > 0) this.instruments.fallbacks.series(provider, model).inc();
  }

  private modelSeries(operation: string, provider: string, model: string): ModelSeries {
    const known = this.modelLabel(provider, model);
    const key = `${operation}\0${provider}\0${known}`;
    let series = this.models.get(key);
    if (!series)
      this.models.set(
        key,
        (series = new ModelSeries(this.instruments, [operation, provider, known])),
      );
    return series;
  }

  private modelLabel(provider: string, model: string): string {
    return this.isKnownModel(provider, model) ? model : 'other';
  }
}

/**
 * Converts the text format. prom-client's own switch would rename its counters permanently, so that
 * pages in the text format lose their `_total`.
 */
function asOpenMetrics(text: string): string {
  return `${text.replace(/^# (HELP|TYPE) (\w+)_total /gm, '# $1 $2 ').replace(/\n{2,}/g, '\n')}# EOF\n`;
}
