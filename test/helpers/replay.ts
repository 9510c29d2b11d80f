import type { WrittenProvider } from '../../src/config/config.js';
import { dialects } from '../../src/providers/index.js';
import { classify } from './expected.js';
import { type RunningGateway, startGateway } from './gateway.js';
import { at, has, numberAt, textAt } from './json.js';
import { readOpenaiChat } from './oracles/openai-chat.js';
import { readAnthropic } from './oracles/anthropic.js';
import { readOpenaiResponses } from './oracles/openai-responses.js';
import { type Expected, nothing, type Oracle } from './oracles/oracle.js';
import { bodyOf, type Exchange, splitEvents } from './recorded.js';
import { post, postStream, type Reply, type StreamReply } from './sse.js';
import type { Cut } from './steps.js';
import { startUpstream, type Step, type Upstream, type UpstreamCall } from './upstream.js';

/** The surface, whether it streams, and how the provider's bytes are altered. */
export interface Manner {
  surface: 'openai' | 'native' | 'messages' | 'responses';
  stream: boolean;
  cut: Cut;
  /**
   * `oddly`: the same server-sent events in another of the ways that are allowed. `halfway`: the
   * first half of the events, then a clean end.
   */
  sent?: 'oddly' | 'halfway';
}

/** The gateway's answer. The native surface has no tool calls, and its refusals are text. */
export interface Said extends Expected {
  /** The HTTP status. */
  httpStatus: number;
  /** The message of the error body or event. */
  message: string;
  /** A stream's `[DONE]`; true for a body. */
  whole: boolean;
  /** The usage was not reported. */
  estimated: boolean;
  /** The provider's status in the first entry of the error trace, null if there is none. */
  tracedStatus: number | null;
}

/** A gateway with one provider for each dialect, whose upstream answers with recorded bodies. */
export interface Replay {
  /**
   * Sends one request that the upstream answers with the exchange, and reads what the client gets.
   */
  ask(exchange: Exchange, manner: Manner): Promise<Said>;
  close(): Promise<void>;
}

/**
 * The `api` under which the gateway is given a provider; one that it does not know by name speaks
 * the common dialect.
 */
function apiOf(exchange: Exchange): string {
  const { api } = classify(exchange);
  return dialects.has(api) ? api : 'openai-compatible';
}

const said = (part: Expected, more: Partial<Said>): Said => ({
  httpStatus: 200,
  message: '',
  whole: true,
  estimated: false,
  tracedStatus: null,
  ...part,
  ...more,
});

function failed(httpStatus: number, json: unknown): Said {
  const message = textAt(json, 'error', 'message') || textAt(json, 'message');
  const trace = has(json, 'errorTrace') ? json : at(json, 'error');
  return said(nothing(), {
    httpStatus,
    message,
    tracedStatus: numberAt(trace, 'errorTrace', 0, 'status'),
    error: { status: httpStatus },
  });
}

function readOpenai(reply: Reply | StreamReply): Said {
  if (reply.status !== 200) return failed(reply.status, reply.json);
  if (!('frames' in reply)) return said(readOpenaiChat([reply.json], false), {});
  const error = reply.events.find((event) => has(event, 'error'));
  return said(readOpenaiChat(reply.events, true), {
    message: textAt(error, 'error', 'message'),
    whole: reply.frames.at(-1)?.data === '[DONE]',
  });
}

/** Reads what a client of Messages or Responses gets, as the provider's own answers are read. */
const readBy =
  (oracle: Oracle, last: RegExp) =>
  (reply: Reply | StreamReply): Said => {
    if (reply.status !== 200) return failed(reply.status, reply.json);
    if (!('frames' in reply)) return said(oracle([reply.json], false), {});
    const { events } = reply;
    const error = events.find((event) => /error|failed/.test(textAt(event, 'type')));
    return said(oracle(events, true), {
      message: textAt(error, 'error', 'message') || textAt(error, 'response', 'error', 'message'),
      whole: last.test(textAt(events.at(-1), 'type')),
    });
  };

const finishes: Record<string, Expected['finish']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
};

function readClosing(json: unknown): Partial<Said> {
  const usage = at(json, 'usage');
  return {
    finish: finishes[textAt(json, 'finishReason')] ?? null,
    estimated: at(usage, 'estimated') === true,
    usage: usage
      ? {
          prompt: numberAt(usage, 'promptTokens'),
          completion: numberAt(usage, 'completionTokens'),
          cached: numberAt(usage, 'cachedTokens'),
          reasoning: numberAt(usage, 'reasoningTokens'),
        }
      : null,
  };
}

function readNative(reply: Reply | StreamReply): Said {
  if (reply.status !== 200) return failed(reply.status, reply.json);
  if (!('frames' in reply)) {
    return said(
      {
        ...nothing(),
        text: textAt(reply.json, 'message', 'content', 0, 'text'),
        reasoning: textAt(reply.json, 'message', 'reasoning'),
      },
      readClosing(reply.json),
    );
  }
  const texts = (type: string): string =>
    reply.events
      .filter((event) => textAt(event, 'type') === type)
      .map((event) => textAt(event, 'text'))
      .join('');
  const error = reply.events.find((event) => has(event, 'error'));
  const closing = reply.events.findLast((event) => has(event, 'usage'));
  return said(
    { ...nothing(), text: texts('text'), reasoning: texts('reasoning') },
    {
      ...readClosing(closing),
      message: textAt(error, 'message'),
      whole: reply.frames.at(-1)?.data === '[DONE]',
      error: error ? { status: 0 } : null,
    },
  );
}

function providersAt(url: string): Record<string, WrittenProvider> {
  const settings = { baseUrl: `${url}/v1`, apiKey: 'key', project: 'p', region: 'r' };
  return Object.fromEntries([...dialects.keys()].map((api) => [api, { api, ...settings }]));
}

const messages = [{ role: 'user', content: 'Hi' }];
/** What is particular to each surface. */
const surfaces: Readonly<
  Record<
    Manner['surface'],
    {
      path: string;
      bodyOf(model: string, stream: boolean): object;
      read(reply: Reply | StreamReply): Said;
    }
  >
> = {
  openai: {
    path: '/v1/chat/completions',
    bodyOf: (model, stream) => ({
      model,
      messages,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
    }),
    read: readOpenai,
  },
  native: {
    path: '/api/v1/completions',
    bodyOf: (model) => ({ models: [model], messages }),
    read: readNative,
  },
  messages: {
    path: '/v1/messages',
    bodyOf: (model) => ({ model, messages, max_tokens: 1_000 }),
    read: readBy(readAnthropic, /^message_stop$/),
  },
  responses: {
    path: '/v1/responses',
    bodyOf: (model) => ({ model, input: 'Hi', store: false }),
    read: readBy(readOpenaiResponses, /^response\.(completed|incomplete)$/),
  },
};

/** The headers that tell a client how to react to a failure. */
function toldHeaders(exchange: Exchange): Record<string, string> {
  return Object.fromEntries(
    Object.entries(exchange.meta?.response.headers ?? {}).filter(([name]) =>
      /retry|ratelimit|errortype/i.test(name),
    ),
  );
}

/**
 * An event as a server may send it that likes CRLF, no space after the colon, names, comments, and
 * signs of life.
 */
function oddEvent(event: Buffer): Buffer {
  const lines = event
    .toString('utf8')
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== '');
  const odd = lines.map((line) => line.replace(/^(\w*): /, '$1:').replace('[DONE]', ' [DONE] '));
  return Buffer.from(
    [
      ': keep-alive',
      '',
      'data:',
      '',
      'event:ping',
      'data: {"type":"ping"}',
      '',
      'id:7',
      'retry:3000',
      ...odd,
      '',
      '',
    ].join('\r\n'),
  );
}

function piecesOf(exchange: Exchange, sent: Manner['sent']): Buffer[] {
  const events = splitEvents(bodyOf(exchange), exchange.kind);
  if (sent === 'oddly') return [Buffer.from('\ufeff'), ...events.map(oddEvent)];
  return sent === 'halfway' ? events.slice(0, Math.floor(events.length / 2)) : events;
}

/** The exchanges that are being replayed, by the number that stands in the model's name. */
class Playlist {
  private readonly entries: { exchange: Exchange; manner: Manner }[] = [];

  add(exchange: Exchange, manner: Manner): string {
    return `replay-${this.entries.push({ exchange, manner }) - 1}-`;
  }

  stepFor(call: UpstreamCall): Step {
    const { exchange, manner } =
      this.entries[
        Number(/replay-(\d+)-/.exec(`${call.path} ${textAt(call.body, 'model')}`)?.[1])
      ]!;
    const events = piecesOf(exchange, manner.sent);
    return {
      raw: Buffer.concat(events),
      contentType: exchange.contentType,
      writes: manner.cut,
      events,
      status: exchange.status,
      headers: toldHeaders(exchange),
    };
  }
}

async function send(gateway: RunningGateway, model: string, manner: Manner): Promise<Said> {
  const { path, bodyOf: bodyOfSurface, read } = surfaces[manner.surface];
  const url = gateway.url + path;
  const body = {
    ...bodyOfSurface(model, manner.stream),
    ...(manner.stream ? { stream: true } : {}),
  };
  const reply = await (manner.stream
    ? postStream(url, body, { headers: gateway.auth })
    : post(url, body, gateway.auth));
  return read(reply);
}

/** Starts the upstream and a gateway without retries. */
export async function startReplay(): Promise<Replay> {
  const upstream: Upstream = await startUpstream();
  const playlist = new Playlist();
  upstream.script([(call) => playlist.stepFor(call)]);
  const gateway = await startGateway({
    providers: providersAt(upstream.url),
    limits: { maxRetries: 0 },
  });
  return {
    ask: (exchange, manner) =>
      send(gateway, `${apiOf(exchange)}/${playlist.add(exchange, manner)}`, manner),
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}
