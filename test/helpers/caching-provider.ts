import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

/** Providers cache prompts in blocks of 128 tokens; four characters count as one here. */
const charactersPerToken = 4;
const blockCharacters = 128 * charactersPerToken;

/** What a provider saw of one request. Tokens. */
export interface SeenPrompt {
  readonly key: string;
  readonly tokens: number;
  /** Read from the cache of its key. */
  readonly cached: number;
  /** What one cache for all keys would have had. */
  readonly eligible: number;
}

/** A provider on 127.0.0.1 that caches prompts by key and speaks the dialects of three agents. */
export interface CachingProvider {
  readonly url: string;
  readonly seen: SeenPrompt[];
  /** Keys that are answered 429 from now on. */
  readonly limited: Set<string>;
  close(): Promise<unknown>;
}

type Body = Readonly<Record<string, unknown>>;

/** Of each block the digest of all text up to its end. */
function blocksOf({ tools, system, instructions, input, messages }: Body): string[] {
  // a mark of the cache is not part of what is cached
  const text = JSON.stringify([tools, system, instructions, input ?? messages], (name, value) =>
    name === 'cache_control' ? undefined : (value as unknown),
  );
  const digest = createHash('sha256');
  const blocks: string[] = [];
  for (let end = blockCharacters; end <= text.length; end += blockCharacters)
    blocks.push(
      digest
        .update(text.slice(end - blockCharacters, end))
        .copy()
        .digest('base64'),
    );
  return blocks;
}

/** The tokens of the leading blocks that a cache has, which then has all of them. */
function readThrough(cache: Set<string>, blocks: readonly string[]): number {
  const missing = blocks.findIndex((block) => !cache.has(block));
  for (const block of blocks) cache.add(block);
  return ((missing === -1 ? blocks.length : missing) * blockCharacters) / charactersPerToken;
}

const answers: Record<string, (model: unknown, tokens: number, cached: number) => object> = {
  responses: (model, tokens, cached) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model,
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'ok', annotations: [] }],
      },
    ],
    usage: {
      input_tokens: tokens,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: tokens + 1,
    },
  }),
  messages: (model, tokens, cached) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: tokens - cached, cache_read_input_tokens: cached, output_tokens: 1 },
  }),
  completions: (model, tokens, cached) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: tokens,
      completion_tokens: 1,
      total_tokens: tokens + 1,
      prompt_tokens_details: { cached_tokens: cached },
    },
  }),
};

export async function startCachingProvider(): Promise<CachingProvider> {
  const seen: SeenPrompt[] = [];
  const limited = new Set<string>();
  const ofAll = new Set<string>();
  const byKey = new Map<string, Set<string>>();
  const server = createServer((req, res) => {
    void json(req).then((sent) => {
      const body = sent as Body;
      const { authorization, 'x-api-key': apiKey } = req.headers;
      const key = String(apiKey ?? authorization?.replace('Bearer ', ''));
      const answer = answers[req.url?.replace(/\?.*/, '').split('/').at(-1) ?? ''];
      res.setHeader('content-type', 'application/json');
      if (limited.has(key) || !answer) {
        const status = answer ? 429 : 404;
        res.writeHead(status, { 'retry-after': '60' }).end('{"error":{"message":"scripted"}}');
        return;
      }
      const blocks = blocksOf(body);
      const tokens = Math.round(JSON.stringify(body).length / charactersPerToken);
      const eligible = readThrough(ofAll, blocks);
      if (!byKey.has(key)) byKey.set(key, new Set());
      const cached = readThrough(byKey.get(key)!, blocks);
      seen.push({ key, tokens, cached, eligible });
      res.end(JSON.stringify(answer(body['model'], tokens, cached)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    limited,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
