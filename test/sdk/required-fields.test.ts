import type { Message, Usage } from '@anthropic-ai/sdk/resources/messages';
import type { MessageDeltaUsage, RawMessageDeltaEvent } from '@anthropic-ai/sdk/resources/messages';
import type { ModelInfo } from '@anthropic-ai/sdk/resources/models';
import type { ChatCompletion, ChatCompletionMessage } from 'openai/resources/chat/completions';
import type { FunctionTool, Response } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DialectGateway,
  dialectRows,
  startDialectGateway,
} from '../helpers/dialect-gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, postStream } from '../helpers/sse.js';

/** The fields that a type of an SDK has always. */
type Needed<Type> = {
  [Field in keyof Type as undefined extends Type[Field] ? never : Field]: true;
};
/** All of them by name: one that an SDK adds does not compile until it is here. */
const needed = <Type>(fields: Needed<Type>): string[] => Object.keys(fields);

const ofMessage = needed<Message>({
  ...{ id: true, container: true, content: true, diagnostics: true, model: true, role: true },
  ...{ stop_details: true, stop_reason: true, stop_sequence: true, type: true, usage: true },
});
const ofUsage = needed<Usage>({
  ...{ cache_creation: true, cache_creation_input_tokens: true, cache_read_input_tokens: true },
  ...{ inference_geo: true, input_tokens: true, output_tokens: true, output_tokens_details: true },
  ...{ server_tool_use: true, service_tier: true, speed: true },
});
const ofLastUsage = needed<MessageDeltaUsage>({
  ...{ cache_creation_input_tokens: true, cache_read_input_tokens: true, input_tokens: true },
  ...{ output_tokens: true, output_tokens_details: true, server_tool_use: true },
});
const ofEnd = needed<RawMessageDeltaEvent.Delta>({
  ...{ container: true, stop_details: true, stop_reason: true, stop_sequence: true },
});
const ofModel = needed<ModelInfo>({
  ...{ id: true, capabilities: true, created_at: true, deprecated_at: true, display_name: true },
  ...{ lifecycle: true, line: true, max_input_tokens: true, max_tokens: true, retires_at: true },
  type: true,
});
const ofCompletion = needed<ChatCompletion>({
  ...{ id: true, choices: true, created: true, model: true, object: true },
});
const ofChoice = needed<ChatCompletion.Choice>({
  ...{ finish_reason: true, index: true, logprobs: true, message: true },
});
const ofAnswer = needed<ChatCompletionMessage>({ content: true, refusal: true, role: true });
const ofResponse = needed<Omit<Response, 'output_text'>>({
  ...{ id: true, created_at: true, error: true, incomplete_details: true, instructions: true },
  ...{ metadata: true, model: true, object: true, output: true, parallel_tool_calls: true },
  ...{ temperature: true, tool_choice: true, tools: true, top_p: true },
});
const ofTool = needed<FunctionTool>({ name: true, parameters: true, strict: true, type: true });

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.close());

const messages = [{ role: 'user', content: 'Hi' }];
const holds = (value: unknown, fields: readonly string[]): void =>
  expect(fields.filter((field) => !(field in (value as object)))).toEqual([]);
const sent = async (path: string, body: object): Promise<unknown> =>
  (await post(gateway.url + path, body, gateway.auth)).json;

describe.each(dialectRows.filter(([dialect]) => dialect !== 'Anthropic'))(
  'a message of %s',
  (_dialect, model) => {
    const body = { model, max_tokens: 100, messages };

    it('has every field that Anthropic’s SDK has always', async () => {
      const json = await sent('/v1/messages', body);
      holds(json, ofMessage);
      holds(at(json, 'usage'), ofUsage);
    });

    it('has them in its events too', async () => {
      const options = { headers: gateway.auth };
      const url = `${gateway.url}/v1/messages`;
      const { events } = await postStream(url, { ...body, stream: true }, options);
      const of = (type: string): unknown => events.find((one) => textAt(one, 'type') === type);
      holds(at(of('message_start'), 'message'), ofMessage);
      holds(at(of('message_start'), 'message', 'usage'), ofUsage);
      holds(at(of('message_delta'), 'delta'), ofEnd);
      holds(at(of('message_delta'), 'usage'), ofLastUsage);
    });
  },
);

it.each(dialectRows.filter(([dialect]) => dialect !== 'OpenAI chat'))(
  'a completion of %s has every field that OpenAI’s SDK has always',
  async (_dialect, model) => {
    const json = await sent('/v1/chat/completions', { model, messages });
    holds(json, ofCompletion);
    holds(at(json, 'choices', 0), ofChoice);
    holds(at(json, 'choices', 0, 'message'), ofAnswer);
  },
);

it.each(dialectRows.filter(([dialect]) => dialect !== 'Responses'))(
  'a response of %s has every field that OpenAI’s SDK has always',
  async (_dialect, model) => {
    const json = await sent('/v1/responses', {
      ...{ model, input: 'Hi', tools: [{ type: 'function', name: 'look' }] },
    });
    holds(json, ofResponse);
    holds(at(json, 'tools', 0), ofTool);
  },
);

it('a model of the list has every field that Anthropic’s SDK has always', async () => {
  const headers = { ...gateway.auth, 'anthropic-version': '2023-06-01' };
  const { json } = await ask('GET', `${gateway.url}/v1/models`, headers);
  for (const model of listAt(json, 'data')) holds(model, ofModel);
});
