import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, jsonSchema, type LanguageModel, streamText, type ToolSet } from 'ai';
import OpenAI from 'openai';
import type { RunningGateway } from './gateway.js';
import { listAt, textAt } from './json.js';
import { ask, ways } from './ways.js';

/** What a client understood of an answer, whatever its surface. */
export interface Understood {
  text: string;
  calls: { id: string; name: string; input: unknown }[];
  finish: string | null;
}

type JsonFields = Record<string, unknown>;

const finishes: Record<string, string> = {
  end_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
};

const callOf = (call: unknown): Understood['calls'][number] => ({
  id: textAt(call, 'id'),
  name: textAt(call, 'function', 'name'),
  input: JSON.parse(textAt(call, 'function', 'arguments')) as unknown,
});

const messages = [{ role: 'user' as const, content: 'Hi' }];

/** The surfaces, each read by the SDK that its clients have, or natively. */
export const readers: Readonly<
  Record<string, (gateway: RunningGateway, model: string) => Promise<Understood>>
> = {
  async 'the openai SDK, streamed'(gateway, model) {
    const stream = openaiOf(gateway).chat.completions.stream({ model, messages });
    const { choices } = await stream.finalChatCompletion();
    return ofChat(choices[0]);
  },
  async 'the openai SDK, whole'(gateway, model) {
    const { choices } = await openaiOf(gateway).chat.completions.create({ model, messages });
    return ofChat(choices[0]);
  },
  async "the openai SDK's Responses, streamed"(gateway, model) {
    const stream = openaiOf(gateway).responses.stream({ model, input: 'Hi' });
    return ofResponse(await stream.finalResponse());
  },
  async 'the Anthropic SDK, streamed'(gateway, model) {
    const client = new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 });
    const stream = client.messages.stream({ model, messages, max_tokens: 100 });
    return ofMessage(await stream.finalMessage());
  },
  // it checks each field of each chunk
  'the AI SDK, streamed': (gateway, model) => aiStream(aiCall(gateway, model).model),
  async 'the AI SDK, whole'(gateway, model) {
    const { text, toolCalls, finishReason } = await generateText(aiCall(gateway, model));
    return ofAi(text, toolCalls, finishReason);
  },
  'natively, streamed': (gateway, model) => natively(gateway, model, 0),
  'natively, whole': (gateway, model) => natively(gateway, model, 1),
};

/** Readers of the dialects that some providers share with clients. */
export const ownReaders: typeof readers = {
  async "the openai SDK's Responses, whole"(gateway, model) {
    return ofResponse(await openaiOf(gateway).responses.create({ model, input: 'Hi' }));
  },
  async 'the Anthropic SDK, whole'(gateway, model) {
    const client = new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 });
    return ofMessage(await client.messages.create({ model, messages, max_tokens: 100 }));
  },
  "the AI SDK's Messages, streamed": (gateway, model) =>
    aiStream(createAnthropic({ apiKey: gateway.key, baseURL: `${gateway.url}/v1` })(model)),
  "the AI SDK's Responses, streamed": (gateway, model) =>
    aiStream(createOpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1` }).responses(model)),
};

const aiTools: ToolSet = {
  weather: { inputSchema: jsonSchema({ type: 'object', additionalProperties: true }) },
};

async function aiStream(model: LanguageModel): Promise<Understood> {
  const failures: unknown[] = [];
  const read = streamText({
    ...{ model, prompt: 'Hi', tools: aiTools, maxRetries: 0 },
    onError: ({ error }) => void failures.push(error),
  });
  let text = '';
  for await (const piece of read.textStream) text += piece;
  if (failures.length > 0) throw failures[0];
  const [calls, finish] = await Promise.all([read.toolCalls, read.finishReason]);
  return ofAi(text, calls, finish);
}

const aiCall = (gateway: RunningGateway, model: string) => ({
  model: createOpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1` }).chat(model),
  prompt: 'Hi',
  tools: aiTools,
  maxRetries: 0,
});

const ofAi = (
  text: string,
  calls: readonly { toolCallId: string; toolName: string; input: unknown }[],
  finish: string,
): Understood => ({
  text,
  calls: calls.map(({ toolCallId: id, toolName: name, input }) => ({ id, name, input })),
  finish: finish === 'tool-calls' ? 'tool_calls' : finish,
});

const openaiOf = (gateway: RunningGateway): OpenAI =>
  new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });

const ofMessage = ({ content, stop_reason: reason }: Anthropic.Message): Understood => ({
  text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  calls: content.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
  ),
  finish: finishes[reason ?? ''] ?? reason,
});

const ofChat = (choice: unknown): Understood => ({
  text: textAt(choice, 'message', 'content'),
  calls: listAt(choice, 'message', 'tool_calls').map(callOf),
  finish: textAt(choice, 'finish_reason'),
});

function ofResponse(response: {
  output_text: string;
  status?: string;
  output: unknown[];
}): Understood {
  const calls = response.output
    .filter((item) => textAt(item, 'type') === 'function_call')
    .map((item) => ({
      id: textAt(item, 'call_id'),
      name: textAt(item, 'name'),
      input: JSON.parse(textAt(item, 'arguments')) as unknown,
    }));
  const finish =
    response.status === 'completed' ? (calls.length > 0 ? 'tool_calls' : 'stop') : 'length';
  return { text: response.output_text, calls, finish };
}

async function natively(gateway: RunningGateway, model: string, way: 0 | 1): Promise<Understood> {
  const heard = await ask(gateway, ways[way]!, { models: [model] });
  if (heard.ended !== 'whole') throw new Error(heard.message);
  return {
    text: heard.text,
    calls: listAt(heard.last as JsonFields, 'message', 'tool_calls').map(callOf),
    finish: textAt(heard.last, 'finishReason'),
  };
}
