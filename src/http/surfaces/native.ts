import type { ChatMessage, ChatRequest, ContentPart } from '../../completion.js';
import { GatewayError } from '../../errors.js';
import { asNative } from './foreign-words.js';
import { nativeErrorBody } from './native-error.js';
import { NativeReply } from './native-reply.js';
import { NativeStream } from './native-stream.js';
import type {
  GroundingWish,
  ResearchWish,
  SearchWish,
} from '../../pipeline/grounding/grounding-call.js';
import type { CompletionCall } from '../../pipeline/completion-call.js';
import { type ConversationLink, joinConversation } from '../../pipeline/keep-turn.js';
import { withPlainContent } from './plain-content.js';
import type { CompletionSurface } from './surface.js';
import { isObject, namesIn, pick, present } from '../../text/is-object.js';
import { compileSchema, type Validator } from '../../config/schema/compile-schema.js';
import type { CallFields } from './openai.js';

/** Native completions: docs/http-api.md. */
export const native: CompletionSurface = {
  label: 'completions',
  router: 'completions',
  path: '/api/v1/completions',
  deprecatedPaths: { '/api/v1/chat/completions': 'createCompletionForChat' },
  schema: 'completions',
  described: {
    id: 'createCompletion',
    summary: 'Answer a conversation',
    description:
      'Several `models` are ranked for this conversation; then the `fallback_models` are tried in their order. With `stream: true` the answer is server-sent events that end with `data: [DONE]`.',
    example: {
      models: ['demo/demo-large'],
      fallback_models: ['demo/demo-small'],
      messages: [{ role: 'user', content: 'Why is the sky blue?' }],
    },
    answer: 'The answer, or its chunks.',
    notFound: 'The conversation, preference or session does not exist.',
  },
  adapt: asNative,
  requests: nativeRequests,
  showsWarnings: true,
  invalidCode: 'validation_failed',
  errorBody: nativeErrorBody,
  errorLine: true,
  /** Loads the conversation, or starts one. Ids of other accounts are answered 404. */
  begin: (parts, request, body) => joinConversation(parts, request, body as ConversationLink),
  streamId: ({ conversation }) => conversation?.answerId ?? null,
  readCall(parsed) {
    const body = parsed as NativeRequest;
    return callOf(body, withPlainContent(chatOf(body), native.invalidCode));
  },
  writer(answered) {
    const { request, stream } = answered;
    const { conversation } = request;
    if (!conversation) throw new GatewayError('internal', 'no conversation was joined');
    return stream
      ? new NativeStream(answered, stream, conversation)
      : new NativeReply(answered, conversation);
  },
};

function callOf(body: NativeRequest, chat: ChatRequest): CompletionCall {
  return {
    chat,
    models: body.models.length === 1 && body.models[0] === 'auto' ? null : body.models,
    modelsField: 'models',
    modelField: 'models[0]',
    fallbackModels: body.fallback_models ?? [],
    order: body.order ?? null,
    routing: {
      messages: chat.messages,
      tools: chat.tools ?? [],
      maxTokens: body.maxTokens ?? null,
      tradeoff: body.tradeoff ?? null,
      economy: body.economy ?? null,
    },
    links: body,
    stream: body.stream ?? false,
    streamFromProvider: true,
    maxRetries: body.maxRetries ?? null,
    onBrokenStream: body.onBrokenStream ?? null,
    hedge: body.hedge ?? null,
    store: body.store !== false && !body.hash_content,
    ...(body.hash_content ? { hashContent: true } : {}),
    sentMessages: body.messages,
    invalidCode: native.invalidCode,
    keepsStatus: false,
    grounding: groundingOf(body),
    ...(body.explain ? { explain: true } : {}),
  };
}

/** Null: the request asks for nothing but an answer. */
function groundingOf({
  search,
  research,
  toolkits,
  maxToolSteps,
}: NativeRequest): GroundingWish | null {
  if (!search && !research && !toolkits?.length) return null;
  return {
    search: search === true ? {} : search || null,
    research: research === true ? {} : research || null,
    toolkits: (toolkits ?? []).map((named) =>
      typeof named === 'string' ? { name: named } : named,
    ),
    maxToolSteps: maxToolSteps ?? null,
  };
}

function chatOf(body: NativeRequest): ChatRequest {
  return {
    messages: body.messages.map(chatMessage),
    ...present({ max_tokens: body.maxTokens }),
    // providers refuse a choice where there are no tools
    ...pick(body, body.tools?.length ? [...sameFields, ...toolFields] : sameFields),
  };
}

const sameFields = ['temperature', 'reasoning_effort', 'response_format'];
const toolFields = ['tools', 'tool_choice', 'parallel_tool_calls'];

/** What a message may have beside its role and content; `null` counts as absent. */
const messageFields = namesIn(`
  name tool_calls tool_call_id function_call refusal reasoning_content reasoning_details annotations
`);

function chatMessage(sent: ChatMessage): ChatMessage {
  const { role, content } = sent;
  const message: ChatMessage = { role, content: plain(content), ...pick(sent, messageFields) };
  // as an answer calls it
  const { reasoning } = sent;
  if (typeof reasoning === 'string' && reasoning !== '') message.reasoning_content ??= reasoning;
  return message;
}

/**
 * A single block becomes a string, because some providers do not know blocks; several stay blocks.
 */
function plain(content: ChatMessage['content']): string | ContentPart[] | null {
  if (typeof content === 'string') return content;
  // an assistant's turn that only has calls
  if (content === null || content === undefined) return null;
  const [first, second] = content;
  return first?.type === 'text' && second === undefined
    ? (first.text ?? '')
    : content.map(contentPart);
}

/** A block with what its type has, and nothing else. */
function contentPart({ type, text, image_url: image, file }: ContentPart): ContentPart {
  if (type === 'file') return { type, file };
  if (type !== 'image_url' || !image) return { type: 'text', text: text ?? '' };
  const { url, detail } = image;
  return { type, image_url: { url, ...(detail ? { detail } : {}) } };
}

/** The body of `POST /api/v1/completions`, beside what is taken over by its name. */
interface NativeRequest extends Omit<CallFields, 'model' | 'models'> {
  messages: ChatMessage[];
  models: string[];
  maxTokens?: number | null;
  maxRetries?: number | null;
  search?: boolean | SearchWish | null;
  store?: boolean | null;
  /** True: as `store: false`, and the request log has a salted hash of the messages. */
  hash_content?: boolean | null;
  order?: 'ranked' | 'given' | null;
  research?: boolean | ResearchWish | null;
  toolkits?: (string | GroundingWish['toolkits'][number])[] | null;
  maxToolSteps?: number | null;
  tools?: ChatRequest['tools'];
  /** Whether the answer says why its model was chosen. */
  explain?: boolean | null;
}

/**
 * The schema of native completions. To a body of OpenAI's API, which has `model` instead of
 * `models`, it says where that API is.
 */
function nativeRequests(): Validator<NativeRequest> {
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
