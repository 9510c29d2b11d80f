import { at, listAt, textAt } from '../helpers/json.js';
import type { StreamReply } from '../helpers/sse.js';
import { type ChaosRequest, markOf, type SurfaceName } from './script.js';

/** How a client speaks to one surface, and reads its answers. */
export interface ClientDialect {
  readonly path: string;
  body(request: ChaosRequest): object;
  /** The text of a whole answer. */
  whole(json: unknown): string;
  /** The text of one event of a stream. */
  delta(event: unknown): string;
  isComplete(reply: StreamReply): boolean;
  /** Whether the stream says that it failed. */
  isFailed(reply: StreamReply): boolean;
}

const question = ({ id }: ChaosRequest): string => `Answer ${markOf(id)}`;
const textsOf = (blocks: readonly unknown[]): string =>
  blocks.map((block) => textAt(block, 'text')).join('');
const chat = (request: ChaosRequest): object => ({
  stream: request.streams,
  messages: [{ role: 'user', content: question(request) }],
});
const named = ({ models: [model, ...fallback_models] }: ChaosRequest): object => ({
  model,
  fallback_models,
});
const lastData = ({ frames }: StreamReply): string | undefined => frames.at(-1)?.data;
const typeOf = (event: unknown): string => textAt(event, 'type');
const lastType = ({ events }: StreamReply): string => typeOf(events.at(-1));

/** The surfaces that complete. */
export const surfaces: Readonly<Record<SurfaceName, ClientDialect>> = {
  native: {
    path: '/api/v1/completions',
    body: (request) => ({
      ...chat(request),
      models: request.models,
      order: 'given',
      maxTokens: 300,
    }),
    whole: (json) => textsOf(listAt(json, 'message', 'content')),
    delta: (event) => (typeOf(event) === 'text' ? textAt(event, 'text') : ''),
    isComplete: (reply) => lastData(reply) === '[DONE]',
    isFailed: ({ frames }) => frames.some(({ event }) => event === 'error'),
  },
  openai: {
    path: '/v1/chat/completions',
    body: (request) => ({ ...chat(request), ...named(request), max_tokens: 300 }),
    whole: (json) => textAt(json, 'choices', 0, 'message', 'content'),
    delta: (event) => textAt(event, 'choices', 0, 'delta', 'content'),
    isComplete: (reply) => lastData(reply) === '[DONE]',
    isFailed: ({ events }) => events.some((event) => at(event, 'error') !== undefined),
  },
  messages: {
    path: '/v1/messages',
    body: (request) => ({ ...chat(request), ...named(request), max_tokens: 300 }),
    whole: (json) => textsOf(listAt(json, 'content')),
    delta: (event) => textAt(event, 'delta', 'text'),
    isComplete: (reply) => lastType(reply) === 'message_stop',
    isFailed: (reply) => lastType(reply) === 'error',
  },
  responses: {
    path: '/v1/responses',
    body: (request) => ({
      ...named(request),
      stream: request.streams,
      input: question(request),
      max_output_tokens: 300,
    }),
    whole: (json) =>
      listAt(json, 'output')
        .map((item) => textsOf(listAt(item, 'content')))
        .join(''),
    delta: (event) =>
      typeOf(event) === 'response.output_text.delta' ? textAt(event, 'delta') : '',
    isComplete: (reply) => lastType(reply) === 'response.completed',
    isFailed: (reply) => ['response.failed', 'error'].includes(lastType(reply)),
  },
};
