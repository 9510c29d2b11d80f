import type { RequestRecord } from '../observed-request.js';
import { Gauge, type Registry } from 'prom-client';
import { awaitedSurfaces } from '../../surface-labels.js';
import { groundingInstruments } from './grounding-metrics.js';
import { scrapedInstruments, type ScrapedState } from './scraped-instruments.js';
import { type InstrumentMaker, requestBuckets, SeriesCounter, SeriesHistogram } from './series.js';

const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 300,
];
const perTokenBuckets = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5,
];
const overheadBuckets = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1,
];
/** Powers of 2; 1: as expected. */
const ratioBuckets = [0.125, 0.25, 0.5, 0.71, 1, 1.41, 2, 4, 8];
const tokenBuckets = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304];
/** The outcomes of completions that were drawn to be sent to a second model too. */
export const shadowOutcomes = [
  'answered',
  // the answer was cut at a bound that only the second one has
  'truncated',
  'failed',
  // the gateway stopped
  'cancelled',
  // the maximum was already running
  'busy',
  // the day's budget, or a limit of its key or account, has no room for its longest answer
  'budget',
  'limited',
  // the account does not allow shadow requests
  'refused',
] as const;

const genAiLabels: readonly string[] = [
  'gen_ai_operation_name',
  'gen_ai_provider_name',
  'gen_ai_request_model',
];

const makerFor = (registry: Registry, prefix: string): InstrumentMaker => ({
  histogram: (name, help, labelNames, buckets) =>
    new SeriesHistogram({ name: prefix + name, help, labelNames, registry }, buckets),
  counter: (name, help, ...labelNames) =>
    new SeriesCounter({ name: prefix + name, help, labelNames, registry }),
  gauge: (name, help, collect, labelNames = [], aggregator = collect ? 'max' : 'sum') =>
    new Gauge({
      name: prefix + name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      aggregator,
      ...(collect && {
        collect() {
          collect(this);
        },
      }),
    }),
});

const requestInstruments = ({ counter, gauge, histogram }: InstrumentMaker) => ({
  requests: histogram(
    'signalbox_request_duration_seconds',
    "Time from a request's arrival to the end of its response, by surface and status.",
    ['surface', 'status'],
    requestBuckets,
  ),
  selections: histogram(
    'signalbox_selection_duration_seconds',
    'Time to select a model.',
    [],
    overheadBuckets,
  ),
  overheads: histogram(
    'signalbox_overhead_seconds',
    "The gateway's own time before the first upstream call.",
    ['surface'],
    overheadBuckets,
  ),
  streams: gauge('signalbox_streams_open', 'Streams that are open now.'),
  seams: counter(
    'signalbox_stream_seams_total',
    'Streams that broke after their first content and went on with another call, by error code.',
    'code',
  ),
  disconnects: counter(
    'signalbox_client_disconnects_total',
    'Requests whose client disconnected before the end.',
    'surface',
  ).startingAtZero(...awaitedSurfaces),
  readAgain: counter(
    'signalbox_answers_read_again_total',
    'Answers that were resumed, repeated for an Idempotency-Key, or moved to another replica.',
    'how',
  ).startingAtZero('resumed', 'repeated', 'moved'),
  hedges: counter(
    'signalbox_hedges_total',
    'Second calls of hedged requests by outcome: won, lost to the first call, or failed.',
    'outcome',
  ).startingAtZero('won', 'lost', 'failed'),
  limited: counter(
    'signalbox_limited_total',
    'Requests refused by a limit of their key, by limit.',
    'limit',
  ).startingAtZero('requests', 'tokens', 'usd_day', 'usd_month'),
});

/** Instruments of what waits or is refused because too much is in progress. */
const loadInstruments = ({ counter, histogram }: InstrumentMaker) => ({
  shed: counter(
    'signalbox_shed_total',
    'Requests and calls refused because too much is in progress, by reason.',
    'reason',
  ).startingAtZero('event_loop', 'queue', 'queue_timeout', 'account'),
  queueWaits: histogram(
    'signalbox_queue_wait_seconds',
    "How long requests (no provider) and a provider's calls waited for a slot.",
    ['provider'],
    firstTokenBuckets,
  ),
});

/** Instruments of upstream calls and their cost. */
const attemptInstruments = ({ counter, histogram }: InstrumentMaker) => {
  const ofModel = (name: string, help: string): SeriesCounter =>
    counter(name, help, 'provider', 'model');
  return {
    lengths: histogram(
      'signalbox_answer_tokens_ratio',
      'Tokens of an answer, as a share of what was expected when its model was chosen.',
      ['provider', 'model'],
      ratioBuckets,
    ),
    attempts: counter(
      'signalbox_attempts_total',
      'Upstream calls by outcome.',
      'provider',
      'model',
      'outcome',
    ),
    retries: ofModel('signalbox_retries_total', 'Upstream calls to a candidate after the first.'),
    fallbacks: ofModel(
      'signalbox_fallbacks_total',
      'Answers from another candidate than the first tried.',
    ),
    cost: ofModel(
      'signalbox_cost_usd_total',
      'Spend of requests in USD, where the price is known: what providers stated, and estimates of what they did not.',
    ),
    estimated: ofModel(
      'signalbox_estimated_usd_total',
      'The part of the spend that is estimated, because the provider stated no usage.',
    ),
    held: ofModel(
      'signalbox_held_usd_total',
      'What budgets set aside beyond the spend, because a provider may still bill it.',
    ),
    unpriced: ofModel('signalbox_cost_unknown_total', 'Answers of models without a known price.'),
    missing: counter(
      'signalbox_usage_missing_total',
      'Answers whose usage the provider did not report; it was estimated.',
      'provider',
    ),
    unknownFinishes: counter(
      'signalbox_unknown_finish_reasons_total',
      'Answers with an unknown finish reason; it counted as `stop`.',
      'provider',
    ),
  };
};

/** Instruments of reloads, learning and lost records. */
const lossInstruments = ({ counter }: InstrumentMaker) => ({
  reloads: counter(
    'signalbox_config_reloads_total',
    'Configuration reloads, by result.',
    'result',
  ).startingAtZero('applied', 'refused'),
  ratings: counter(
    'signalbox_ratings_total',
    'Ratings that influence later choices.',
  ).startingAtZero(),
  explored: counter(
    'signalbox_explored_total',
    'Decisions that tried another candidate than the best.',
  ).startingAtZero(),
  shadowed: counter(
    'signalbox_shadow_requests_total',
    'Completions drawn to be sent to a second model too, by what became of it.',
    'outcome',
  ).startingAtZero(...shadowOutcomes),
  turnsLost: counter(
    'signalbox_turns_lost_total',
    'Conversation turns lost because they could not be stored.',
  ).startingAtZero(),
  turnsLate: counter(
    'signalbox_turns_late_total',
    'Conversation turns that were not stored when their clients were answered, by what became of them.',
    'outcome',
  ).startingAtZero('stored', 'gone', 'lost'),
  recordsLost: counter(
    'signalbox_records_lost_total',
    'Request log records that could not be written, and spans that no collector took.',
    'kind',
  ).startingAtZero('requests', 'selections', 'outcomes', 'choices', 'spans'),
});

/** Instruments with the names of OpenTelemetry's GenAI conventions. */
const genAiInstruments = ({ histogram }: InstrumentMaker) => ({
  duration: histogram(
    'gen_ai_server_request_duration_seconds',
    "Duration of a model's answer, including retries and fallbacks.",
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
});

/** Creates all instruments of a registry. `prefix` is prepended to every name. */
export function createInstruments(registry: Registry, prefix: string, scraped: ScrapedState) {
  const maker = makerFor(registry, prefix);
  return {
    ...requestInstruments(maker),
    ...loadInstruments(maker),
    ...attemptInstruments(maker),
    ...groundingInstruments(maker),
    ...lossInstruments(maker),
    ...scrapedInstruments(maker, scraped),
    ...genAiInstruments(maker),
  };
}

/** The instruments by name. */
export type Instruments = ReturnType<typeof createInstruments>;

/** The series of one operation of one model, looked up once. */
export function modelSeries(
  instruments: Instruments,
  labels: readonly [operation: string, provider: string, model: string],
) {
  const [, provider, model] = labels;
  const cost = instruments.cost.series(provider, model);
  const estimated = instruments.estimated.series(provider, model);
  const held = instruments.held.series(provider, model);
  return {
    labels,
    duration: instruments.duration.series(...labels, ''),
    ttft: instruments.ttft.series(...labels),
    perToken: instruments.perToken.series(...labels),
    inputTokens: instruments.tokens.series(...labels, 'input'),
    outputTokens: instruments.tokens.series(...labels, 'output'),
    addMoney({ costUsd, estimatedUsd, heldUsd }: RequestRecord): void {
      cost.inc(costUsd ?? 0);
      estimated.inc(estimatedUsd);
      held.inc(heldUsd);
    },
  };
}

/** The same by name. */
export type ModelSeries = ReturnType<typeof modelSeries>;
