import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { searchAnswers } from '../helpers/search-answers.js';
import { post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const [, claude] = searchAnswers.find(([name]) => name === 'Anthropic')!;
/** The searches and what they found, but nothing of the answer. */
const progress = claude.stream.slice(0, claude.stream.indexOf('text_delta'));
const untilText = progress.slice(0, progress.lastIndexOf('event: content_block_start'));

describe("a model's own search that breaks off before the answer", () => {
  let upstream: Upstream;
  let gateway: RunningGateway;
  beforeAll(async () => {
    upstream = await startUpstream();
    gateway = await startGateway({
      providers: {
        claude: { api: 'anthropic', baseUrl: `${upstream.url}/v1`, apiKey: 'k' },
        up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
      },
      limits: { maxRetries: 0 },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });

  const body = {
    messages: [{ role: 'user', content: 'Is it out?' }],
    models: ['claude/claude-sonnet-4-5', 'up/m'],
    order: 'given',
  };
  const scripted = (): void =>
    upstream.script([
      { raw: Buffer.from(untilText), contentType: 'text/event-stream', writes: 'events' },
      { text: ['It ', 'is.'] },
    ]);

  it('contains searches and no text', () => {
    expect(untilText).toContain('web_search_tool_result');
    expect(untilText).not.toContain('text_delta');
  });

  it('is no answer: the next model answers, and nothing of the search is left', async () => {
    scripted();
    const reply = await post(`${gateway.url}/api/v1/completions`, body, gateway.auth);
    expect(reply).toMatchObject({
      status: 200,
      json: { model: 'm', errorTrace: [{ provider: 'claude', model: 'claude-sonnet-4-5' }] },
    });
    expect(reply.text).toContain('It is.');
    expect(reply.text).not.toContain('heron');
  });

  it('is no answer in a stream either', async () => {
    scripted();
    const { events } = await postStream(
      `${gateway.url}/api/v1/completions`,
      { ...body, stream: true },
      { headers: gateway.auth },
    );
    const sent = JSON.stringify(events);
    expect(sent).toContain('is.');
    expect(sent).not.toContain('heron');
    expect(sent).toContain('claude-sonnet-4-5');
  });
});
