import type * as Api from '@opentelemetry/api';
import type { AttemptSpan, CallTarget } from '../../dispatch/execute-plan.js';
import type { ObservedRequest, RequestTrace } from '../observed-request.js';

/** What spans are made with. */
export interface TracingTools {
  readonly api: typeof Api;
  readonly tracer: Api.Tracer;
  readonly propagator: Api.TextMapPropagator;
  /** Whether calls to a host carry the headers of the trace. */
  readonly propagatesTo: (host: string) => boolean;
}

type Kind = 'INTERNAL' | 'CLIENT';

/** The longest name in a span: a client may have chosen it. */
const maxName = 256;

/** The GenAI conventions' operation of a surface; `chat` for all others. */
const operations: Readonly<Record<string, string>> = { embeddings: 'embeddings', rerank: 'rerank' };

/** Ms to add to `performance.now()` for a time since 1970. Changes when the clock is corrected. */
export const wallOffset = (): number => Date.now() - performance.now();

/**
 * The spans of one request, with the names of OpenTelemetry's conventions for HTTP and GenAI. They
 * have neither prompts nor answers, queries, arguments or texts of errors.
 */
export class RequestSpans implements RequestTrace {
  readonly traceId: string;
  /** The context in which the request's span is the parent. */
  readonly context: Api.Context;
  private readonly offset = wallOffset();
  private readonly span: Api.Span;

  /** @param http attributes of the HTTP request; null: a host's own code asked */
  constructor(
    private readonly tools: TracingTools,
    private readonly request: ObservedRequest,
    parent: Api.Context,
    http: Readonly<Record<string, string>> | null,
  ) {
    const { api, tracer } = tools;
    // within a local span of the host's own server, this one is internal
    const isOutermost = api.trace.getSpanContext(parent)?.isRemote ?? true;
    const kind = http && isOutermost ? api.SpanKind.SERVER : api.SpanKind.INTERNAL;
    const startTime = this.offset + request.startedAt;
    const name = http
      ? `${http['http.request.method']} ${http['http.route']}`
      : `gateway ${request.surface ?? 'other'}`;
    this.span = tracer.startSpan(name, { kind, startTime, attributes: { ...http } }, parent);
    this.context = api.trace.setSpan(parent, this.span);
    this.traceId = this.span.spanContext().traceId;
  }

  run<T>(work: () => T): T {
    return this.tools.api.context.with(this.context, work);
  }

  attempt({ provider, candidate, stream }: CallTarget, startedAt: number): AttemptSpan {
    const operation = operations[this.request.surface ?? ''] ?? 'chat';
    const model = candidate.model.slice(0, maxName);
    const span = this.begin(`${operation} ${model}`, 'CLIENT', startedAt, {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider.conventionalName,
      'gen_ai.request.model': model,
      'gen_ai.request.stream': stream || undefined,
      'signalbox.provider': provider.name,
    });
    return {
      send: (url, send) => this.send(span, url, send),
      end: (attempt, answer) => {
        const { outcome, status, number, firstContentMs, isWhole } = attempt;
        const { usage, promptTokens, finishReason } = answer;
        const told = usage?.estimated === false ? usage : undefined;
        span.setAttributes({
          'gen_ai.conversation.id': this.request.record.conversationId ?? undefined,
          'gen_ai.response.time_to_first_chunk':
            isWhole || firstContentMs === null ? undefined : firstContentMs / 1_000,
          'gen_ai.response.finish_reasons': finishReason ? [finishReason] : undefined,
          'gen_ai.usage.input_tokens': told?.promptTokens ?? promptTokens ?? undefined,
          'gen_ai.usage.output_tokens': told?.completionTokens,
          'gen_ai.usage.cache_read.input_tokens': told?.cachedTokens || undefined,
          'gen_ai.usage.cache_write.input_tokens': told?.cacheWriteTokens || undefined,
          'gen_ai.usage.reasoning.output_tokens': told?.reasoningTokens || undefined,
          'http.response.status_code': status ?? undefined,
          'signalbox.attempt.number': number,
          'signalbox.attempt.outcome': outcome,
        });
        // the gateway itself ended a call that lost
        this.finish(span, outcome === 'ok' || outcome === 'hedge_lost' ? null : outcome);
      },
    };
  }

  did(work: 'retrieval' | 'execute_tool', name: string, ms: number, error: string | null): void {
    const isTool = work === 'execute_tool';
    const startedAt = performance.now() - ms;
    const span = this.begin(`${work} ${name}`, isTool ? 'INTERNAL' : 'CLIENT', startedAt, {
      'gen_ai.operation.name': work,
      [isTool ? 'gen_ai.tool.name' : 'gen_ai.data_source.id']: name,
      'gen_ai.tool.type': isTool ? 'extension' : undefined,
    });
    this.finish(span, error);
  }

  headersFor(url: string): Record<string, string> {
    return this.propagated(new URL(url).hostname, this.context);
  }

  end(): void {
    const { record, id, surface, caller, isIdentified } = this.request;
    const { status, code, conversationId, costUsd, provider, model } = record;
    this.span.setAttributes({
      'signalbox.request.id': id,
      'signalbox.surface': surface ?? undefined,
      'signalbox.account.id': isIdentified ? caller.accountId : undefined,
      'signalbox.key.id': caller.keyId ?? undefined,
      'signalbox.model': [provider, model].filter(Boolean).join('/').slice(0, maxName),
      'signalbox.cost_usd': costUsd ?? undefined,
      'gen_ai.conversation.id': conversationId ?? undefined,
      'http.response.status_code': status ?? undefined,
      'error.type': code ?? undefined,
    });
    // a client error is no error of a server span; a broken stream has status 200
    const isError = code !== null && (status === 200 || (status ?? 0) >= 500);
    this.finish(this.span, isError ? code : null);
  }

  private begin(name: string, kind: Kind, startedAt: number, attributes: Api.Attributes): Api.Span {
    const { api, tracer } = this.tools;
    const startTime = this.offset + startedAt;
    const options = { kind: api.SpanKind[kind], startTime, attributes };
    return tracer.startSpan(name, options, this.context);
  }

  private finish(span: Api.Span, error: string | null): void {
    if (error !== null)
      span
        .setAttribute('error.type', error)
        .setStatus({ code: this.tools.api.SpanStatusCode.ERROR });
    span.end(this.offset + performance.now());
  }

  private send(span: Api.Span, url: string, send: Parameters<AttemptSpan['send']>[1]): void {
    const { api } = this.tools;
    const { hostname, port, protocol } = new URL(url);
    span.setAttribute('server.address', hostname);
    span.setAttribute('server.port', Number(port) || (protocol === 'https:' ? 443 : 80));
    const context = api.trace.setSpan(this.context, span);
    api.context.with(context, () => send(this.propagated(hostname, context)));
  }

  private propagated(host: string, context: Api.Context): Record<string, string> {
    const { api, propagator, propagatesTo } = this.tools;
    const headers = {};
    if (propagatesTo(host)) propagator.inject(context, headers, api.defaultTextMapSetter);
    return headers;
  }
}
