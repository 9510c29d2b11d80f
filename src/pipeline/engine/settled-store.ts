import type { Store } from '../../store/contracts/store.js';
import type { GatewayParts } from './gateway-parts.js';

/**
 * The store, after this process has written its queued records, so that a client finds what it has
 * just done.
 * @throws GatewayError `unavailable` if the database cannot be reached
 */
export async function settledStore({ state }: Pick<GatewayParts, 'state'>): Promise<Store> {
  const { store } = await state.opened();
  await state.requestLog.flush();
  return store;
}
