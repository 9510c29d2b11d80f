import { frame } from '../event-stream.js';
import { tryJson } from '../json.js';
import type { Finish, FullAnswer, Meaning } from '../steps.js';
import { type Dialect, type Frame, halves } from './dialect.js';

const stopReasons: Record<Finish, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'guardrail_intervened',
};

const exceptions: Record<Meaning, { status: number; type: string }> = {
  overloaded: { status: 503, type: 'serviceUnavailableException' },
  rate_limited: { status: 429, type: 'throttlingException' },
  auth: { status: 403, type: 'accessDeniedException' },
  bad_request: { status: 400, type: 'validationException' },
  not_found: { status: 404, type: 'resourceNotFoundException' },
  server_error: { status: 500, type: 'internalServerException' },
  content_filter: { status: 400, type: 'validationException' },
};

/** One event of a Converse stream as a frame. */
export function awsEvent(type: string, body: unknown): Buffer {
  return frame(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    body,
  );
}

const event = (kind: Frame['kind'], type: string, body: object): Frame => ({
  kind,
  bytes: awsEvent(type, { ...body, p: 'abcdef' }),
});

/** Bedrock counts cached tokens beside `inputTokens`, and its total includes them. */
const usageOf = (answer: FullAnswer) =>
  answer.usage && {
    inputTokens: answer.usage.prompt - answer.usage.cached - answer.usage.cacheWritten,
    outputTokens: answer.usage.completion,
    totalTokens: answer.usage.prompt + answer.usage.completion,
    cacheReadInputTokens: answer.usage.cached,
    cacheWriteInputTokens: answer.usage.cacheWritten,
  };

function blockFrames(answer: FullAnswer): Frame[] {
  const frames: Frame[] = [];
  let contentBlockIndex = 0;
  const block = (start: object | null, deltas: object[]): void => {
    if (start) frames.push(event('open', 'contentBlockStart', { contentBlockIndex, start }));
    frames.push(
      ...deltas.map((delta) => event('content', 'contentBlockDelta', { contentBlockIndex, delta })),
    );
    frames.push(event('content', 'contentBlockStop', { contentBlockIndex }));
    contentBlockIndex++;
  };
  if (answer.reasoning.length > 0) {
    block(null, [
      ...answer.reasoning.map((text) => ({ reasoningContent: { text } })),
      { reasoningContent: { signature: 'c2lnbmVk' } },
    ]);
  }
  if (answer.text.length > 0)
    block(
      null,
      answer.text.map((text) => ({ text })),
    );
  for (const call of answer.toolCalls) {
    block(
      { toolUse: { toolUseId: call.id, name: call.name } },
      halves(call.arguments).map((input) => ({ toolUse: { input } })),
    );
  }
  return frames;
}

function frames(answer: FullAnswer): Frame[] {
  const usage = usageOf(answer);
  return [
    event('open', 'messageStart', { role: 'assistant' }),
    ...blockFrames(answer),
    event('end', 'messageStop', { stopReason: stopReasons[answer.finish] }),
    event('end', 'metadata', { ...(usage ? { usage } : {}), metrics: { latencyMs: 5 } }),
  ];
}

function json(answer: FullAnswer): unknown {
  const usage = usageOf(answer);
  const content = [
    ...(answer.reasoning.length > 0
      ? [
          {
            reasoningContent: {
              reasoningText: { text: answer.reasoning.join(''), signature: 'c2lnbmVk' },
            },
          },
        ]
      : []),
    ...(answer.text.length > 0 ? [{ text: answer.text.join('') }] : []),
    ...answer.toolCalls.map((call) => ({
      toolUse: { toolUseId: call.id, name: call.name, input: tryJson(call.arguments) ?? {} },
    })),
  ];
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: stopReasons[answer.finish],
    ...(usage ? { usage } : {}),
    metrics: { latencyMs: 5 },
  };
}

/** AWS Bedrock's Converse, in JSON and in binary event stream frames. */
export const bedrock: Dialect = {
  name: 'bedrock',
  streamType: 'application/vnd.amazon.eventstream',
  matches: (path) => /\/model\/[^/]+\/converse(-stream)?$/.test(path),
  wantsStream: (asked) => /\/converse-stream(\?|$)/.test(asked.path),
  frames,
  json,
  error: (meaning, message) => ({ status: exceptions[meaning].status, body: { message } }),
  errorFrame: (meaning, message) =>
    frame(
      {
        ':exception-type': exceptions[meaning].type,
        ':content-type': 'application/json',
        ':message-type': 'exception',
      },
      { message },
    ),
};
