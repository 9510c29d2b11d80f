import { savingsOf } from '../chooser/chooser.js';
import { settledStore } from '../pipeline/engine/gateway-parts.js';
import type { ChoiceGrouping } from '../store/contracts/choices.js';
import { type Call, type Endpoint, endpointsOf } from './endpoint.js';
import { queryParameter, shared } from './parameters.js';
import { accountParameter, choiceParameter, keyParameter } from './query.js';
import { usageSpan } from './figures/usage.js';

const groupings: readonly ChoiceGrouping[] = ['preference', 'key', 'model'];

/** Whether completions of an account are sent to a second model too. */
export interface Shadowing {
  readonly object: 'shadowing';
  /** False: the account wants none. */
  readonly allowed: boolean;
  /** The share of completions, as the gateway is configured; 0: none. */
  readonly share: number;
}

const endpoint = endpointsOf({ tag: 'Usage', scope: 'admin' });
const shadowingPath = '/api/v1/savings/shadowing';
const response = 'shadowing.response';

/** Of all accounts for administrators who ask for them. */
const getSavings = endpoint('get', '/api/v1/savings', 'getSavings', {
  summary: 'What choosing has saved, against always calling each candidate, and prompt caches',
  description:
    'Over whole UTC days, by default the last 30. Each figure has a 95 % interval; one that cannot be computed is null, with a reason. What prompt caches have saved is exact.',
  response: 'savings.response',
  parameters: [
    shared.account,
    shared.key,
    shared.from,
    shared.to,
    queryParameter(
      'by',
      'Also a receipt for each `preference`, `key` or (chosen) `model`. Default: none.',
    ),
  ],
  async run(call: Call) {
    const accountId = accountParameter(call);
    const by = choiceParameter(call, 'by', groupings);
    const span = usageSpan(call);
    const store = await settledStore(call.parts);
    const keyIds = await keyParameter(call, store, accountId);
    return savingsOf(store, { accountId, keyIds, ...span }, by);
  },
});

/** The account's will, and the share of completions that is configured. */
export const getShadowing = endpoint('get', shadowingPath, 'getShadowing', {
  response,
  summary: "Whether the account's completions are sent to a second model too",
  async run({ parts, caller }: Call): Promise<Shadowing> {
    const { store } = await parts.state.opened();
    return {
      object: 'shadowing',
      allowed: await store.shadows.isAllowed(caller.accountId),
      share: parts.current().savings.shadow,
    };
  },
});

/** Allows or forbids it, for all requests that end from now on. */
export const setShadowing = endpoint('put', shadowingPath, 'setShadowing', {
  response,
  summary: 'Allow or forbid that completions are sent to a second model',
  request: 'shadowing.request',
  example: { allowed: false },
  async run(call: Call<{ readonly allowed: boolean }>): Promise<Shadowing> {
    const { store } = await call.parts.state.opened();
    await store.shadows.allow(call.caller.accountId, call.body.allowed, Date.now());
    return getShadowing.run(call);
  },
});

/** The receipt of savings, and the calls of second models by which they are measured. */
export const savingsEndpoints: readonly Endpoint[] = [getSavings, getShadowing, setShadowing];
