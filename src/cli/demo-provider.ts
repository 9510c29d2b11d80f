import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config/config.js';
import type { ChatMessage } from '../completion.js';
import { fillProvider } from '../config/fill.js';
import { providersOf } from '../gateway.js';
import { contentText } from '../text/content-text.js';

/** Two models of different quality, so that the choice between them can be seen. */
const models = ['demo-large', 'demo-small'] as const;
const facts = {
  inputPrice: 0,
  outputPrice: 0,
  contextLength: 32_768,
  tools: false,
  images: false,
};
/** What is known of the demo's models: they are free. */
export const demoModels = {
  'demo/demo-large': { ...facts, quality: 0.6 },
  'demo/demo-small': { ...facts, quality: 0.4 },
};
const wordDelayMs = 15;

interface DemoRequest {
  model?: string;
  stream?: boolean;
  messages?: ChatMessage[];
}

/**
 * Starts a local server with OpenAI's API on loopback, so that a gateway without providers can be
 * tried. Its answers say that they come from the demo, and are the same for the same question.
 */
async function startDemoProvider(): Promise<Server> {
  const server = createServer((req, res) => {
    void answer(req, res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve) =>
    // a worker has its own
    server.listen({ port: 0, host: '127.0.0.1', exclusive: true }, resolve),
  );
  // must not keep the process alive
  return server.unref();
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  if (req.method === 'GET' && req.url === '/v1/models') {
    sendJson(res, 200, {
      object: 'list',
      data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'demo' })),
    });
    return;
  }
  if (req.method !== 'POST' || req.url !== '/v1/chat/completions') {
    refuse(res, `no route ${req.url ?? ''}`, null, 'not_found');
    return;
  }
  const request = JSON.parse(Buffer.concat(pieces).toString('utf8')) as DemoRequest;
  const model = models.find((name) => name === request.model);
  if (!model) {
    const lacks = `no model ${JSON.stringify(request.model ?? null)}; it has ${models.join(' and ')}`;
    refuse(res, lacks, 'model', 'model_not_found');
  } else if (request.stream) await streamReply(res, model, request);
  else
    sendJson(res, 200, {
      ...envelope(model, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: reply(model, request) },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: usageOf(model, request),
    });
}

function refuse(res: ServerResponse, lacks: string, param: string | null, code: string): void {
  const message = `the demo provider has ${lacks}`;
  sendJson(res, 404, { error: { message, type: 'invalid_request_error', param, code } });
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const envelope = (model: string, object: string): object => ({
  id: 'chatcmpl-demo',
  object,
  created: Math.floor(Date.now() / 1000),
  model,
  system_fingerprint: null,
});

/** Streams the answer word by word. */
async function streamReply(
  res: ServerResponse,
  model: string,
  request: DemoRequest,
): Promise<void> {
  const shared = envelope(model, 'chat.completion.chunk');
  const send = (fields: object): void =>
    void res.write(`data: ${JSON.stringify({ ...shared, ...fields })}\n\n`);
  const piece = (delta: object, finishReason: string | null = null): void =>
    send({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] });
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  piece({ role: 'assistant', content: '' });
  for (const word of reply(model, request).split(/(?<= )/)) {
    await new Promise((resolve) => setTimeout(resolve, wordDelayMs));
    if (res.destroyed) return;
    piece({ content: word });
  }
  piece({}, 'stop');
  send({ choices: [], usage: usageOf(model, request) });
  res.end('data: [DONE]\n\n');
}

function question(request: DemoRequest): string {
  const text = contentText(
    request.messages?.findLast((message) => message.role === 'user')?.content,
  )
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

function reply(model: string, request: DemoRequest): string {
  return `This is the demo provider of Signalbox (${model}); no language model was called. You asked: "${question(request)}". Set OPENAI_API_KEY, ANTHROPIC_API_KEY or another provider's key, or add a provider to config/signalbox.yaml, to use a real model.`;
}

/** A rough estimate: four characters per token. */
function usageOf(model: string, request: DemoRequest): object {
  const texts = (request.messages ?? []).map(({ content }) => contentText(content));
  const promptTokens = Math.max(1, Math.ceil(texts.join('').length / 4));
  const completionTokens = Math.ceil(reply(model, request).length / 4);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** The demo provider: used from the start until the first provider is configured, never after. */
export class Demo {
  private constructor(private upstream: Server | null) {}

  /** Starts the demo provider if neither the configuration nor the environment has a provider. */
  static async startFor(config: Config): Promise<Demo> {
    return new Demo(hasProviders(config) ? null : await startDemoProvider());
  }

  get isOn(): boolean {
    return this.upstream !== null;
  }

  /** Adds the demo provider to a configuration without providers; returns any other unchanged. */
  addTo(config: Config): Config {
    if (this.upstream === null || hasProviders(config)) return config;
    const { port } = this.upstream.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const demo = fillProvider('demo', { api: 'openai-compatible', baseUrl });
    return { ...config, providers: { demo }, models: { ...demoModels, ...config.models } };
  }

  /** Stops it if the new configuration has providers; answers in progress are finished. */
  stopIfReplacedBy(config: Config): void {
    if (this.upstream === null || !hasProviders(config)) return;
    this.upstream.close();
    this.upstream = null;
  }
}

const hasProviders = (config: Config): boolean => providersOf(config).providers.length > 0;
