import { at, textAt, tryJson } from './json.js';
import { readAnthropic } from './oracles/anthropic.js';
import { readBedrock } from './oracles/bedrock.js';
import { readCohere } from './oracles/cohere.js';
import { readGemini } from './oracles/gemini.js';
import { readOpenaiChat } from './oracles/openai-chat.js';
import { readOpenaiResponses } from './oracles/openai-responses.js';
import { type Expected, nothing, type Oracle, type OracleName } from './oracles/oracle.js';
import { type BodyKind, bodyOf, type Exchange, splitEvents } from './recorded.js';

export type { Expected } from './oracles/oracle.js';

const oracles: Record<OracleName, Oracle> = {
  'openai-chat': readOpenaiChat,
  anthropic: readAnthropic,
  gemini: readGemini,
  bedrock: readBedrock,
  cohere: readCohere,
  'openai-responses': readOpenaiResponses,
};

export interface Classification {
  /** Null if no oracle reads the body. */
  dialect: OracleName | null;
  /** The value of `api` under which the gateway is to be given this provider. */
  api: string;
  /** Whether the gateway can serve this answer as a completion. */
  servable: boolean;
  /** What the exchange is; where it is not servable, why. */
  why: string;
}

type Kind = readonly [dialect: OracleName | null, servable: boolean, why: string];

const responses: Kind = ['openai-responses', true, 'response'];
const textCompletion: Kind = [null, false, 'legacy text completion, not a chat'];

/** What is asked at a path; the first that fits. */
const paths: readonly (readonly [RegExp, Kind])[] = [
  [/\/chat\/completions$|^\/models\/chat\/completions$/, ['openai-chat', true, 'chat completion']],
  [/\/responses$/, responses],
  [/\/messages$/, ['anthropic', true, 'message']],
  [/\/messages\/count_tokens$|:countTokens$/, [null, false, 'token counting, not a completion']],
  [/:batchGenerateContent$/, [null, false, 'batch job, not a completion']],
  [/:(generate|streamGenerate)Content$/, ['gemini', true, 'generateContent']],
  [/\/converse(-stream)?$/, ['bedrock', true, 'Converse']],
  [
    /\/invoke(-with-response-stream)?$/,
    [null, false, "InvokeModel: a body of the model's own, where the gateway uses Converse"],
  ],
  // errors are the same in both versions, and only those are recorded of the first
  [/\/v[12]\/chat$/, ['cohere', true, 'chat']],
  [
    /\/api\/(chat|generate)$/,
    [null, false, "Ollama's native API, where the gateway uses its OpenAI-compatible one"],
  ],
  [/\/completions$/, textCompletion],
];

/** The same seen from the body alone, for files without a request. */
function kindOfBody(exchange: Exchange, first: unknown): Kind {
  const type = textAt(first, 'type');
  const object = textAt(first, 'object');
  if (exchange.provider === 'bedrock') return ['bedrock', true, 'Converse'];
  if (exchange.provider === 'cohere') return ['cohere', true, 'v2 chat'];
  if (at(first, 'candidates')) return ['gemini', true, 'generateContent'];
  if (object === 'response' || type.startsWith('response.') || /responses$/.test(exchange.provider))
    return responses;
  if (object === 'text_completion') return textCompletion;
  if (exchange.provider === 'anthropic') return ['anthropic', true, 'message'];
  return ['openai-chat', true, 'chat completion'];
}

const apis: Record<string, string> = {
  'openai-chat': 'openai',
  'vertex-gemini': 'vertex',
  'bedrock-mantle': 'openai-compatible',
  'bedrock-invoke': 'bedrock',
};

/** What makes an event file impossible as a provider's answer; null if it is possible. */
function flawOf(exchange: Exchange): string | null {
  if (!exchange.bodyPath.endsWith('.chunks.txt') || exchange.kind !== 'sse') return null;
  const body = bodyOf(exchange);
  const broken = splitEvents(body, 'sse').some(
    (event) => !event.includes('[DONE]') && sseData(event) === undefined,
  );
  if (broken) return 'broken fixture: a line of it is no JSON';
  const answers = parseEvents(body, 'sse').filter(
    (event) => textAt(event, 'type') === 'response.created',
  ).length;
  return answers > 1 ? 'broken fixture: several answers one after the other' : null;
}

/** Tells what an exchange is, of its URL and method, or of its body where there is no request. */
export function classify(exchange: Exchange): Classification {
  const flaw = flawOf(exchange);
  const kind = exchange.meta
    ? kindOfUrl(exchange.meta.request.url)
    : kindOfBody(exchange, eventsOf(exchange)[0]);
  const [dialect, fit, why] = kind ?? [
    null,
    false,
    `${exchange.meta?.request.url ?? exchange.name}: not known`,
  ];
  return {
    dialect,
    api: dialect === 'openai-responses' ? dialect : apiOf(exchange),
    servable: fit && flaw === null,
    why: flaw ?? why,
  };
}

const apiOf = ({ provider, name }: Exchange): string =>
  name.startsWith('vercel-ai/xai-') ? 'xai' : (apis[provider] ?? provider);

function kindOfUrl(url: string): Kind | undefined {
  // recorded URLs hold placeholders that URL would refuse
  const path = url.replace(/^https?:\/\/[^/]+/, '').replace(/[?#].*$/, '');
  return paths.find(([pattern]) => pattern.test(path))?.[1];
}

function sseData(event: Buffer): unknown {
  const lines = event
    .toString('utf8')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'));
  return tryJson(lines.map((line) => line.slice(5).trim()).join('\n'));
}

/** An AWS frame as `{<event type>: payload}` or `{exception: <type>}`. */
function awsData(frame: Buffer): unknown {
  const headersEnd = 12 + frame.readUInt32BE(4);
  const headers: Record<string, string> = {};
  for (let i = 12; i < headersEnd;) {
    const nameEnd = i + 1 + frame.readUInt8(i);
    const valueEnd = nameEnd + 3 + frame.readUInt16BE(nameEnd + 1);
    headers[frame.toString('utf8', i + 1, nameEnd)] = frame.toString('utf8', nameEnd + 3, valueEnd);
    i = valueEnd;
  }
  const payload = tryJson(frame.toString('utf8', headersEnd, frame.length - 4));
  return headers[':exception-type']
    ? { exception: headers[':exception-type'] }
    : { [headers[':event-type'] ?? '']: payload };
}

/**
 * All events of a body, parsed, without those that are no JSON (`[DONE]`). A body that is not
 * streamed
 * is one event, a JSON array one for each entry.
 */
export function parseEvents(body: Buffer, kind: BodyKind): unknown[] {
  if (kind === 'json') {
    const parsed = tryJson(body.toString('utf8'));
    return Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
  }
  const parse =
    kind === 'eventstream'
      ? awsData
      : kind === 'sse'
        ? sseData
        : (line: Buffer): unknown => tryJson(line.toString('utf8'));
  return splitEvents(body, kind)
    .map(parse)
    .filter((event) => event !== undefined);
}

const eventsOf = (exchange: Exchange): unknown[] => parseEvents(bodyOf(exchange), exchange.kind);

/** What a client must get for an exchange; null if no oracle reads its dialect. */
export function expectedOf(exchange: Exchange): Expected | null {
  const { dialect } = classify(exchange);
  if (!dialect) return null;
  if (exchange.status >= 400) return { ...nothing(), error: { status: exchange.status } };
  return oracles[dialect](eventsOf(exchange), exchange.kind !== 'json');
}
