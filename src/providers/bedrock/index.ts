import { AwsV4Signer } from 'aws4fetch';
import { inTurns } from '../../async/turns.js';
import { GatewayError } from '../../errors.js';
import type {
  CompletionAnswer,
  ProviderAdapter,
  ProviderDialect,
  ProviderSettings,
  UpstreamRequest,
} from '../adapter.js';
import { awsCredentials, awsDomain, type CredentialSource } from './aws-credentials.js';
import { bedrockEmbeddings } from './embeddings.js';
import type { ConverseAnswer } from './answer.js';
import { readConverse, readConverseStream } from './events.js';
import { readBedrockFailure, isExpiredCredentials } from './failure.js';
import { type ModelTraits, traitsOf } from './model-traits.js';
import { leftByConverse, toConverse } from './request.js';
import { unreadable } from '../failure.js';
import { parseObject } from '../json.js';
import { authHeaders, upstreamPost } from '../upstream-post.js';
import { withCacheBreakpoints } from '../cache-breakpoints.js';
import { deploymentOf, modelPath, namesOf } from '../called-model.js';

/** The environment of a provider on AWS; tests pass their own. */
export interface AwsEnvironment {
  env: NodeJS.ProcessEnv;
  /** Ms since 1970. */
  now: () => number;
}

interface Endpoint {
  root: string;
  /** Null if a base URL is configured without a region: then only API keys work. */
  region: string | null;
}

function endpointOf(settings: ProviderSettings, env: NodeJS.ProcessEnv): Endpoint {
  const region = settings.region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? null;
  if (settings.baseUrl) return { root: settings.baseUrl, region };
  if (!region)
    throw new GatewayError(
      'internal',
      `${settings.name} needs an AWS region: set region in its settings, or AWS_REGION`,
    );
  return { root: `https://bedrock-runtime.${region}.${awsDomain(region)}`, region };
}

/** Signs with AWS's Signature Version 4. The URL must have no query; `accept` stays unsigned. */
async function sign(
  request: UpstreamRequest,
  endpoint: Endpoint,
  source: CredentialSource,
  now: number,
  provider: string,
): Promise<UpstreamRequest> {
  if (!endpoint.region)
    throw new GatewayError(
      'provider_auth',
      `${provider} needs an AWS region for its signature: set region in its settings, or AWS_REGION`,
    );
  const { accessKeyId, secretAccessKey, sessionToken } = await source.get();
  const { accept, ...headers } = request.headers;
  const { body: given } = request;
  const body =
    typeof given === 'string' || Buffer.isBuffer(given) ? given : await inTurns(given.print());
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.url,
    headers,
    body,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken ? { sessionToken } : {}),
    service: 'bedrock',
    region: endpoint.region,
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const signed = await signer.sign();
  return {
    ...request,
    body,
    headers: { ...Object.fromEntries(signed.headers), ...(accept ? { accept } : {}) },
  };
}

type Post = (
  model: string,
  operation: string,
  body: object,
  apiKey: string | null,
) => UpstreamRequest | Promise<UpstreamRequest>;

/** Makes requests to a model's path, with an API key, or signed where there is none. */
function requestMaker(
  settings: ProviderSettings,
  endpoint: Endpoint,
  source: CredentialSource,
  now: () => number,
): Post {
  return (model, operation, body, apiKey) => {
    // ARNs contain colons and slashes
    const path = modelPath(deploymentOf(settings, model) ?? model, settings.name, 'encoded');
    const url = `${endpoint.root}/model/${path}/${operation}`;
    const type = operation === 'converse-stream' ? 'vnd.amazon.eventstream' : 'json';
    const accept = { accept: `application/${type}` };
    const unsigned = upstreamPost(url, body, settings.headers ?? {}, accept);
    if (apiKey !== null)
      return { ...unsigned, headers: { ...unsigned.headers, authorization: `Bearer ${apiKey}` } };
    return sign(unsigned, endpoint, source, now(), settings.name);
  };
}

/** Requests are passed through as streams, which cannot be signed, so an API key is required. */
function passthroughAuth(
  settings: ProviderSettings,
  apiKey: string | null,
): Record<string, string> {
  if (apiKey === null)
    throw new GatewayError(
      'not_implemented',
      `proxy: ${settings.name} signs its requests; passing requests through needs an API key`,
    );
  return authHeaders(apiKey, settings);
}

function readAnswer(provider: string, body: string, model: string): CompletionAnswer {
  const parsed = parseObject(provider, body, 'the body') as ConverseAnswer;
  const answer = readConverse(provider, parsed, model);
  if (answer) return answer;
  // some proxies send errors with status 200
  if ('message' in parsed || 'Message' in parsed || '__type' in parsed)
    throw readBedrockFailure(provider)(200, {}, body);
  throw unreadable(provider, 'the body is not an answer of Converse');
}

/**
 * Makes the adapter of one configured provider.
 * @throws GatewayError `internal` without a region
 */
export function createBedrock(
  settings: ProviderSettings,
  { env, now }: AwsEnvironment,
): ProviderAdapter {
  const { name } = settings;
  const source = awsCredentials({ ...settings, provider: name, env, now });
  const endpoint = endpointOf(settings, env);
  const post = requestMaker(settings, endpoint, source, now);
  const traits = (model: string): ModelTraits => traitsOf(...namesOf(settings, model));
  return {
    name,
    passthrough: { baseUrl: endpoint.root, headers: (apiKey) => passthroughAuth(settings, apiKey) },
    dialect: null,
    unopenedImages: /^https?:/i,
    prefill: (model) => traits(model).prefill,
    leftOut: (request, model) => leftByConverse(request, traits(model)),
    buildRequest({ request, model, stream }, apiKey) {
      const asked = settings.cacheBreakpoints ? withCacheBreakpoints(request) : request;
      const body = toConverse(asked, traits(model), name);
      return post(model, stream ? 'converse-stream' : 'converse', body, apiKey);
    },
    readCompletion: (body, { model }) => readAnswer(name, body, model),
    readEvents: (sink, { model }) => readConverseStream(name, model, sink),
    readFailure(status, headers, body) {
      if (isExpiredCredentials(headers, body)) source.forget();
      return readBedrockFailure(name)(status, headers, body);
    },
    embeddings: bedrockEmbeddings(name, (model, body, apiKey) =>
      post(model, 'invoke', body, apiKey),
    ),
  };
}

/** Amazon Bedrock's Converse API, with an API key or with AWS credentials. */
export const bedrock: ProviderDialect = {
  api: 'bedrock',
  env: ['AWS_BEARER_TOKEN_BEDROCK'],
  // https://bedrock-runtime.{region}.amazonaws.com
  baseUrl: null,
  conventionalName: 'aws.bedrock',
  pricesAs: 'aws',
  needsKey: false,
  // neither faster service nor guardrails, nor fields that circumvent the limits of an answer
  pricedFields: ['requestMetadata', 'additionalModelResponseFieldPaths'],
  // speech, pictures and films
  unpricedModels: /(^|[./-])(nova-(2-)?(sonic|canvas|reel)|titan-image|stability\.)/i,
  passthroughHeaders: ['x-amzn-bedrock-*'],
  create: (settings) => createBedrock(settings, { env: process.env, now: Date.now }),
};
