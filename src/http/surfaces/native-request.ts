import type { ChatMessage, ChatRequest } from '../../completion.js';
import type {
  GroundingWish,
  ResearchWish,
  SearchWish,
} from '../../pipeline/grounding/grounding-call.js';
import { compileSchema, type Validator } from '../../config/schema/compile-schema.js';
import { isObject } from '../../text/is-object.js';
import type { CallFields } from './openai.js';

/** The body of `POST /api/v1/completions`, as its schema accepts it. */
export interface NativeRequest extends Omit<CallFields, 'model' | 'models'> {
  messages: ChatMessage[];
  models: string[];
  temperature?: number | null;
  reasoning_effort?: ChatRequest['reasoning_effort'];
  maxTokens?: number | null;
  maxRetries?: number | null;
  search?: boolean | SearchWish | null;
  conversationId?: string | null;
  store?: boolean | null;
  /** True: as `store: false`, and the request log has a salted hash of the messages. */
  hash_content?: boolean | null;
  order?: 'ranked' | 'given' | null;
  research?: boolean | ResearchWish | null;
  toolkits?: (string | GroundingWish['toolkits'][number])[] | null;
  maxToolSteps?: number | null;
  tools?: ChatRequest['tools'];
  tool_choice?: ChatRequest['tool_choice'];
  parallel_tool_calls?: boolean | null;
  response_format?: ChatRequest['response_format'];
  /** Whether the answer says why its model was chosen. */
  explain?: boolean | null;
}

/**
 * The schema of native completions. To a body of OpenAI's API, which has `model` instead of
 * `models`, it says where that API is.
 */
export function nativeRequests(): Validator<NativeRequest> {
  const schema = compileSchema<NativeRequest>('completions.request');
  return {
    ...schema,
    firstFailure(body) {
      const failure = schema.firstFailure(body);
      const isOpenAIs = failure?.field === 'models' && isObject(body) && !('models' in body);
      return isOpenAIs && typeof body['model'] === 'string'
        ? { ...failure, reason: `${failure.reason}, as a list; ${whereOpenAIIs}` }
        : failure;
    },
  };
}

const whereOpenAIIs =
  "clients of OpenAI's API, which send `model`, need a base URL that ends in /v1 instead of /api/v1";
