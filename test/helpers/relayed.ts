import { ProcessLink } from '../../src/async/process-link.js';
import type { DatabaseOwner, OwnerCalls } from '../../src/store/relay/database-owner.js';
import { RelayedDatabases } from '../../src/store/relay/relayed-databases.js';

/**
 * What a worker has of an owner's databases, over messages that are cloned and arrive later. `end`
 * is what the owner does when the worker has ended.
 */
export function relayedFrom(owner: DatabaseOwner): { databases: RelayedDatabases; end(): void } {
  const share = owner.share((topic, text) => databases.published(topic, text));
  const toOwner = new ProcessLink<OwnerCalls>((message) => deliver(toWorker, message), {});
  const toWorker = new ProcessLink<object>((message) => deliver(toOwner, message), {
    ...share.calls,
  });
  const databases = new RelayedDatabases(toOwner);
  return { databases, end: () => share.end() };
}

function deliver(link: { receive(message: unknown): void }, message: unknown): void {
  setImmediate(() => link.receive(structuredClone(message)));
}
