import { at, textAt } from '../json.js';
import type { FullAnswer, Meaning } from '../steps.js';
import { type Asked, type Dialect, type Frame, halves, sse, usualStatus } from './dialect.js';

const codes: Record<Meaning, { type: string; code: string | null }> = {
  overloaded: { type: 'server_error', code: 'overloaded' },
  rate_limited: { type: 'requests', code: 'rate_limit_exceeded' },
  auth: { type: 'invalid_request_error', code: 'invalid_api_key' },
  bad_request: { type: 'invalid_request_error', code: null },
  not_found: { type: 'invalid_request_error', code: 'model_not_found' },
  server_error: { type: 'server_error', code: null },
  content_filter: { type: 'invalid_request_error', code: 'content_filter' },
};

const openaiError = (meaning: Meaning, message: string) => ({
  error: { message, param: null, ...codes[meaning] },
});

const usageOf = (answer: FullAnswer) =>
  answer.usage && {
    prompt_tokens: answer.usage.prompt,
    completion_tokens: answer.usage.completion,
    total_tokens: answer.usage.prompt + answer.usage.completion,
    prompt_tokens_details: { cached_tokens: answer.usage.cached },
    completion_tokens_details: { reasoning_tokens: answer.usage.reasoning },
  };

const choicesAsked = (asked: Asked): number =>
  typeof asked.body['n'] === 'number' ? asked.body['n'] : 1;

function toolDeltas(answer: FullAnswer): object[] {
  return answer.toolCalls.flatMap((call, index) => [
    {
      tool_calls: [
        { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
      ],
    },
    ...halves(call.arguments).map((piece) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    })),
  ]);
}

function frames(answer: FullAnswer, asked: Asked): Frame[] {
  const head = {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: textAt(asked.body, 'model'),
  };
  const forEachChoice = (kind: Frame['kind'], delta: object, finish: string | null): Frame[] =>
    Array.from({ length: choicesAsked(asked) }, (_, index) => ({
      kind,
      bytes: sse({ ...head, choices: [{ index, delta, logprobs: null, finish_reason: finish }] }),
    }));
  const content = [
    ...answer.reasoning.map((piece) => ({ reasoning_content: piece })),
    ...answer.text.map((piece) => ({ content: piece })),
    ...toolDeltas(answer),
  ];
  const usage = at(asked.body, 'stream_options', 'include_usage') === true ? usageOf(answer) : null;
  return [
    ...forEachChoice('open', { role: 'assistant', content: '' }, null),
    ...content.flatMap((delta) => forEachChoice('content', delta, null)),
    ...forEachChoice('finish', {}, answer.finish),
    ...(usage ? [{ kind: 'finish' as const, bytes: sse({ ...head, choices: [], usage }) }] : []),
    { kind: 'end', bytes: sse('[DONE]') },
  ];
}

function json(answer: FullAnswer, asked: Asked): unknown {
  const message = {
    role: 'assistant',
    content: answer.text.join('') || null,
    ...(answer.reasoning.length > 0 ? { reasoning_content: answer.reasoning.join('') } : {}),
    ...(answer.toolCalls.length > 0
      ? {
          tool_calls: answer.toolCalls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
          })),
        }
      : {}),
  };
  const choices = Array.from({ length: choicesAsked(asked) }, (_, index) => ({
    index,
    message,
    logprobs: null,
    finish_reason: answer.finish,
  }));
  const usage = usageOf(answer);
  return {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: textAt(asked.body, 'model'),
    choices,
    ...(usage ? { usage } : {}),
  };
}

/**
 * OpenAI's chat completions, and everybody who speaks them. Usage is streamed only where
 * `stream_options` asks for it.
 */
export const openaiChat: Dialect = {
  name: 'openai-chat',
  streamType: 'text/event-stream; charset=utf-8',
  matches: (path) => path.endsWith('/chat/completions'),
  wantsStream: (asked) => asked.body['stream'] === true,
  frames,
  json,
  error: (meaning, message) => ({
    status: usualStatus[meaning],
    body: openaiError(meaning, message),
  }),
  errorFrame: (meaning, message) => sse(openaiError(meaning, message)),
};

/** OpenAI's embeddings: each input gets three numbers; the answer's `usage.prompt` is told. */
export const openaiEmbeddings: Dialect = {
  ...openaiChat,
  name: 'openai-embeddings',
  matches: (path) => path.endsWith('/embeddings'),
  wantsStream: () => false,
  json(answer, asked) {
    const input = asked.body['input'];
    // numbers are the tokens of one text
    const isList = Array.isArray(input) && input.some((item) => typeof item !== 'number');
    const inputs: unknown[] = isList ? input : [input];
    const prompt = answer.usage?.prompt ?? 0;
    return {
      object: 'list',
      data: inputs.map((_, index) => ({
        object: 'embedding',
        index,
        embedding: [0.25, -0.5, index],
      })),
      model: textAt(asked.body, 'model'),
      ...(answer.usage ? { usage: { prompt_tokens: prompt, total_tokens: prompt } } : {}),
    };
  },
};
