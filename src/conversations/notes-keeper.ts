import type { LazyDatabases } from '../store/lazy-databases.js';
import type { ResearchStore } from '../store/contracts/conversations.js';
import { VolatileConversations } from './known-conversations.js';
import type { StorageQuota } from './storage-quota.js';

/** Stores the notes of research runs, which count as storage of their account. */
export class NotesKeeper {
  /** Null unless the database is in memory. */
  private readonly volatile: VolatileConversations | null;

  constructor(
    private readonly databases: LazyDatabases,
    private readonly quota: StorageQuota,
  ) {
    this.volatile = VolatileConversations.of(databases, (account, id) => this.remove(account, id));
  }

  /** The notes as JSON; null: the account has none of that id. */
  async find(accountId: string, id: string): Promise<string | null> {
    return (await this.store()).find(accountId, id);
  }

  /**
   * Makes the function that stores the notes of one run, each time in place of the earlier ones.
   * @param id of the answer that the run writes
   * @returns takes notes as JSON; false: the account's storage has no room for them
   */
  placeOf(accountId: string, id: string): (json: string) => Promise<boolean> {
    let stored = 0;
    return async (json) => {
      const size = Buffer.byteLength(json);
      const growth = size - stored;
      if (growth > 0 && !this.quota.hasRoom(accountId, growth)) return false;
      await (await this.store()).save({ id, accountId, json, at: Date.now() });
      this.quota.add(accountId, growth);
      this.volatile?.use(accountId, id, size);
      stored = size;
      return true;
    };
  }

  private async remove(accountId: string, id: string): Promise<void> {
    await (await this.store()).remove(accountId, id);
    this.quota.forget(accountId);
  }

  private async store(): Promise<ResearchStore> {
    return (await this.databases.get()).store.research;
  }
}
