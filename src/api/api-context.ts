import type { DoneAct } from '../accounts/write-act.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';

/** What an operation on a resource works with. */
export interface ApiContext {
  readonly parts: GatewayParts;
  /** Records an administrative act in the name of who does it. Never rejects. */
  record(done: DoneAct): Promise<void>;
}
