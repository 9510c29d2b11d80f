import type { ServerResponse } from 'node:http';
import type { ChatRequest } from '../../completion.js';
import { invalidField } from '../../errors.js';
import { asList, nameSet, omit } from '../../text/is-object.js';
import { asChat } from './foreign-words.js';
import { openAIErrors } from './openai-error.js';
import { OpenAIStream } from './openai-stream.js';
import { searchSwitch } from './openai-search.js';
import { withPlainContent } from './plain-content.js';
import type { CompletionCall, FinishedAnswer } from '../../pipeline/completion-call.js';
import type { CompletionSurface } from './surface.js';
import { WholeAnswer } from '../../pipeline/whole-answer.js';
import { withCompleteCitations } from '../../completion-builder.js';
import { sendJson } from '../send-json.js';

/** What a body in any client dialect says about its call beside the conversation. */
export interface CallFields {
  /** `<provider>/<model>`, an alias, a bare name of a model, or `auto`. */
  model: string;
  /** The candidates of `auto`. Default: the configured ones. */
  models?: string[] | null;
  /** Tried in this order when the model fails. */
  fallback_models?: string[] | null;
  stream?: boolean | null;
  tradeoff?: 'cost' | 'latency' | null;
  economy?: number | null;
  /** False: it is not hedged. */
  hedge?: boolean | null;
  preference_id?: string | null;
  previous_session?: string | null;
  onBrokenStream?: 'continue' | 'fail' | null;
}

/** The body of `POST /v1/chat/completions` and of `gateway.run`; the rest is the provider's. */
export type RunRequest = ChatRequest & CallFields;

/** The gateway's own fields in the bodies of other dialects; no provider gets them. */
export const gatewayFields = nameSet(`
  models fallback_models tradeoff economy hedge preference_id previous_session
  onBrokenStream
`);
/** The names of `CallFields`. */
const callFields: ReadonlySet<string> = new Set([...gatewayFields, 'model', 'stream']);

/** OpenAI's chat completions. */
export const openai = {
  ...openAIErrors('openai'),
  dialect: 'chat',
  router: 'openai',
  path: '/v1/chat/completions',
  schema: 'chat-completions',
  described: {
    id: 'createChatCompletion',
    summary: "Answer a conversation, in OpenAI's shape",
    description:
      "For OpenAI's SDKs: their base URL is this gateway's with `/v1`. `model` is `<provider>/<model>`, or `auto`.",
    example: { model: 'auto', messages: [{ role: 'user', content: 'Why is the sky blue?' }] },
    answer: "OpenAI's completion, or its chunks.",
    notFound: 'The model does not exist.',
    errorSchema: 'openai-error',
  },
  adapt: asChat,
  readCall(parsed) {
    const body = parsed as RunRequest;
    return chatCall(omit(body, callFields) as ChatRequest, body);
  },
  writer({ res, call, stream }) {
    return stream
      ? new OpenAIStream(stream, call.chat.stream_options?.include_usage === true)
      : new OpenAIReply(res);
  },
} satisfies CompletionSurface;

/**
 * The call for a conversation, as the rest of its body says. Two objects, because joining them to one
 * costs several µs. @throws GatewayError `bad_request`
 */
export function chatCall(sent: ChatRequest, fields: CallFields): CompletionCall {
  const { model, models, fallback_models: fallbackModels, stream, tradeoff, economy } = fields;
  const { hedge, preference_id, previous_session, onBrokenStream } = fields;
  refuseNativeFields(sent);
  const chat = withPlainContent(withoutZeroLimits(sent));
  const auto = model === 'auto';
  const isList = auto && models;
  const named = auto ? (models ?? null) : [model];
  const isPlain = stream || chat.stream_options === undefined;
  const asked = isPlain ? chat : (omit(chat, streamOptions) as ChatRequest);
  return {
    chat: asked,
    models: named,
    modelsField: isList ? 'models' : 'model',
    modelField: isList ? 'models[0]' : 'model',
    fallbackModels: fallbackModels ?? [],
    order: null,
    routing: {
      messages: chat.messages,
      tools: chat.tools ?? asList(chat['functions']),
      maxTokens: chat.max_completion_tokens ?? chat.max_tokens ?? null,
      tradeoff: tradeoff ?? null,
      economy: economy ?? null,
    },
    links: { preference_id, previous_session, conversationId: chat['conversationId'] },
    stream: stream ?? false,
    streamFromProvider: stream ?? false,
    maxRetries: null,
    onBrokenStream: onBrokenStream ?? null,
    hedge: hedge ?? null,
    store: chat['store'] !== false,
    sentMessages: chat.messages,
    invalidCode: 'bad_request',
    keepsStatus: true,
    grounding: searchSwitch({ chat: asked, models: named }),
  };
}

/** Providers would ignore these, and the client would take a plain answer for a researched one. */
function refuseNativeFields({ research, toolkits }: ChatRequest): void {
  const asksForResearch = research === true || (typeof research === 'object' && research !== null);
  const asksForToolkits = Array.isArray(toolkits) && toolkits.length > 0;
  if (!asksForResearch && !asksForToolkits) return;
  throw invalidField(
    asksForResearch ? 'research' : 'toolkits',
    'is not supported here; send it to POST /api/v1/completions',
    'bad_request',
  );
}

const limits = ['max_tokens', 'max_completion_tokens'];

/** Some clients send 0 for "no limit", as OpenAI's SDKs do in their own tests. */
function withoutZeroLimits(chat: ChatRequest): ChatRequest {
  const zero = limits.filter((field) => chat[field] === 0);
  return zero.length > 0 ? (omit(chat, new Set(zero)) as ChatRequest) : chat;
}

const streamOptions = nameSet('stream_options');

/** An answer as an OpenAI completion; the body of a provider with this dialect as it is. */
export class OpenAIReply extends WholeAnswer {
  constructor(private readonly res: ServerResponse) {
    super();
  }

  finish(answer: FinishedAnswer): void {
    sendJson(this.res, 200, this.shown(answer));
    this.release();
  }

  protected shown(answer: FinishedAnswer): object {
    if (this.body) return this.body;
    const { choices, ...envelope } = this.completion(answer);
    return {
      ...envelope,
      choices: choices.map((choice) => ({
        logprobs: null,
        ...choice,
        message: { refusal: null, ...withCompleteCitations(choice.message) },
      })),
    };
  }
}
