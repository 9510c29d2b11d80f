import { invalidField } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { settledStore } from '../pipeline/engine/settled-store.js';
import { savingsOf } from '../chooser/chooser.js';
import type { ChoiceGrouping } from '../store/contracts/choices.js';
import { type WithQuery, keyParameter, textParameter } from './query.js';
import { usageSpan } from './usage.js';

/** The filters of savings, as parameters name them. */
export const savingsFilters = ['account', 'key', 'from', 'to', 'by'] as const;

const groupings: readonly ChoiceGrouping[] = ['preference', 'key', 'model'];

/**
 * What choosing has saved, by default in the last 30 days. Whole UTC days count.
 * @param accountId null: of all accounts
 * @throws GatewayError `validation_failed` that names the parameter
 */
export async function readSavings(
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
