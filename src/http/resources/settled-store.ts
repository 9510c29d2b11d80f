import type { Store } from '../../store/contracts/store.js';
import type { Parts } from '../../pipeline/parts.js';

/** The store, after what this process has still had to write: whoever asks for what was done just now finds it. @throws GatewayError `unavailable` */
export async function settledStore({ state }: Pick<Parts, 'state'>): Promise<Store> {
  const { store } = await state.opened();
  await state.requestLog.flush();
  return store;
}
