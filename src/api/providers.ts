import type { Caller } from '../accounts/caller.js';
import type { Cause, Circuit } from '../dispatch/breaker.js';
import type { Provider } from '../dispatch/provider.js';
import { healthWindowMs, type ProviderHealth } from '../dispatch/provider-health.js';
import { type ErrorCode, failureSide, GatewayError, invalidField } from '../errors.js';
import { RecentSamples } from '../models/recent-samples.js';
import type { CompletionCall } from '../pipeline/completion-call.js';
import { runAs } from '../pipeline/direct.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { RequestFilter, RequestSummary } from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';
import { parseUrl } from '../text/parse-url.js';
import { type Call, endpointsOf, type Endpoint, type RequestCall } from './endpoint.js';
import { describeModels } from './models.js';
import { listRef } from './openapi/components.js';
import { idOf } from './page-request.js';
import { refuseUnknown } from './query.js';
import { isoOf, isoOrNull, timed } from './shown-fields.js';

const endpoint = endpointsOf({ tag: 'Models' });
const path = '/api/v1/providers';
const onePath = `${path}/{name}`;
const response = 'provider.response';

/** Addresses, keys and health are for administrators. */
const listProviders = endpoint('get', path, 'listProviders', {
  summary: 'List the configured providers, and how they do',
  answer: {
    description: 'All of them.',
    content: { 'application/json': { schema: listRef(response) } },
  },
  async run(call: Call) {
    refuseUnknown(call, []);
    call.snapshot.directory.refresh();
    const all = [...call.snapshot.providers.values()];
    const items = await Promise.all(all.map((one) => shownProvider(call, one)));
    return { object: 'list', items, next: null };
  },
});

const getProvider = endpoint('get', onePath, 'getProvider', {
  summary: 'One provider',
  response,
  run(call: Call) {
    const found = call.snapshot.providers.get(idOf(call, 'name'));
    if (!found) throw providerNotFound();
    call.snapshot.directory.refresh();
    return shownProvider(call, found);
  },
});

const messages = [{ role: 'user', content: 'Answer with the word OK.' }];
/** Enough for models that think before they answer. */
const max_completion_tokens = 64;

/** It counts as the request that it makes. */
const testOneProvider = endpoint('post', `${onePath}/test`, 'testProvider', {
  summary: 'Send a tiny request to a model of the provider',
  description:
    "It is a request of the caller's own, with its limits and its cost, without retries. A refusal or failure of the provider is part of the answer, which then is `ok: false`.",
  request: 'provider-test.request',
  isBodyOptional: true,
  example: { model: 'demo-small' },
  response: 'provider-test.response',
  scope: 'administrator',
  isUncounted: true,
  async run(call: RequestCall<{ readonly model?: string | null }>) {
    const { parts, snapshot, caller, body } = call;
    const name = idOf(call, 'name');
    if (!snapshot.providers.has(name)) throw providerNotFound();
    const label =
      body.model === undefined || body.model === null
        ? testedModel(call, name)
        : `${name}/${body.model}`;
    if (label === null) throw invalidField('model', 'name one: the provider lists no chat model');
    const completion = call.completion({ model: label, messages, max_completion_tokens });
    return {
      object: 'provider_test',
      provider: name,
      ...(await testProvider(parts, caller, label, completion)),
    };
  },
});

/** The providers, and tests of them. */
export const providerEndpoints: readonly Endpoint[] = [listProviders, getProvider, testOneProvider];

const providerNotFound = (): GatewayError =>
  new GatewayError('not_found', 'there is no provider of this name');

/** Addresses, keys and health are for administrators. */
async function shownProvider({ parts, snapshot, caller }: Call, provider: Provider) {
  const { name, keys, adapter, breaker } = provider;
  const { directory, names, providerConfigs } = snapshot;
  const config = providerConfigs.get(name);
  const health = await healthOf(parts, name);
  const circuits = breaker.list();
  const rests = circuits.filter(({ mark }) => keys.marks.includes(mark));
  const isAllowed = (model: string): boolean =>
    names.forbiddenReason({ provider: name, model }, caller.models) === null;
  const isAdministrator = caller.role === 'admin' && caller.scopes.includes('admin');
  return {
    object: 'provider',
    name,
    api: config?.api ?? 'unknown',
    models: [...directory.models(name).keys()].filter(isAllowed).length,
    condition: conditionOf(health, new Set(rests.map(({ mark }) => mark)).size === keys.size),
    details: isAdministrator
      ? {
          baseUrl: addressOf(config?.baseUrl ?? adapter.passthrough?.baseUrl ?? null),
          keys: config?.apiKeys.length ?? 0,
          cooldowns: rests
            .map((circuit) => ({
              key: keys.marks.indexOf(circuit.mark) + 1,
              why: circuit.cause.code === 'rate_limited' ? 'rate_limited' : 'refused',
              ...shownCircuit(circuit),
            }))
            .sort((one, other) => one.key - other.key),
          circuits: circuits
            .filter(({ mark }) => mark === '')
            .map((circuit) => ({
              state: circuit.state,
              failures: Math.ceil(circuit.failures),
              ...shownCircuit(circuit),
            })),
          health: health && shownHealth(health),
        }
      : null,
  };
}

const dayMs = 86_400_000;

/**
 * How a provider did: where no call of this process has succeeded or failed yet, by the requests of
 * the last day in the request log. Null: nothing is known.
 */
async function healthOf(
  parts: GatewayParts,
  provider: string,
): Promise<ProviderHealth | LoggedHealth | null> {
  const own = parts.state.health.find(provider);
  if (own && (own.lastSuccessAt ?? own.lastFailure) !== null) return own;
  const { store } = await parts.state.opened();
  const filter = { accountId: null, provider, from: Date.now() - dayMs };
  const newest = async (
    limit: number,
    more: Partial<RequestFilter>,
  ): Promise<readonly RequestSummary[]> =>
    (await store.requests.list({ ...filter, ...more }, { limit, cursor: null })).items;
  const [answered, [failure], ...counts] = await Promise.all([
    newest(maxSamples, { failed: false }),
    newest(1, { failedBy: 'provider' }),
    ...[{ failed: false }, { failedBy: 'provider' } as const].map((more) =>
      countLately(store, { ...filter, ...more }),
    ),
  ]);
  const [success] = answered;
  if (!success && !failure) return own;
  const [answers = 0, failures = 0] = counts;
  const logged = {
    attempts: answers + failures,
    failures,
    latencyMs: medianOf(answered, 'latencyMs'),
    ttftMs: medianOf(answered, 'ttftMs'),
    lastModelError: null,
  };
  return {
    ...(own ?? logged),
    isLogged: true,
    lastSuccessAt: success?.at ?? null,
    lastFailure: failure
      ? {
          at: failure.at,
          model: failure.model ?? '',
          code: failure.code as ErrorCode,
          status: failure.status,
          message: failure.error ?? '',
        }
      : null,
  };
}

const maxSamples = 100;
const hourMs = 3_600_000;

/** The median of a figure of requests of the last hour, newest first; null: there are too few. */
function medianOf(rows: readonly RequestSummary[], name: 'latencyMs' | 'ttftMs'): number | null {
  const samples = new RecentSamples(maxSamples);
  for (const { at, [name]: value } of [...rows].reverse())
    if (value !== null) samples.add(value, at);
  return samples.p50(Date.now(), hourMs);
}

/** How many requests of the last quarter of an hour a filter selects. */
async function countLately({ requests }: Store, filter: RequestFilter): Promise<number> {
  const start = Date.now() - healthWindowMs;
  const grid = { start, intervalMs: healthWindowMs };
  const [lately] = await requests.counts({ ...filter, from: start }, grid);
  return lately?.requests ?? 0;
}

interface LoggedHealth extends ProviderHealth {
  readonly isLogged: true;
  readonly lastFailure: Cause | null;
}

const shownCircuit = ({ model, since, openUntil, cause }: Circuit): object => ({
  model: model === '' ? null : model,
  since: isoOf(since),
  until: isoOf(openUntil ?? since),
  cause: timed(cause),
});

function shownHealth(health: ProviderHealth): object {
  const { lastSuccessAt, lastFailure, lastModelError, ...counts } = health;
  return {
    ...counts,
    lastSuccessAt: isoOrNull(lastSuccessAt),
    lastFailure: lastFailure && timed(lastFailure),
    lastModelError: lastModelError && timed(lastModelError),
  };
}

/**
 * `untried`: neither this process nor, in the last day, the request log knows of a call; or only of
 * calls for models that it does not have.
 */
function conditionOf(
  health: ProviderHealth | null,
  rests: boolean,
): 'ok' | 'failing' | 'resting' | 'untried' {
  if (rests) return 'resting';
  if (health === null) return 'untried';
  const { lastSuccessAt, lastFailure } = health;
  const isLast = lastFailure !== null && lastFailure.at > (lastSuccessAt ?? 0);
  // what it refused to be asked is no failure of its own
  if (isLast && failureSide(lastFailure.code) === 'provider') return 'failing';
  // a wrong address also answers 404: only a success says that the provider works
  return lastSuccessAt === null ? 'untried' : 'ok';
}

/** An address without a user's name, password and parameters. */
export function addressOf(url: string | null): string | null {
  const parsed = url === null ? null : parseUrl(url);
  if (parsed === null) return null;
  const { protocol, host, pathname } = parsed;
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}

const timeoutMs = 60_000;

/** The model with which a provider is tested: one that `auto` may choose, and the cheapest; or null. */
function testedModel({ parts, snapshot, caller }: Call, provider: string): string | null {
  const chats = describeModels(parts, snapshot, caller.models).filter(
    (one) => one.provider === provider && one.type === 'chat',
  );
  const rank = ({ isAuto, prices }: (typeof chats)[number]): number =>
    (isAuto ? 0 : 1e9) + (prices.blended ?? 1e6);
  return chats.sort((one, other) => rank(one) - rank(other))[0]?.label ?? null;
}

/**
 * Sends a tiny request through the gateway as a request of the caller's own, with its limits, its
 * budget and its place in the request log; no retries.
 * @param call asks for the model
 * @throws GatewayError where the provider was not called
 */
async function testProvider(
  parts: GatewayParts,
  caller: Caller,
  model: string,
  call: CompletionCall,
) {
  const startedAt = performance.now();
  const alone = { ...call, maxRetries: 0, store: false, streamFromProvider: true };
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { latencyMs, ttftMs, costs } = await runAs(parts, caller, alone, signal);
    return { ok: true, model, latencyMs, ttftMs, costUsd: costs.total_tokens_cost, error: null };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const latencyMs = Math.round(performance.now() - startedAt);
    return { ok: false, model, latencyMs, ttftMs: null, costUsd: null, error: failureOf(error) };
  }
}

/** @throws the error of a request that never reached the provider */
function failureOf(error: GatewayError): { status: number | null; message: string } {
  const last = error.errorTrace.findLast(({ attempt }) => attempt > 0);
  if (error.code === 'client_closed')
    return { status: null, message: `no whole answer in ${timeoutMs / 1000} s` };
  if (!last) throw error;
  return { status: last.status, message: last.error };
}
