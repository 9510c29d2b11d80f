import type { ConfigInput } from '../../src/config/config.js';
import type { GatewayOptions } from '../../src/gateway-options.js';
import { type RunningGateway, startGateway } from './gateway.js';
import { at, listAt, textAt } from './json.js';
import { post, postStream, type Reply, type StreamReply } from './sse.js';
import { startUpstream, type Upstream } from './upstream.js';

/** A gateway that is asked for responses, and the upstream behind all of its providers. */
export interface ResponsesWorld extends RunningGateway {
  upstream: Upstream;
  /** Posts to `/v1/responses`; the model is one of OpenAI's chat dialect unless given. */
  ask(body: object): Promise<Reply>;
  stream(body: object): Promise<StreamReply>;
  /** The body of the last request to the upstream. */
  sent(): Record<string, unknown>;
}

/** A model of a provider of each dialect: the surface's own, and four that are translated. */
export const ownModel = 'own/gpt-test';
export const chatModel = 'chat/gpt-test';
export const otherModels = [
  chatModel,
  'claude/claude-sonnet-4-5',
  'google/gemini-2.5-flash',
  'aws/anthropic.claude-sonnet-4-5',
] as const;
export const everyModel = [ownModel, ...otherModels] as const;

/** Without retries of the gateway's own, unless the configuration has them. */
export async function startResponses(
  config: ConfigInput = {},
  options: GatewayOptions = {},
): Promise<ResponsesWorld> {
  const upstream = await startUpstream();
  const to = (api: string, path: string) => ({
    api,
    baseUrl: `${upstream.url}${path}`,
    apiKey: 'k',
  });
  const gateway = await startGateway(
    {
      limits: { maxRetries: 0 },
      providers: {
        own: to('openai-responses', '/v1'),
        chat: to('openai-compatible', '/v1'),
        claude: to('anthropic', ''),
        google: to('gemini', '/v1beta'),
        aws: { ...to('bedrock', ''), region: 'eu-west-1' },
      },
      ...config,
    },
    options,
  );
  const url = `${gateway.url}/v1/responses`;
  return {
    ...gateway,
    upstream,
    ask: (body) => post(url, { model: chatModel, ...body }, gateway.auth),
    stream: (body) =>
      postStream(url, { model: chatModel, stream: true, ...body }, { headers: gateway.auth }),
    sent: () => upstream.requests.at(-1)?.body ?? {},
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** The types of an answer's events, a repeated one once. */
export const typesOf = ({ events }: StreamReply): string[] =>
  events.map((event) => textAt(event, 'type')).filter((type, i, all) => type !== all[i - 1]);

/** The response of a stream's last event. */
export const finalOf = ({ events }: StreamReply): unknown => at(events.at(-1), 'response');

/** The output items of a response. */
export const outputOf = (response: unknown): unknown[] => listAt(response, 'output');

/** The text of a response. */
export const textOf = (response: unknown): string =>
  outputOf(response)
    .flatMap((item) => listAt(item, 'content'))
    .map((part) => at(part, 'text'))
    .join('');
