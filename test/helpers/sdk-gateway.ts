import type { ConfigInput } from '../../src/config/config.js';
import { type RunningGateway, startGateway } from './gateway.js';
import { startUpstream, type Upstream } from './upstream.js';

/** A gateway that a client's SDK is pointed at, and the one upstream behind its three providers. */
export interface SdkGateway extends RunningGateway {
  upstream: Upstream;
  /** What an SDK is given as its base URL. */
  baseURL: string;
}

/**
 * One model for each kind of provider: the client's own dialect, passed on as it is, and two that
 * are translated.
 */
const models = {
  'an openai-compatible provider': 'compatible/gpt-test',
  Anthropic: 'claude/claude-sonnet-4-5',
  Gemini: 'google/gemini-2.5-flash',
} as const;

/** What each of these providers answers to a conversation that is too long, by model. */
export const tooLong: Record<string, object> = {
  [models['an openai-compatible provider']]: {
    error: {
      message: "This model's maximum context length is 8192 tokens. However, you requested 9000.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
  [models.Anthropic]: {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000' },
  },
  [models.Gemini]: {
    error: {
      code: 400,
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed.',
      status: 'INVALID_ARGUMENT',
    },
  },
};

/** The same as rows for `describe.each`. */
export const modelRows = Object.entries(models);

/** No retries of the gateway's own, so that what a test scripts is what a client gets. */
export async function startSdkGateway(config: ConfigInput = {}): Promise<SdkGateway> {
  const upstream = await startUpstream();
  const gateway = await startGateway({
    limits: { maxRetries: 0 },
    providers: {
      compatible: {
        api: 'openai-compatible',
        baseUrl: `${upstream.url}/v1`,
        apiKey: 'compatible-key',
      },
      claude: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'claude-key' },
      google: { api: 'gemini', baseUrl: `${upstream.url}/v1beta`, apiKey: 'google-key' },
    },
    models: {
      'compatible/gpt-test': { inputPrice: 1, outputPrice: 2, quality: 0.6 },
      'claude/claude-sonnet-4-5': { inputPrice: 3, outputPrice: 15, quality: 0.9 },
      'google/gemini-2.5-flash': { inputPrice: 0.3, outputPrice: 2.5, quality: 0.7 },
    },
    ...config,
  });
  return {
    ...gateway,
    upstream,
    baseURL: `${gateway.url}/v1`,
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** A small picture, as clients inline one. */
export const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';
