import { GatewayError, invalidField } from '../../errors.js';
import { openCounters } from '../../store/open-counters.js';
import { checkProvider } from './check-provider.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';

/** Which connection of the configuration. */
export interface TestedConnection {
  readonly kind: 'mail' | 'redis' | 'database' | 'provider' | 'engine' | 'toolkit';
  /** Of providers, search engines and toolkits. */
  readonly name?: string | null;
}

/** How a test went. `detail` is for people. */
export interface ConnectionTest {
  readonly ok: boolean;
  readonly ms: number;
  readonly detail: string;
}

const timeoutMs = 30_000;

type Test = (parts: GatewayParts, name: string) => Promise<string>;

/** Each does a little of what requests do, and says what it found. */
const tests: Record<TestedConnection['kind'], Test> = {
  mail: testMail,
  redis: testRedis,
  database: testDatabase,
  provider: testProvider,
  engine: testEngine,
  toolkit: testToolkit,
};

/**
 * Tries a connection of the configuration in force.
 * @throws GatewayError `validation_failed` for what is not configured
 */
export async function testConnection(
  parts: GatewayParts,
  { kind, name }: TestedConnection,
): Promise<ConnectionTest> {
  const startedAt = performance.now();
  const done = (ok: boolean, detail: string): ConnectionTest => ({
    ok,
    ms: Math.round(performance.now() - startedAt),
    detail,
  });
  try {
    return done(true, await tests[kind](parts, name ?? ''));
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'validation_failed') throw error;
    return done(false, error instanceof Error ? error.message : 'it failed');
  }
}

async function testMail(parts: GatewayParts): Promise<string> {
  const { mailer } = parts.current().accounts;
  if (!mailer) throw invalidField('kind', 'no mail server is configured');
  await mailer.check();
  return 'the mail server accepts the sign-in';
}

async function testRedis(parts: GatewayParts): Promise<string> {
  const { url } = parts.configuration().config.redis;
  if (url === null) throw invalidField('kind', 'no Redis is configured');
  const counters = await openCounters(url);
  const { state } = counters;
  await counters.close();
  if (state !== 'redis') throw new Error('it cannot be reached');
  return 'it answers';
}

async function testDatabase({ state }: GatewayParts): Promise<string> {
  const { store } = await state.opened();
  await store.ping();
  return store.kind === 'libsql' ? 'the embedded database answers' : 'PostgreSQL answers';
}

/** Asks for the list of models with each key, which costs nothing. */
async function testProvider(parts: GatewayParts, name: string): Promise<string> {
  const { providers, providerConfigs } = parts.current();
  const [provider, config] = [providers.get(name), providerConfigs.get(name)];
  if (!provider || !config) throw invalidField('name', 'there is no provider of this name');
  const findings = await checkProvider({ config, adapter: provider.adapter });
  const problem = findings.find(({ state }) => state === 'problem');
  if (problem) throw new Error(problem.found);
  return findings.map(({ found }) => found).join('; ');
}

async function testEngine(parts: GatewayParts, name: string): Promise<string> {
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
}

async function testToolkit(parts: GatewayParts, name: string): Promise<string> {
  const { toolkits } = parts.current().grounding;
  if (!toolkits.names.includes(name))
    throw invalidField('name', 'there is no toolkit of this name');
  const signal = AbortSignal.timeout(timeoutMs);
  const { tools, warnings } = await toolkits.open([{ name }], ['*'], signal);
  return [`${tools.length} tools`, ...warnings].join('; ');
}
