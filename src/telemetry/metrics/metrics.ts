import { Gauge, openMetricsContentType, prometheusContentType, Registry } from 'prom-client';
import type { Attempt } from '../../dispatch/execute-plan.js';
import {
  type CounterSeries,
  type HistogramSeries,
  SeriesCounter,
  SeriesHistogram,
} from './series.js';

const requestBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 300, 600, 900];
const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 300,
];
const perTokenBuckets = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5,
];
const overheadBuckets = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1,
];
const tokenBuckets = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304];
const genAiLabels: readonly string[] = [
  'gen_ai_operation_name',
  'gen_ai_provider_name',
  'gen_ai_request_model',
];

/** A request that is over, as far as metrics care. Durations in seconds; labels from closed sets only. */
export interface MeasuredRequest {
  surface: string;
  status: number;
  durationSeconds: number;
  /** `ok` or an error code. */
  outcome: string;
  /** Null where no model answered. */
  answer: {
    provider: string;
    model: string;
    ttftSeconds: number | null;
    promptTokens: number;
    completionTokens: number;
    costUsd: number | null;
    fallbacks: number;
  } | null;
}

/** The instruments, made in a registry. `prefix` stands before every name. */
function createInstruments(registry: Registry, prefix: string) {
  const histogram = (
    name: string,
    help: string,
    labelNames: readonly string[],
    buckets: readonly number[],
  ): SeriesHistogram =>
    new SeriesHistogram({ name: prefix + name, help, labelNames, registry }, buckets);
  const counter = (name: string, help: string, ...labelNames: string[]): SeriesCounter =>
    new SeriesCounter({ name: prefix + name, help, labelNames, registry });
  return {
    requests: histogram(
      'signalbox_request_duration_seconds',
      "Time from a request's arrival to the end of its answer, by surface and status.",
      ['surface', 'status'],
      requestBuckets,
    ),
    selections: histogram(
      'signalbox_selection_duration_seconds',
      'Time to choose a model.',
      [],
      overheadBuckets,
    ),
    overheads: histogram(
      'signalbox_overhead_seconds',
      "The gateway's own time before the first upstream call.",
      ['surface'],
      overheadBuckets,
    ),
    attempts: counter(
      'signalbox_attempts_total',
      'Upstream calls by outcome.',
      'provider',
      'model',
      'outcome',
    ),
    retries: counter(
      'signalbox_retries_total',
      'Upstream calls beyond the first to the same candidate.',
      'provider',
      'model',
    ),
    fallbacks: counter(
      'signalbox_fallbacks_total',
      'Answers that came from another candidate than the first tried.',
      'provider',
      'model',
    ),
    cost: counter(
      'signalbox_cost_usd_total',
      'Cost of answers in USD, where the price is known.',
      'provider',
      'model',
    ),
    unpriced: counter(
      'signalbox_cost_unknown_total',
      'Answers whose price nobody knows.',
      'provider',
      'model',
    ),
    missing: counter(
      'signalbox_usage_missing_total',
      'Answers whose usage the provider did not report; it was estimated.',
      'provider',
    ),
    streams: new Gauge({
      name: `${prefix}signalbox_streams_open`,
      help: 'Streams that are open now.',
      registers: [registry],
    }),
    disconnects: counter(
      'signalbox_client_disconnects_total',
      'Requests whose client left before the end.',
      'surface',
    ),
    reloads: counter(
      'signalbox_config_reloads_total',
      'Configurations read while running, by result.',
      'result',
    ),
    limited: counter(
      'signalbox_limited_total',
      'Requests that were refused because of a limit of their key, by limit.',
      'limit',
    ),
    ratings: counter(
      'signalbox_ratings_total',
      'Ratings that were taken in to move later choices.',
    ),
    explored: counter(
      'signalbox_explored_total',
      'Decisions that tried another candidate than the first.',
    ),
    turnsLost: counter(
      'signalbox_turns_lost_total',
      'Turns of conversations that could not be stored and are lost.',
    ),
    recordsLost: counter(
      'signalbox_records_lost_total',
      'Records of requests that could not be written and are lost.',
      'kind',
    ),
    duration: histogram(
      'gen_ai_server_request_duration_seconds',
      "Time of a model's answer, retries and fallbacks included.",
      [...genAiLabels, 'error_type'],
      requestBuckets,
    ),
    ttft: histogram(
      'gen_ai_server_time_to_first_token_seconds',
      "Time from a request's arrival to the first content of its answer.",
      genAiLabels,
      firstTokenBuckets,
    ),
    perToken: histogram(
      'gen_ai_server_time_per_output_token_seconds',
      'Time for each output token after the first.',
      genAiLabels,
      perTokenBuckets,
    ),
    tokens: histogram(
      'gen_ai_client_token_usage',
      'Tokens of an answer.',
      [...genAiLabels, 'gen_ai_token_type'],
      tokenBuckets,
    ),
  };
}

/** A gauge that is read when the page is: setting it with every record would cost more than the record. */
function registerQueueGauge(
  registry: Registry,
  prefix: string,
  recordsQueued: () => Readonly<Record<string, number>>,
): void {
  new Gauge({
    name: `${prefix}signalbox_records_queued`,
    help: 'Records of requests that wait to be written.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, size] of Object.entries(recordsQueued())) this.set({ kind }, size);
    },
  });
}

function registerFallbackGauge(
  registry: Registry,
  prefix: string,
  isFallback: () => boolean,
): void {
  new Gauge({
    name: `${prefix}signalbox_counters_fallback`,
    help: '1 while replicas should share limits and budgets and cannot: each counts for itself.',
    registers: [registry],
    collect() {
      this.set(isFallback() ? 1 : 0);
    },
  });
}

/** The series of one model on one operation, looked up once. */
class ModelSeries {
  readonly duration: HistogramSeries;
  readonly ttft: HistogramSeries;
  readonly perToken: HistogramSeries;
  readonly inputTokens: HistogramSeries;
  readonly outputTokens: HistogramSeries;
  readonly cost: CounterSeries;

  constructor(
    readonly instruments: ReturnType<typeof createInstruments>,
    readonly labels: readonly [operation: string, provider: string, model: string],
  ) {
    const [, provider, model] = labels;
    this.duration = instruments.duration.series(...labels, '');
    this.ttft = instruments.ttft.series(...labels);
    this.perToken = instruments.perToken.series(...labels);
    this.inputTokens = instruments.tokens.series(...labels, 'input');
    this.outputTokens = instruments.tokens.series(...labels, 'output');
    this.cost = instruments.cost.series(provider, model);
  }
}

/** All that Prometheus is told: OpenTelemetry's GenAI names in Prometheus form, and our own. One registry for each gateway. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly instruments: ReturnType<typeof createInstruments>;
  private readonly models = new Map<string, ModelSeries>();
  private readonly selections: HistogramSeries;

  /**
   * @param isKnownModel says whether a model's name may stand in a label; any other becomes `other`, so that what clients type cannot
   * grow the metrics without bound
   * @param prefix stands before every name
   * @param recordsQueued how many records wait to be written, by kind
   * @param isFallback whether replicas should share limits and cannot for now
   */
  constructor(
    private readonly isKnownModel: (provider: string, model: string) => boolean,
    prefix = '',
    recordsQueued: () => Readonly<Record<string, number>> = () => ({}),
    isFallback: () => boolean = () => false,
  ) {
    this.instruments = createInstruments(this.registry, prefix);
    this.selections = this.instruments.selections.series();
    // a counter that is there from the start can be alerted on
    for (const surface of ['model_select', 'completions', 'openai', 'embeddings', 'proxy'])
      this.instruments.disconnects.series(surface);
    for (const result of ['applied', 'refused']) this.instruments.reloads.series(result);
    for (const limit of ['requests', 'tokens', 'usd_day', 'usd_month'])
      this.instruments.limited.series(limit);
    this.instruments.turnsLost.series();
    this.instruments.ratings.series();
    this.instruments.explored.series();
    for (const kind of ['requests', 'selections', 'outcomes'])
      this.instruments.recordsLost.series(kind);
    registerQueueGauge(this.registry, prefix, recordsQueued);
    registerFallbackGauge(this.registry, prefix, isFallback);
  }

  /** One upstream call. */
  attempt(attempt: Attempt): void {
    const model = this.modelLabel(attempt.provider, attempt.model);
    this.instruments.attempts.series(attempt.provider, model, attempt.outcome).inc();
    if (attempt.number > 1) this.instruments.retries.series(attempt.provider, model).inc();
  }

  request({ surface, status, outcome, durationSeconds, answer }: MeasuredRequest): void {
    this.instruments.requests.series(surface, String(status)).observe(durationSeconds);
    if (outcome === 'client_closed') this.instruments.disconnects.series(surface).inc();
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
    this.money(series.labels, series.cost, answer);
  }

  selection(durationMs: number): void {
    this.selections.observe(durationMs / 1000);
  }

  overhead(surface: string, durationMs: number): void {
    this.instruments.overheads.series(surface).observe(durationMs / 1000);
  }

  usageMissing(provider: string): void {
    this.instruments.missing.series(provider).inc();
  }

  limited(limit: string): void {
    this.instruments.limited.series(limit).inc();
  }

  rated(): void {
    this.instruments.ratings.series().inc();
  }

  explored(): void {
    this.instruments.explored.series().inc();
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

  recordsLost(kind: string, count: number): void {
    this.instruments.recordsLost.series(kind).inc(count);
  }

  /** The page that Prometheus reads, in the text format or, if asked for, OpenMetrics. */
  async page(accept: string | undefined): Promise<{ contentType: string; text: string }> {
    const text = await this.registry.metrics();
    const open = accept?.includes('application/openmetrics-text') ?? false;
    return open
      ? { contentType: openMetricsContentType, text: asOpenMetrics(text) }
      : { contentType: prometheusContentType, text };
  }

  private money(
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

/** Not prom-client's own switch: that one renames its counters for good, and the next page in the other format lacks their `_total`. */
function asOpenMetrics(text: string): string {
  return `${text.replace(/^# (HELP|TYPE) (\w+)_total /gm, '# $1 $2 ').replace(/\n{2,}/g, '\n')}# EOF\n`;
}
