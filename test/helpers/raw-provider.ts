import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { WrittenConfig } from '../../src/config/shape.js';
import { type RunningGateway, startGateway } from './gateway.js';

/** A provider that keeps the text of each request and answers as it is told. */
export interface RawProvider {
  readonly url: string;
  /** The bodies of its requests, as text. */
  readonly texts: string[];
  /** The last of them, parsed. */
  body(): Record<string, unknown>;
  /** Decides what the next requests are answered. */
  answer(make: (path: string, body: string) => { status?: number; json: string }): void;
  close(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

/** Starts one on a free port. */
async function startRawProvider(): Promise<RawProvider> {
  const texts: string[] = [];
  let make: Parameters<RawProvider['answer']>[0] = () => ({ json: '{}' });
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      texts.push(text);
      const { status = 200, json } = make(request.url ?? '', text);
      response.writeHead(status, { 'content-type': 'application/json' }).end(json);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    body: () => JSON.parse(texts.at(-1) ?? '{}') as Record<string, unknown>,
    answer: (next) => void (make = next),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const message = (tool: string): Record<string, string> => ({
  claude: `{"type":"message","id":"m","model":"c","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${tool}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
  google: `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${tool}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}`,
  aws: `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":${tool}}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":1}}`,
  chat: `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${JSON.stringify(tool)}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
  answers: `{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"function_call","id":"fc","call_id":"t","name":"f","arguments":${JSON.stringify(tool)}}],"usage":{"input_tokens":1,"output_tokens":1}}`,
  coral: `{"id":"c","message":{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${JSON.stringify(tool)}}}]},"finish_reason":"TOOL_CALL","usage":{"tokens":{"input_tokens":1,"output_tokens":1}}}`,
});

/** A whole answer that calls a tool, by the name of the provider in `rawProviders`. */
export const callAnswer = (provider: string, args = '{}'): string => message(args)[provider] ?? '';

/** Providers of all dialects at one address, by name. */
export const rawProviders = (url: string) => {
  const at = { baseUrl: url, apiKey: 'k', listModels: false } as const;
  return {
    claude: { ...at, api: 'anthropic' },
    google: { ...at, api: 'gemini' },
    aws: { ...at, api: 'bedrock', region: 'eu-west-1' },
    chat: { ...at, api: 'openai-compatible' },
    answers: { ...at, api: 'openai-responses' },
    coral: { ...at, api: 'cohere' },
  } as const;
};

/**
 * A provider and a gateway before it, which knows it by all names of `rawProviders`, for the tests of
 * a file: both are there when the first one runs.
 * @param configOf what else the gateway's configuration says, by the provider's address
 */
export function rawGateway(
  configOf: (url: string) => WrittenConfig | Promise<WrittenConfig> = () => ({}),
): { provider: RawProvider; gateway: RunningGateway } {
  const raw = {} as { provider: RawProvider; gateway: RunningGateway };
  beforeAll(async () => {
    raw.provider = await startRawProvider();
    const { url } = raw.provider;
    const { providers, ...config } = await configOf(url);
    raw.gateway = await startGateway({
      ...config,
      providers: { ...rawProviders(url), ...providers },
    });
  });
  afterAll(async () => {
    await raw.gateway.close();
    await raw.provider.close();
  });
  return raw;
}
