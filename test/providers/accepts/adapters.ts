import type { ProviderAdapter } from '../../../src/providers/adapter.js';
import { createBedrock } from '../../../src/providers/bedrock/index.js';
import { createVertex } from '../../../src/providers/gemini/vertex.js';
import { dialects } from '../../../src/providers/index.js';

const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
const tokens = { configured: true, token: () => Promise.resolve('t'), forget: () => undefined };

/** An adapter of a dialect that asks no network for credentials. */
export function adapterOf(api: string): ProviderAdapter {
  const settings = { name: api, api, project: 'own', region: 'eu-west-1' };
  if (api === 'vertex') return createVertex(settings, tokens);
  if (api === 'bedrock') return createBedrock(settings, { env, now: Date.now });
  const dialect = dialects.get(api);
  if (!dialect) throw new Error(`there is no dialect ${api}`);
  return dialect.create({
    ...settings,
    ...(dialect.baseUrl === null ? { baseUrl: 'https://provider.example/v1' } : {}),
  });
}
