import { Counter, Gauge, Histogram, openMetricsContentType, prometheusContentType, Registry } from 'prom-client';
import type { Attempt } from './dispatch/carry-out.js';
import { errorCodes } from './errors.js';

const requestBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 300, 600, 900];
const firstTokenBuckets = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 300];
const perTokenBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
const overheadBuckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];
const tokenBuckets = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304];
const genAiLabels = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;

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
  const registers = [registry];
  const histogram = <T extends string>(name: string, help: string, labelNames: readonly T[], buckets: number[]): Histogram<T> => new Histogram({ name: prefix + name, help, labelNames: [...labelNames], buckets, registers });
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[]): Counter<T> => new Counter({ name: prefix + name, help, labelNames: [...labelNames], registers });
  return {
    requests: histogram('signalbox_request_duration_seconds', 'Time from a request\'s arrival to the end of its answer, by surface and status.', ['surface', 'status'], requestBuckets),
    selections: histogram('signalbox_selection_duration_seconds', 'Time to choose a model.', [], overheadBuckets),
    overheads: histogram('signalbox_overhead_seconds', 'The gateway\'s own time before the first upstream call.', ['surface'], overheadBuckets),
    attempts: counter('signalbox_attempts_total', 'Upstream calls by outcome.', ['provider', 'model', 'outcome']),
    retries: counter('signalbox_retries_total', 'Upstream calls beyond the first to the same candidate.', ['provider', 'model']),
    fallbacks: counter('signalbox_fallbacks_total', 'Answers that came from another candidate than the first tried.', ['provider', 'model']),
    cost: counter('signalbox_cost_usd_total', 'Cost of answers in USD, where the price is known.', ['provider', 'model']),
    unpriced: counter('signalbox_cost_unknown_total', 'Answers whose price nobody knows.', ['provider', 'model']),
    missing: counter('signalbox_usage_missing_total', 'Answers whose usage the provider did not report; it was estimated.', ['provider']),
    streams: new Gauge({ name: `${prefix}signalbox_streams_open`, help: 'Streams that are open now.', registers }),
    disconnects: counter('signalbox_client_disconnects_total', 'Requests whose client left before the end.', ['surface']),
    reloads: counter('signalbox_config_reloads_total', 'Configurations read while running, by result.', ['result']),
    duration: histogram('gen_ai_server_request_duration_seconds', 'Time of a model\'s answer, retries and fallbacks included.', [...genAiLabels, 'error_type'], requestBuckets),
    ttft: histogram('gen_ai_server_time_to_first_token_seconds', 'Time from a request\'s arrival to the first content of its answer.', genAiLabels, firstTokenBuckets),
    perToken: histogram('gen_ai_server_time_per_output_token_seconds', 'Time for each output token after the first.', genAiLabels, perTokenBuckets),
    tokens: histogram('gen_ai_client_token_usage', 'Tokens of an answer.', [...genAiLabels, 'gen_ai_token_type'], tokenBuckets),
  };
}

/** All that Prometheus is told: OpenTelemetry's GenAI names in Prometheus form, and our own. One registry for each gateway. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly instruments: ReturnType<typeof createInstruments>;

  /**
   * @param isKnownModel says whether a model's name may stand in a label; any other becomes `other`, so that what clients type cannot
   * grow the metrics without bound
   * @param prefix stands before every name
   */
  constructor(private readonly isKnownModel: (provider: string, model: string) => boolean, prefix = '') {
    this.instruments = createInstruments(this.registry, prefix);
    for (const surface of ['model_select', 'completions', 'openai', 'embeddings', 'proxy']) this.instruments.disconnects.inc({ surface }, 0);
  }

  /** One upstream call. */
  attempt(attempt: Attempt): void {
    const labels = this.labels(attempt.provider, attempt.model);
    this.instruments.attempts.inc({ ...labels, outcome: attempt.outcome });
    if (attempt.number > 1) this.instruments.retries.inc(labels);
  }

  request(request: MeasuredRequest): void {
    this.instruments.requests.observe({ surface: request.surface, status: String(request.status) }, request.durationSeconds);
    if (request.outcome === 'client_closed') this.instruments.disconnects.inc({ surface: request.surface });
    const { answer } = request;
    if (!answer) return;
    const { provider, model } = this.labels(answer.provider, answer.model);
    const labels = { gen_ai_operation_name: request.surface === 'embeddings' ? 'embeddings' : 'chat', gen_ai_provider_name: provider, gen_ai_request_model: model };
    this.instruments.duration.observe({ ...labels, error_type: request.outcome === 'ok' ? '' : request.outcome }, request.durationSeconds);
    this.instruments.tokens.observe({ ...labels, gen_ai_token_type: 'input' }, answer.promptTokens);
    if (request.surface !== 'embeddings') this.instruments.tokens.observe({ ...labels, gen_ai_token_type: 'output' }, answer.completionTokens);
    if (answer.ttftSeconds !== null) this.times(labels, answer.ttftSeconds, request.durationSeconds, answer.completionTokens);
    if (answer.costUsd === null) this.instruments.unpriced.inc({ provider, model });
    else this.instruments.cost.inc({ provider, model }, answer.costUsd);
    if (answer.fallbacks > 0) this.instruments.fallbacks.inc({ provider, model });
  }

  selection(durationMs: number): void {
    this.instruments.selections.observe(durationMs / 1000);
  }

  overhead(surface: string, durationMs: number): void {
    this.instruments.overheads.observe({ surface }, durationMs / 1000);
  }

  usageMissing(provider: string): void {
    this.instruments.missing.inc({ provider });
  }

  streamOpened(): void {
    this.instruments.streams.inc();
  }

  streamClosed(): void {
    this.instruments.streams.dec();
  }

  reloaded(result: 'applied' | 'refused'): void {
    this.instruments.reloads.inc({ result });
  }

  /** The page that Prometheus reads, in the text format or, if asked for, OpenMetrics. */
  async page(accept: string | undefined): Promise<{ contentType: string; text: string }> {
    const open = accept?.includes('application/openmetrics-text') ?? false;
    this.registry.setContentType((open ? openMetricsContentType : prometheusContentType) as typeof prometheusContentType);
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  private times(labels: Record<string, string>, ttftSeconds: number, durationSeconds: number, completionTokens: number): void {
    this.instruments.ttft.observe(labels, ttftSeconds);
    if (completionTokens > 1) this.instruments.perToken.observe(labels, Math.max(0, durationSeconds - ttftSeconds) / (completionTokens - 1));
  }

  private labels(provider: string, model: string): { provider: string; model: string } {
    return { provider, model: this.isKnownModel(provider, model) ? model : 'other' };
  }
}

/** The closed set of outcomes. */
export const outcomes: readonly string[] = ['ok', ...errorCodes];
