import type { ConfigInput } from '../../src/config/config.js';
import { type RunningGateway, startGateway } from './gateway.js';
import { startUpstream, type Upstream } from './upstream.js';

/** A gateway before one scripted upstream that speaks every dialect. */
export interface DialectGateway extends RunningGateway {
  upstream: Upstream;
}

/** One model for each dialect of providers, by the dialect. */
export const dialectModels = {
  'OpenAI chat': 'chat/gpt-test',
  Responses: 'responses/gpt-test',
  Anthropic: 'claude/claude-sonnet-4-5',
  Gemini: 'google/gemini-2.5-flash',
  Bedrock: 'aws/anthropic.claude-sonnet-4-5-v1:0',
} as const;

/** The same as rows for `describe.each`. */
export const dialectRows = Object.entries(dialectModels);

/** No retries of the gateway's own, so that what a test scripts is what a client gets. */
export async function startDialectGateway(config: ConfigInput = {}): Promise<DialectGateway> {
  const upstream = await startUpstream({ hasLists: false });
  const at = (api: string, path: string) => ({
    api,
    baseUrl: `${upstream.url}${path}`,
    apiKey: `${api}-key`,
  });
  const gateway = await startGateway({
    limits: { maxRetries: 0 },
    providers: {
      chat: at('openai-compatible', '/v1'),
      responses: at('openai-responses', '/v1'),
      claude: at('anthropic', ''),
      google: at('gemini', '/v1beta'),
      aws: { ...at('bedrock', ''), region: 'eu-west-1' },
    },
    ...config,
  });
  return {
    ...gateway,
    upstream,
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}
