import { showConfig } from '../config/shown-config.js';
import { type Call, endpoint, type Endpoint, maxSmallBodyBytes } from './endpoint.js';
import { isoOf } from './page-request.js';
import { testConnection, type TestedConnection } from './providers/test-connection.js';
import { refuseUnknown } from './query.js';

const fixed = { tag: 'Accounts', scope: 'administrator' } as const;
const path = '/api/v1/configuration';

const getConfiguration = endpoint({
  ...fixed,
  method: 'get',
  path,
  id: 'getConfiguration',
  summary: 'The configuration in force, without secrets',
  response: 'configuration.response',
  run(call: Call) {
    refuseUnknown(call, []);
    const { config, loadedAt, refused } = call.parts.configuration();
    const { settings, yaml, hideSecrets } = showConfig(config);
    const { grounding, providers } = call.parts.current();
    return {
      object: 'configuration',
      file: config.file,
      loadedAt: isoOf(loadedAt),
      refused: refused && { at: isoOf(refused.at), reason: hideSecrets(refused.reason) },
      settings,
      yaml,
      connections: {
        mail: config.mail !== null,
        redis: config.redis.url !== null,
        providers: [...providers.keys()],
        engines: grounding.search?.engineNames ?? [],
        toolkits: grounding.toolkits.names,
      },
    };
  },
});

/** Tries one connection of the configuration. */
const runTest = endpoint({
  ...fixed,
  method: 'post',
  path: `${path}/tests`,
  id: 'testConnection',
  summary: 'Try a connection of the configuration',
  description:
    'A mail server and Redis are signed in to, a provider is asked for its models with each key, a search engine for one result, a toolkit for its tools. A failure is told in the answer, which then is `ok: false`.',
  request: 'connection-test.request',
  example: { kind: 'provider', name: 'demo' },
  response: 'connection-test.response',
  isUncounted: true,
  maxBodyBytes: maxSmallBodyBytes,
  async run({ parts, body }: Call<TestedConnection>) {
    const { detail, ...result } = await testConnection(parts, body);
    const { hideSecrets } = showConfig(parts.configuration().config);
    return { object: 'connection_test', ...result, detail: hideSecrets(detail) };
  },
});

/** The configuration in force, and tests of its connections. */
export const configurationEndpoints: readonly Endpoint[] = [getConfiguration, runTest];
