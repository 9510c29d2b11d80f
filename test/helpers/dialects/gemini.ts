import { tryJson } from '../json.js';
import type { FullAnswer, Meaning } from '../steps.js';
import { type Asked, type Dialect, type DialectError, type Frame, sse } from './dialect.js';

// a bad key is a 400 here; the reason tells it from other bad requests
const errors: Record<Meaning, { code: number; status: string; details?: object[] }> = {
  overloaded: { code: 503, status: 'UNAVAILABLE' },
  rate_limited: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }],
  },
  auth: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
      },
    ],
  },
  bad_request: { code: 400, status: 'INVALID_ARGUMENT' },
  not_found: { code: 404, status: 'NOT_FOUND' },
  server_error: { code: 500, status: 'INTERNAL' },
  content_filter: { code: 400, status: 'FAILED_PRECONDITION' },
};

function failure(meaning: Meaning, message: string): DialectError {
  const { code, ...rest } = errors[meaning];
  return { status: code, body: { error: { code, message, ...rest } } };
}

/** `candidatesTokenCount` leaves the thoughts out; a call of a tool ends with STOP like a text. */
const finishReasons = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
};

const usageOf = (answer: FullAnswer) =>
  answer.usage && {
    promptTokenCount: answer.usage.prompt,
    candidatesTokenCount: answer.usage.completion - answer.usage.reasoning,
    totalTokenCount: answer.usage.prompt + answer.usage.completion,
    ...(answer.usage.cached > 0 ? { cachedContentTokenCount: answer.usage.cached } : {}),
    ...(answer.usage.reasoning > 0 ? { thoughtsTokenCount: answer.usage.reasoning } : {}),
  };

function whole(answer: FullAnswer, parts: object[], finish: string | null): object {
  const usage = usageOf(answer);
  const candidate = {
    content: { parts, role: 'model' },
    index: 0,
    ...(finish ? { finishReason: finish } : {}),
  };
  return {
    candidates: [candidate],
    ...(finish && usage ? { usageMetadata: usage } : {}),
    modelVersion: 'gemini-test',
    responseId: `resp-${answer.id}`,
  };
}

const callParts = (answer: FullAnswer) =>
  answer.toolCalls.map((call) => ({
    functionCall: { name: call.name, args: tryJson(call.arguments) ?? {} },
  }));

function frames(answer: FullAnswer): Frame[] {
  const frame = (kind: Frame['kind'], parts: object[], finish: string | null = null): Frame => ({
    kind,
    bytes: sse(whole(answer, parts, finish), undefined, '\r\n'),
  });
  return [
    frame('open', [{ text: '' }]),
    ...answer.reasoning.map((text) => frame('content', [{ text, thought: true }])),
    ...answer.text.map((text) => frame('content', [{ text }])),
    ...callParts(answer).map((part) => frame('content', [part])),
    frame('end', [{ text: '' }], finishReasons[answer.finish]),
  ];
}

function json(answer: FullAnswer, asked: Asked): unknown {
  const parts = [
    ...(answer.reasoning.length > 0 ? [{ text: answer.reasoning.join(''), thought: true }] : []),
    ...(answer.text.length > 0 ? [{ text: answer.text.join('') }] : []),
    ...callParts(answer),
  ];
  const body = whole(answer, parts, finishReasons[answer.finish]);
  return asked.path.includes(':streamGenerateContent') ? [body] : body;
}

/**
 * Google's generateContent, on the Gemini API and on Vertex. Without `alt=sse` a stream is one JSON
 * array, as there.
 */
export const gemini: Dialect = {
  name: 'gemini',
  streamType: 'text/event-stream',
  matches: (path) => /:(stream)?[gG]enerateContent$/.test(path),
  wantsStream: (asked) => /:streamGenerateContent\?.*\balt=sse\b/.test(asked.path),
  frames,
  json,
  error: failure,
  errorFrame: (meaning, message) => sse(failure(meaning, message).body, undefined, '\r\n'),
};
