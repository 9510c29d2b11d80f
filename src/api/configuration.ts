import { showConfig } from '../config/shown-config.js';
import { GatewayError, invalidField, messageOf } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { redisAnswers } from '../store/open-databases.js';
import { checkProvider } from './check-provider.js';
import { type Call, endpointsOf, type Endpoint, maxSmallBodyBytes } from './endpoint.js';
import { refuseUnknown } from './query.js';
import { isoOf } from './shown-fields.js';

/** Which connection of the configuration. */
interface TestedConnection {
  readonly kind: 'mail' | 'alerts' | 'redis' | 'database' | 'provider' | 'engine' | 'toolkit';
  /** Of providers, search engines and toolkits. */
  readonly name?: string | null;
}

const endpoint = endpointsOf({ tag: 'Accounts', scope: 'administrator' });
const path = '/api/v1/configuration';

const getConfiguration = endpoint('get', path, 'getConfiguration', {
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
        alerts: config.alerts !== null,
        redis: config.redis.url !== null,
        providers: [...providers.keys()],
        engines: grounding.search?.engineNames ?? [],
        toolkits: grounding.toolkits.names,
      },
    };
  },
});

const runTest = endpoint('post', `${path}/tests`, 'testConnection', {
  summary: 'Try a connection of the configuration',
  description:
    'A mail server and Redis are signed in to, a test alert is sent, a provider is asked for its models with each key, a search engine for one result, a toolkit for its tools. A failure is part of the answer, which then is `ok: false`.',
  request: 'connection-test.request',
  example: { kind: 'provider', name: 'demo' },
  response: 'connection-test.response',
  isUncounted: true,
  maxBodyBytes: maxSmallBodyBytes,
  async run({ parts, body: { kind, name } }: Call<TestedConnection>) {
    const startedAt = performance.now();
    const done = (ok: boolean, detail: string) => ({
      object: 'connection_test',
      ok,
      ms: Math.round(performance.now() - startedAt),
      detail: showConfig(parts.configuration().config).hideSecrets(detail),
    });
    try {
      return done(true, await tests[kind](parts, name ?? ''));
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'validation_failed') throw error;
      return done(false, messageOf(error));
    }
  },
});

/** The configuration in force, and tests of its connections. */
export const configurationEndpoints: readonly Endpoint[] = [getConfiguration, runTest];

const timeoutMs = 30_000;

type Test = (parts: GatewayParts, name: string) => Promise<string>;

/** Each does a little of what requests do, and says what it found. */
const tests: Record<TestedConnection['kind'], Test> = {
  async mail(parts) {
    const { mailer } = parts.current().accounts;
    if (!mailer) throw invalidField('kind', 'no mail server is configured');
    await mailer.check();
    return 'the mail server accepts the sign-in';
  },
  async alerts({ state }) {
    const { sentTo, error } = await state.alerts.sendTest();
    if (error !== null) throw new Error(error);
    return `an alert was sent to ${sentTo.join(', ')}`;
  },
  async redis(parts) {
    const { url } = parts.configuration().config.redis;
    if (url === null) throw invalidField('kind', 'no Redis is configured');
    if (!(await redisAnswers(url))) throw new Error('it cannot be reached');
    return 'it answers';
  },
  async database({ state }) {
    const { store } = await state.opened();
    await store.ping();
    return store.kind === 'libsql' ? 'the embedded database answers' : 'PostgreSQL answers';
  },
  /** Asks for the list of models with each key, which costs nothing. */
  async provider(parts, name) {
    const { providers, providerConfigs } = parts.current();
    const [provider, config] = [providers.get(name), providerConfigs.get(name)];
    if (!provider || !config) throw invalidField('name', 'there is no provider of this name');
    const findings = await checkProvider({ config, adapter: provider.adapter });
    const problem = findings.find(({ state }) => state === 'problem');
    if (problem) throw new Error(problem.found);
    return findings.map(({ found }) => found).join('; ');
  },
  async engine(parts, name) {
    const { search } = parts.current().grounding;
    if (!search?.engineNames.includes(name))
      throw invalidField('name', 'there is no search engine of this name');
    const query = {
      query: 'weather',
      maxResults: 1,
      recency: null,
      country: null,
      language: null,
      allowedDomains: [],
      blockedDomains: [],
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const { results } = await search.search(query, { engine: name, signal });
    return `it answers, with ${results.length} results`;
  },
  async toolkit(parts, name) {
    const { toolkits } = parts.current().grounding;
    if (!toolkits.names.includes(name))
      throw invalidField('name', 'there is no toolkit of this name');
    const signal = AbortSignal.timeout(timeoutMs);
    const { tools, warnings } = await toolkits.open([{ name }], ['*'], signal);
    return [`${tools.length} tools`, ...warnings].join('; ');
  },
};
