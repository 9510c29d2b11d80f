import {
  collectDefaultMetrics,
  Gauge,
  type Metric,
  openMetricsContentType,
  prometheusContentType,
  Registry,
} from 'prom-client';
import type { Attempt } from '../../dispatch/execute-plan.js';
import type { Measure } from '../../store/contracts/counters.js';
import type { ObservedRequest } from '../observed-request.js';
import {
  createInstruments,
  type Instruments,
  modelSeries,
  type ModelSeries,
  type shadowOutcomes,
} from './instruments.js';
import { GroundingMetrics } from './grounding-metrics.js';
import type { ScrapedState } from './scraped-instruments.js';
import { type Measurements, sumMeasurements } from './worker-measurements.js';
import type { HistogramSeries } from './series.js';

/** The part of a prom-client registry that a gateway needs to add its metrics to a host's. */
export type MetricRegistry = Pick<
  Registry,
  'registerMetric' | 'removeSingleMetric' | 'getSingleMetric'
>;

/** Of prom-client's metrics those that walk over all connections at each scrape. */
const slowToRead = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}`);

const hedgeOutcomes: Record<string, string> = { ok: 'won', hedge_lost: 'lost' };

/** The outcome of a completion that was drawn to be sent to a second model too. */
export type ShadowOutcome = (typeof shadowOutcomes)[number];

interface MetricSources extends ScrapedState {
  /**
   * Whether a model's name may be a label value; any other becomes `other`, so that clients cannot
   * create an unlimited number of series.
   */
  readonly isKnownModel: (provider: string, model: string) => boolean;
}

/** One gateway's Prometheus metrics in their own registry: OpenTelemetry's for GenAI, and ours. */
export class Metrics {
  /** All metrics of this gateway, and no other. */
  readonly registry = new Registry();
  /** Gives the measurements of all workers, this one included; null: there are no others. */
  gather: (() => Promise<Measurements[]>) | null = null;
  private joined: MetricRegistry | null = null;
  private readonly instruments: Instruments;
  private readonly models = new Map<string, ModelSeries>();
  private readonly selections: HistogramSeries;
  /** The metrics of searching, reading and tools. */
  readonly grounding: GroundingMetrics;

  /** @param prefix prepended to every name */
  constructor(
    prefix: string,
    private readonly sources: MetricSources,
  ) {
    const circuits = () =>
      sources
        .circuits()
        .map((one) =>
          one.model === '*' ? one : { ...one, model: this.modelLabel(one.provider, one.model) },
        );
    this.instruments = createInstruments(this.registry, prefix, { ...sources, circuits });
    this.selections = this.instruments.selections.series();
    this.grounding = new GroundingMetrics(this.instruments);
  }

  /** Adds the version, and prom-client's metrics of the process, of which a host has its own. */
  addProcess(version: string): void {
    const help = 'Always 1, with the version of the gateway.';
    const [name, labelNames, registers] = ['signalbox_build_info', ['version'], [this.registry]];
    new Gauge({ name, help, labelNames, registers, aggregator: 'max' }).set({ version }, 1);
    collectDefaultMetrics({ register: this.registry });
    for (const name of slowToRead)
      for (const one of [name, `${name}_total`]) this.registry.removeSingleMetric(one);
  }

  /** Counts an upstream call. */
  attempt(attempt: Attempt): void {
    const model = this.modelLabel(attempt.provider, attempt.model);
    this.instruments.attempts.series(attempt.provider, model, attempt.outcome).inc();
    if (attempt.number > 1) this.instruments.retries.series(attempt.provider, model).inc();
    if (attempt.hedged)
      this.instruments.hedges.series(hedgeOutcomes[attempt.outcome] ?? 'failed').inc();
    if (attempt.unknownFinish) this.instruments.unknownFinishes.series(attempt.provider).inc();
  }

  /** Counts a finished request. */
  request({ record, surface, startedAt }: ObservedRequest): void {
    const { provider, model, promptTokens, costUsd, heldUsd, ttftMs } = record;
    const durationSeconds = (performance.now() - startedAt) / 1000;
    const label = surface ?? 'other';
    this.instruments.requests.series(label, String(record.status ?? 0)).observe(durationSeconds);
    if (record.code === 'client_closed') this.instruments.disconnects.series(label).inc();
    if (provider === null || model === null) return;
    if (promptTokens === null) {
      // no model answered, but a failed attempt may have been billed
      if (costUsd !== null || heldUsd > 0)
        this.modelSeries('chat', provider, model).addMoney(record);
      return;
    }
    const operation = label === 'embeddings' || label === 'rerank' ? label : 'chat';
    const series = this.modelSeries(operation, record.summedAs?.provider ?? provider, model);
    if (record.code === null) series.duration.observe(durationSeconds);
    else this.instruments.duration.series(...series.labels, record.code).observe(durationSeconds);
    const completionTokens = record.completionTokens ?? 0;
    series.inputTokens.observe(promptTokens);
    if (operation === 'chat') series.outputTokens.observe(completionTokens);
    if (ttftMs !== null) {
      series.ttft.observe(ttftMs / 1000);
      if (completionTokens > 1)
        series.perToken.observe(
          Math.max(0, durationSeconds - ttftMs / 1000) / (completionTokens - 1),
        );
    }
    const [, ...names] = series.labels;
    if (costUsd === null) this.instruments.unpriced.series(...names).inc();
    if (record.fallbacks > 0) this.instruments.fallbacks.series(...names).inc();
    series.addMoney(record);
  }

  readonly selection = (durationMs: number): void => this.selections.observe(durationMs / 1000);

  /** The gateway's own time before the first upstream call. */
  overhead(surface: string, durationMs: number): void {
    this.instruments.overheads.series(surface).observe(durationMs / 1000);
  }

  /** @param ratio tokens of an answer, as a share of what was expected */
  answerLength(provider: string, model: string, ratio: number): void {
    const known = this.modelLabel(provider, model);
    // a host may have named a provider that its client chose
    const named = known === 'other' ? 'other' : provider;
    this.instruments.lengths.series(named, known).observe(ratio);
  }

  /** @param code the failure of the stream that another call continued */
  readonly continued = (code: string): void => this.instruments.seams.series(code).inc();

  readonly usageMissing = (provider: string): void =>
    this.instruments.missing.series(provider).inc();

  readonly limited = (limit: Measure): void => this.instruments.limited.series(limit).inc();

  /** @param provider empty for the gateway's own queue */
  readonly queueWaited = (provider: string, ms: number): void =>
    this.instruments.queueWaits.series(provider).observe(ms / 1000);

  readonly shed = (reason: string): void => this.instruments.shed.series(reason).inc();
  readonly rated = (): void => this.instruments.ratings.series().inc();
  readonly explored = (): void => this.instruments.explored.series().inc();
  readonly shadowed = (outcome: ShadowOutcome): void =>
    this.instruments.shadowed.series(outcome).inc();

  readonly streamOpened = (): void => this.instruments.streams.inc();
  readonly streamClosed = (): void => this.instruments.streams.dec();

  /** Counts an answer that was read again, or whose client was sent to another replica. */
  readonly readAgain = (how: 'resumed' | 'repeated' | 'moved'): void =>
    this.instruments.readAgain.series(how).inc();

  readonly reloaded = (result: 'applied' | 'refused'): void =>
    this.instruments.reloads.series(result).inc();

  readonly turnsLost = (count: number): void => this.instruments.turnsLost.series().inc(count);

  /** Counts turns that were late for their clients, once their outcome is known. */
  readonly turnsLate = (outcome: 'stored' | 'gone' | 'lost', count: number): void =>
    this.instruments.turnsLate.series(outcome).inc(count);

  readonly recordsLost = (kind: string, count: number): void =>
    this.instruments.recordsLost.series(kind).inc(count);

  /** The page for Prometheus: OpenMetrics if `Accept` asks for it, else the text format. */
  async page(accept: string | undefined): Promise<{ contentType: string; text: string }> {
    // prom-client's own spelling is in neither format
    const text = (await (await this.summed()).metrics()).replace(/ Nan$/gm, ' NaN');
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

  /** What this process has measured, as data that another process can sum. */
  measurements(): Promise<Measurements> {
    return this.registry.getMetricsAsJSON();
  }

  private async summed(): Promise<Registry> {
    return this.gather === null ? this.registry : sumMeasurements(await this.gather());
  }

  private metric(name: string): Metric {
    return this.registry.getSingleMetric(name)!;
  }

  private modelSeries(operation: string, provider: string, model: string): ModelSeries {
    const known = this.modelLabel(provider, model);
    const key = `${operation}\0${provider}\0${known}`;
    const series =
      this.models.get(key) ?? modelSeries(this.instruments, [operation, provider, known]);
    this.models.set(key, series);
    return series;
  }

  private modelLabel(provider: string, model: string): string {
    return this.sources.isKnownModel(provider, model) ? model : 'other';
  }
}

/**
 * Converts the text format. prom-client's own switch would rename its counters permanently: pages
 * in the text format would lose their `_total`.
 */
const asOpenMetrics = (text: string): string =>
  `${text.replace(/^# (HELP|TYPE) (\w+)_total /gm, '# $1 $2 ').replace(/\n{2,}/g, '\n')}# EOF\n`;
