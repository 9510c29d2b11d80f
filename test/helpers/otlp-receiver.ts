import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

type AnyValue = Partial<{
  stringValue: string;
  intValue: number | string;
  doubleValue: number;
  boolValue: boolean;
  arrayValue: { values: AnyValue[] };
}>;
type Pairs = { key: string; value: AnyValue }[];

interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Pairs;
  status: { code: number; message?: string };
}

/** A span as a collector reads it. */
export interface ReceivedSpan extends Omit<WireSpan, 'attributes' | 'kind' | 'status'> {
  kind: 'internal' | 'server' | 'client';
  isError: boolean;
  statusMessage: string | undefined;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

/** A collector's OTLP/HTTP receiver on 127.0.0.1 that reads JSON. */
export interface OtlpReceiver {
  /** `http://127.0.0.1:<port>` */
  url: string;
  spans: ReceivedSpan[];
  /** The headers of each export. */
  headers: IncomingHttpHeaders[];
  /** The status of the next answers; 200 at first. */
  status: number;
  /** The only span of a name. @throws Error if there is none, or more */
  span(name: string): ReceivedSpan;
  close(): Promise<void>;
}

// https://github.com/open-telemetry/opentelemetry-proto, trace.proto
const kinds = ['unspecified', 'internal', 'server', 'client'] as const;
const errorCode = 2;

function plain(value: AnyValue): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
const attributesOf = (pairs: Pairs): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));

function spansOf(text: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: { resource: { attributes: Pairs }; scopeSpans: { spans: WireSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ kind, status, attributes, ...span }) => ({
        ...span,
        kind: kinds[kind] as ReceivedSpan['kind'],
        isError: status.code === errorCode,
        statusMessage: status.message,
        attributes: attributesOf(attributes),
        resource: attributesOf(resource.attributes),
      })),
    ),
  );
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const server = createServer((req, res) => {
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      const isTraces = req.method === 'POST' && req.url === '/v1/traces';
      const status = isTraces ? receiver.status : 404;
      receiver.headers.push(req.headers);
      if (status === 200) receiver.spans.push(...spansOf(Buffer.concat(pieces).toString()));
      res.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    headers: [],
    status: 200,
    span(name) {
      const [found, another] = receiver.spans.filter((span) => span.name === name);
      if (!found || another)
        throw new Error(`spans: ${receiver.spans.map((span) => span.name).join(', ')}`);
      return found;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
