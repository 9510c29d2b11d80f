import type { Caller } from '../../accounts/caller.js';
import type { LastFailure, ProviderHealth } from '../../dispatch/provider-health.js';
import { GatewayError, invalidField } from '../../errors.js';
import { type Call, endpoint, type Endpoint, type RequestCall } from '../endpoint.js';
import { listRef } from '../openapi/components.js';
import { idOf, isoOf, isoOrNull } from '../page-request.js';
import { type DescribedProvider, describeProviders } from './describe-provider.js';
import { testedModel, testProvider } from './test-provider.js';
import { refuseUnknown } from '../query.js';

const tag = 'Models';
const path = '/api/v1/providers';
const onePath = `${path}/{name}`;
const response = 'provider.response';

/** Addresses, keys and health are for administrators. */
const listProviders = endpoint({
  tag,
  method: 'get',
  path,
  id: 'listProviders',
  summary: 'List the configured providers, and how they do',
  answer: {
    description: 'All of them.',
    content: { 'application/json': { schema: listRef(response) } },
  },
  run(call: Call) {
    refuseUnknown(call, []);
    return { object: 'list', items: describedTo(call).map(shownTo(call)), next: null };
  },
});

const getProvider = endpoint({
  tag,
  method: 'get',
  path: onePath,
  id: 'getProvider',
  summary: 'One provider',
  response,
  run(call: Call) {
    const name = idOf(call, 'name');
    const found = describedTo(call).find((provider) => provider.name === name);
    if (!found) throw providerNotFound();
    return shownTo(call)(found);
  },
});

const messages = [{ role: 'user', content: 'Answer with the word OK.' }];
/** Enough for models that think before they answer. */
const max_completion_tokens = 64;

/** It counts as the request that it makes. */
const testOneProvider = endpoint({
  tag,
  method: 'post',
  path: `${onePath}/test`,
  id: 'testProvider',
  summary: 'Send a tiny request to a model of the provider',
  description:
    "It is a request of the caller's own, with its limits and its cost, without retries. A provider that refuses or fails is told in the answer, which then is `ok: false`.",
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
        ? testedModel(parts, snapshot, name, caller.models)
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

/** The error for a name that no configured provider has. */
const providerNotFound = (): GatewayError =>
  new GatewayError('not_found', 'there is no provider of this name');

const describedTo = ({ parts, snapshot, caller }: Call): DescribedProvider[] =>
  describeProviders(snapshot, parts.state, caller.models);

const isAdministrator = ({ role, scopes }: Caller): boolean =>
  role === 'admin' && scopes.includes('admin');

const shownTo =
  ({ caller }: Call) =>
  ({ details, ...provider }: DescribedProvider): object => ({
    object: 'provider',
    ...provider,
    details: isAdministrator(caller) ? shownDetails(details) : null,
  });

function shownDetails({ baseUrl, keys, cooldowns, health }: DescribedProvider['details']): object {
  const now = Date.now();
  return {
    baseUrl,
    keys,
    cooldowns: cooldowns.map(({ leftMs, why }) => ({ until: isoOf(now + leftMs), why })),
    health: health && shownHealth(health),
  };
}

function shownHealth(health: ProviderHealth): object {
  const { lastSuccessAt, lastFailure, lastModelError, ...counts } = health;
  return {
    ...counts,
    lastSuccessAt: isoOrNull(lastSuccessAt),
    lastFailure: lastFailure && shownFailure(lastFailure),
    lastModelError: lastModelError && shownFailure(lastModelError),
  };
}

const shownFailure = ({ at, ...failure }: LastFailure): object => ({ at: isoOf(at), ...failure });
