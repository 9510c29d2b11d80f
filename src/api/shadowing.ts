import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';

/** Whether completions of an account are sent to a second model too. */
export interface Shadowing {
  readonly object: 'shadowing';
  /** False: the account wants none. */
  readonly allowed: boolean;
  /** The share of completions, as the gateway is configured; 0: none. */
  readonly share: number;
}

/** @throws GatewayError `unavailable` */
export async function readShadowing(
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
export async function changeShadowing(
  parts: GatewayParts,
  accountId: string,
  isAllowed: boolean,
): Promise<Shadowing> {
  const { store } = await parts.state.opened();
  await store.shadows.allow(accountId, isAllowed, Date.now());
  return readShadowing(parts, accountId);
}
