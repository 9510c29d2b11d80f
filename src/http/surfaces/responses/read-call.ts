import type { ChatRequest } from '../../../completion.js';
import { invalidField } from '../../../errors.js';
import type { CompletionCall, ForwardedRequest } from '../../../pipeline/completion-call.js';
import type { GroundingWish } from '../../../pipeline/grounding/grounding-call.js';
import { extraBody } from '../foreign-words.js';
import { chatCall, gatewayFields } from '../openai.js';
import { isSearchTool, searchSwitch } from '../openai-search.js';
import type { SentAlong } from '../surface.js';
import {
  type Json,
  isObject,
  namesIn,
  omit,
  pick,
  present,
  textIn,
} from '../../../text/is-object.js';
import { itemsOf, type ResponsesBody, typeOf } from './body.js';
import { compactionChat } from './compaction.js';
import { flatTools, toolFields } from './flat-tools.js';
import { forwardedInput } from './forwarded-input.js';
import { onlyOriginal } from './only-original.js';
import { chatMessages } from './read-input.js';

/** Converts a body whose references are resolved. @throws GatewayError `bad_request` */
export function readCall(body: ResponsesBody, sent: SentAlong): CompletionCall {
  const isCompaction = itemsOf(body).some((item) => typeOf(item) === 'compaction_trigger');
  const chat = isCompaction ? compactionChat(chatOf(body)) : chatOf(body);
  const call = chatCall(chat, body);
  return Object.assign(call, {
    original: originalOf(body, sent.headers),
    store: body.store !== false,
    grounding: isCompaction ? null : searchWish(body, call),
  });
}

/** What every provider understands. */
export function chatOf(body: ResponsesBody): ChatRequest {
  const messages = chatMessages(body);
  // items that no chat message stands for are for providers of this dialect
  if (messages.length === 0 && itemsOf(body).length > 0)
    messages.push({ role: 'user', content: '' });
  if (messages.length === 0) throw invalidField('input', 'is required', 'bad_request');
  return { messages, ...toolFields(body, flatTools(body)), ...optionsOf(body) };
}

const sameFields = namesIn(`
  temperature top_p prompt_cache_key prompt_cache_retention prompt_cache_options service_tier
`);

/** What other APIs ask for an effort with. */
const foreignEfforts = ['reasoning_effort', 'thinking', 'enable_thinking'];

function optionsOf(body: ResponsesBody): Omit<ChatRequest, 'messages'> {
  const { top_logprobs: logprobs, include, text } = body;
  let { effort } = body.reasoning ?? {};
  let format = text?.format;
  // an agent that changes them in the middle of a task says so in the input, for all that follows
  for (const item of itemsOf(body)) {
    if (typeOf(item) !== 'configuration_update') continue;
    const { reasoning, text: form } = item;
    if (isObject(reasoning)) effort = textIn(reasoning['effort']) || effort;
    if (isObject(form) && isObject(form['format'])) format = form['format'];
  }
  const wantsLogprobs = Boolean(logprobs) || include?.includes('message.output_text.logprobs');
  const others = present({
    max_completion_tokens: body.max_output_tokens,
    response_format: formatOf(format),
    reasoning_effort: effort || null,
    verbosity: text?.verbosity,
    ...(wantsLogprobs ? { logprobs: true, top_logprobs: logprobs } : {}),
  });
  return Object.assign(pick(body, [...sameFields, ...foreignEfforts]), others);
}

function formatOf(format: Json | null | undefined): ChatRequest['response_format'] {
  if (!format) return null;
  const { type, ...schema } = format;
  if (type === 'json_object') return { type };
  return type === 'json_schema' ? { type, json_schema: schema } : null;
}

/**
 * The gateway searches for models that cannot. The tool is optional to its client, so that a request
 * that no model can search for is answered without.
 */
function searchWish(
  body: ResponsesBody,
  { chat, models, grounding }: CompletionCall,
): GroundingWish | null {
  const { tools: sent, tool_choice: choice } = body;
  const tools = [...(chat.tools ?? []), ...(sent ?? [])] as ChatRequest['tools'];
  const wish = sent?.length ? searchSwitch({ chat: { ...chat, tools }, models }) : grounding;
  if (!wish?.withoutSwitch) return null;
  const cleaned = { ...wish, withoutSwitch: { ...wish.withoutSwitch, chat } };
  if (!isObject(choice) || !isSearchTool({ type: textIn(choice['type']) })) return cleaned;
  // without that choice any provider may do
  const { needs } = onlyOriginal({ ...body, tool_choice: 'auto' });
  const withoutSwitch = { ...cleaned.withoutSwitch, needs: reasonOf(needs) };
  return { ...cleaned, search: { ...wish.search, required: true }, withoutSwitch };
}

const notForwarded: ReadonlySet<string> = new Set([
  ...gatewayFields,
  'reasoning_effort',
  'previous_response_id',
  ...extraBody,
]);

/** The body for providers that speak this dialect: they store nothing, and get the whole input. */
function originalOf(body: ResponsesBody, headers: SentAlong['headers']): ForwardedRequest {
  const { needs } = onlyOriginal(body);
  const forwarded: Record<string, unknown> = omit(body, notForwarded);
  const { input } = body;
  if (Array.isArray(input)) forwarded['input'] = forwardedInput(input as Json[]);
  // without its store a provider has to give the reasoning along, for the next turn
  if (body.store !== false)
    forwarded['include'] = [...new Set([...(body.include ?? []), 'reasoning.encrypted_content'])];
  forwarded['store'] = false;
  return { dialect: 'responses', body: forwarded, headers, query: '', needs: reasonOf(needs) };
}

const reasonOf = (needs: string | null): string | null => needs && `\`${needs}\` of this request`;
