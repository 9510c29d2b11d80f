import { createRequire } from 'node:module';
import type * as Api from '@opentelemetry/api';
import type * as Core from '@opentelemetry/core';
import type * as Otlp from '@opentelemetry/exporter-trace-otlp-http';
import type * as Resources from '@opentelemetry/resources';
import type * as Sdk from '@opentelemetry/sdk-trace-base';
import { withTimeout } from '../../async/with-timeout.js';
import type { Plan } from '../../chooser/plan.js';
import { loggedSurfaces } from '../../surface-labels.js';
import type { ObservedRequest } from '../observed-request.js';
import { RequestSpans, type TracingTools, wallOffset } from './request-spans.js';

/** The section `tracing` of the configuration. */
interface TracingSettings {
  readonly enabled: boolean | null;
  readonly endpoint: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampleRate: number | null;
  readonly serviceName: string | null;
  readonly propagate: 'none' | 'local' | 'all' | null;
}

/** How many spans may wait for the collector. */
const maxWaiting = 4_096;
const maxBatch = 512;
/** How long a stop waits for the collector. */
const flushMs = 5_000;
const name = 'signalbox';

// synchronous, unlike import(), so that the first request is traced too
const load = createRequire(import.meta.url);

/**
 * Prepares tracing where it is asked for: with an exporter of its own, or with the tracer provider
 * that the process has registered. The packages of OpenTelemetry are loaded only then.
 * @param lost called with the number of dropped spans
 * @returns null: nothing is traced
 */
export function openTracing(
  settings: TracingSettings,
  env: NodeJS.ProcessEnv,
  isLocalHost: (host: string) => boolean,
  lost: (count: number) => void,
): Tracing | null {
  const { enabled, endpoint, propagate } = settings;
  const usesHosts = endpoint === null && hasRegisteredProvider();
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = env;
  const isOff = env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  const isAsked = usesHosts || endpoint || ((all || traces) && !isOff);
  if (!(enabled ?? isAsked)) return null;
  const api = load('@opentelemetry/api') as typeof Api;
  const { W3CTraceContextPropagator } = load('@opentelemetry/core') as typeof Core;
  const own = usesHosts ? null : ownProvider(settings, lost);
  const reach = propagate ?? (usesHosts ? 'none' : 'local');
  const propagatesTo = (host: string): boolean =>
    reach === 'all' || (reach === 'local' && isLocalHost(host));
  const tracer = (own ?? api.trace).getTracer(name);
  const propagator = new W3CTraceContextPropagator();
  return new Tracing({ api, tracer, propagator, propagatesTo }, own);
}

/** Whether the process has a tracer provider: every 1.x of the API keeps it under this symbol. */
function hasRegisteredProvider(): boolean {
  const registered: unknown = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'));
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}

function ownProvider(
  { endpoint, headers, sampleRate, serviceName }: TracingSettings,
  lost: (count: number) => void,
): Sdk.BasicTracerProvider {
  const sdk = load('@opentelemetry/sdk-trace-base') as typeof Sdk;
  const { OTLPTraceExporter } = load('@opentelemetry/exporter-trace-otlp-http') as typeof Otlp;
  const resources = load('@opentelemetry/resources') as typeof Resources;
  const named = resources.resourceFromAttributes;
  // as OpenTelemetry reads OTEL_EXPORTER_OTLP_ENDPOINT
  const url = endpoint?.replace(/(\/v1\/traces)?\/*$/, '/v1/traces');
  const exporter = new OTLPTraceExporter({ headers: { ...headers }, ...(url ? { url } : {}) });
  const root = sampleRate === null ? null : new sdk.TraceIdRatioBasedSampler(sampleRate);
  return new sdk.BasicTracerProvider({
    resource: resources
      .defaultResource()
      .merge(named({ 'service.name': name }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] }))
      .merge(named(serviceName === null ? {} : { 'service.name': serviceName })),
    ...(root ? { sampler: new sdk.ParentBasedSampler({ root }) } : {}),
    spanProcessors: [boundedSpans(sdk, exporter, lost)],
  });
}

/** The SDK's batch processor, which drops spans silently, behind a bound that counts its drops. */
function boundedSpans(
  sdk: typeof Sdk,
  exporter: Sdk.SpanExporter,
  lost: (count: number) => void,
): Sdk.SpanProcessor {
  let waiting = 0;
  const counted: Sdk.SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        waiting -= spans.length;
        const code: number = result.code;
        if (code > 0) lost(spans.length);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const bounds = { maxQueueSize: maxWaiting, maxExportBatchSize: maxBatch };
  const batches = new sdk.BatchSpanProcessor(counted, bounds);
  return {
    onStart: () => undefined,
    onEnd(span) {
      const isSampled = (span.spanContext().traceFlags & 1) === 1;
      if (isSampled && waiting >= maxWaiting) lost(1);
      else if (isSampled) {
        waiting++;
        batches.onEnd(span);
      }
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

/** Traces the requests of a gateway. */
export class Tracing {
  constructor(
    private readonly tools: TracingTools,
    private readonly own: Sdk.BasicTracerProvider | null,
  ) {}

  /** Begins a request's span as a child of the host's or client's, if its surface is logged. */
  begin(request: ObservedRequest, headers: object, http: Record<string, string> | null): void {
    if (request.trace || !loggedSurfaces.includes(request.surface ?? '')) return;
    const { api, propagator } = this.tools;
    const active = api.context.active();
    const parent = api.trace.getSpan(active)
      ? active
      : propagator.extract(active, headers, api.defaultTextMapGetter);
    request.trace = new RequestSpans(this.tools, request, parent, http);
    request.record.traceId = request.trace.traceId;
  }

  /** Records the span of a request's choice; without a trace, as a child of the host's span. */
  planned({ trace }: ObservedRequest, { id, candidates }: Plan, startedAt: number): void {
    const attributes = {
      'signalbox.plan.id': id,
      'signalbox.candidates': candidates.slice(0, 16).map(({ label }) => label),
    };
    const { api, tracer } = this.tools;
    const parent = trace instanceof RequestSpans ? trace.context : api.context.active();
    const offset = wallOffset();
    const options = { startTime: offset + startedAt, attributes };
    tracer.startSpan('select model', options, parent).end(offset + performance.now());
  }

  /** Sends the waiting spans, within `flushMs` at most. */
  async close(): Promise<void> {
    const flushed = this.own?.shutdown().catch(() => undefined);
    if (flushed) await withTimeout(flushed, flushMs, () => undefined);
  }
}
