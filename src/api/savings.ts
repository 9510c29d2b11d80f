import { invalidField } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { settledStore } from '../pipeline/engine/settled-store.js';
import { savingsOf } from '../chooser/chooser.js';
import type { ChoiceGrouping } from '../store/contracts/choices.js';
import { type Call, endpoint, type Endpoint } from './endpoint.js';
import { savingsParameters } from './figures/parameters.js';
import {
  accountParameter,
  keyParameter,
  refuseUnknown,
  textParameter,
  type WithQuery,
} from './query.js';
import { usageSpan } from './usage.js';

/** The filters of savings, as parameters name them. */
const savingsFilters = ['account', 'key', 'from', 'to', 'by'] as const;

const groupings: readonly ChoiceGrouping[] = ['preference', 'key', 'model'];

/**
 * What choosing has saved, by default in the last 30 days. Whole UTC days count.
 * @param accountId null: of all accounts
 * @throws GatewayError `validation_failed` that names the parameter
 */
async function readSavings(
  parts: GatewayParts,
  asked: WithQuery,
  accountId: string | null,
): ReturnType<typeof savingsOf> {
  const by = groupingOf(asked);
  const { from, to } = usageSpan(asked);
  const store = await settledStore(parts);
  const keyIds = await keyParameter(asked, store, accountId);
  return savingsOf(store, { accountId, keyIds, from, to }, by);
}

function groupingOf(asked: WithQuery): ChoiceGrouping | null {
  const by = textParameter(asked, 'by');
  if (by === null) return null;
  const found = groupings.find((one) => one === by);
  if (found) return found;
  throw invalidField('by', `must be one of: ${groupings.join(', ')}`);
}

/** Whether completions of an account are sent to a second model too. */
export interface Shadowing {
  readonly object: 'shadowing';
  /** False: the account wants none. */
  readonly allowed: boolean;
  /** The share of completions, as the gateway is configured; 0: none. */
  readonly share: number;
}

/** @throws GatewayError `unavailable` */
async function readShadowing(
  { state, current }: GatewayParts,
  accountId: string,
): Promise<Shadowing> {
  const { store } = await state.opened();
  return {
    object: 'shadowing',
    allowed: await store.shadows.isAllowed(accountId),
    share: current().savings.shadow,
  };
}

/** Applies to all requests that end from now on. @throws GatewayError `unavailable` */
async function changeShadowing(
  parts: GatewayParts,
  accountId: string,
  isAllowed: boolean,
): Promise<Shadowing> {
  const { store } = await parts.state.opened();
  await store.shadows.allow(accountId, isAllowed, Date.now());
  return readShadowing(parts, accountId);
}

const fixed = { tag: 'Usage', scope: 'admin' } as const;
const shadowing = {
  ...fixed,
  path: '/api/v1/savings/shadowing',
  response: 'shadowing.response',
} as const;

const getSavings = endpoint({
  ...fixed,
  method: 'get',
  path: '/api/v1/savings',
  id: 'getSavings',
  summary: 'What choosing has saved, against always calling each candidate, and prompt caches',
  description:
    'Over whole UTC days, by default the last 30. Each figure has a 95 % interval; one that nobody can know is null, with a reason. What prompt caches have saved is exact.',
  response: 'savings.response',
  parameters: savingsParameters,
  run(call: Call) {
    refuseUnknown(call, savingsFilters);
    return readSavings(call.parts, call, accountParameter(call, call.caller));
  },
});

/** The account's will, and the share of completions that is configured. */
export const getShadowing = endpoint({
  ...shadowing,
  method: 'get',
  id: 'getShadowing',
  summary: "Whether the account's completions are sent to a second model too",
  run: ({ parts, caller }: Call) => readShadowing(parts, caller.accountId),
});

/** Allows or forbids it, for all requests that end from now on. */
export const setShadowing = endpoint({
  ...shadowing,
  method: 'put',
  id: 'setShadowing',
  summary: 'Allow or forbid that completions are sent to a second model',
  request: 'shadowing.request',
  example: { allowed: false },
  run: ({ parts, caller, body }: Call<{ readonly allowed: boolean }>) =>
    changeShadowing(parts, caller.accountId, body.allowed),
});

/** The receipt of savings, and the calls of second models by which they are measured. */
export const savingsEndpoints: readonly Endpoint[] = [getSavings, getShadowing, setShadowing];
