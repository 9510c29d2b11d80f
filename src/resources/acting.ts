import type { DoneAct } from '../accounts/write-act.js';
import type { Parts } from '../pipeline/parts.js';

/** What an operation on a resource works with. */
export interface Acting {
  readonly parts: Parts;
  /** Records an administrative act in the name of who does it. Never rejects. */
  record(done: DoneAct): Promise<void>;
}
