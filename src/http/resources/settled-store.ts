import type { Store } from '../../store/contracts/store.js';
import type { Parts } from '../parts.js';

/** The store, after what this process has still had to write: whoever asks for what was done just now finds it. @throws GatewayError `unavailable` */
export async function settledStore({ memory }: Pick<Parts, 'memory'>): Promise<Store> {
  const { store } = await memory.opened();
  await memory.requestLog.flush();
  return store;
}
