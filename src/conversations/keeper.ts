import { newRowId } from '../row-id.js';
import { withTimeout } from '../async/with-timeout.js';
import type { SignedIds } from '../accounts/signed-ids.js';
import type { ChatMessage } from '../completion.js';
import { GatewayError, invalidField } from '../errors.js';
import type { LazyDatabases } from '../store/lazy-databases.js';
import type {
  ConversationRecord,
  ConversationStore,
  FoundConversation,
  Turn,
} from '../store/contracts/conversations.js';
import { conversationTitle } from './conversation-title.js';
import {
  VolatileConversations,
  type KnownConversation,
  KnownConversations,
} from './known-conversations.js';
import { type LastModel, warmMs } from './last-models.js';
import { StorageQuota } from './storage-quota.js';
import {
  newPartOf,
  sizeOf,
  type TurnResult,
  TurnQueue,
  type TurnQueueLimits,
  type TurnQueueReports,
} from './turn-queue.js';

/** What a request says about its conversation. */
export interface JoinRequest {
  /** Null: a new conversation. */
  readonly conversationId: string | null;
  readonly messages: readonly ChatMessage[];
  /** `off`: the configuration stores no conversations; `skip`: this request must not be stored. */
  readonly storing: 'on' | 'off' | 'skip';
}

/** The conversation of a request, before its answer. */
export interface JoinedConversation {
  readonly id: string;
  readonly accountId: string;
  readonly title: string;
  readonly answerId: string;
  readonly stores: boolean;
  /** True: the turn creates it. */
  readonly begins: boolean;
  /** Whether its title was derived from this request's messages. */
  readonly titledNow: boolean;
  /** The model of its last answer; null if there was none in the last hour. */
  readonly last: LastModel | null;
}

/** Limits that differ from the defaults; durations in ms. */
export interface KeeperLimits extends Partial<TurnQueueLimits> {
  /** What the conversations of one account may take. Default: no limit. */
  readonly maxStoredBytes?: () => number;
  /** How long a cached conversation is used without a lookup. */
  readonly freshMs?: number;
}

const maxNamingMs = 1_000;
/** How long a request waits for a lookup; storing its turn may take as long. */
const maxLookupMs = 2_000;

/** Finds or begins the conversation of a request, and adds turns to conversations. */
export class ConversationKeeper {
  private readonly queue: TurnQueue;
  private readonly known: KnownConversations;
  /** What the account's conversations and notes of research take. */
  readonly quota: StorageQuota;
  /** Null unless the database is in memory. */
  private readonly volatile: VolatileConversations | null;

  constructor(
    private readonly databases: LazyDatabases,
    private readonly ids: SignedIds,
    reports: TurnQueueReports,
    { freshMs, maxStoredBytes = () => Infinity, ...limits }: KeeperLimits = {},
  ) {
    this.known = new KnownConversations(freshMs);
    this.quota = new StorageQuota(
      async (accountId) => (await this.store()).storedBytes(accountId),
      maxStoredBytes,
    );
    this.queue = new TurnQueue(
      async (turns) => (await this.store()).append(turns),
      reports,
      limits,
    );
    this.volatile = VolatileConversations.of(databases, (account, id) => this.remove(account, id));
  }

  /**
   * The conversation that a request begins or continues, in two seconds at most. While the database
   * is away every id is accepted: the turn is stored when it is back, if the account has such a
   * conversation.
   * @throws GatewayError `not_found` if the account has no such conversation
   */
  async join(accountId: string, request: JoinRequest): Promise<JoinedConversation> {
    // without signed ids the answer gets an id that needs a lookup when it is rated, instead of
    // failing
    if (!this.ids.isReady) await this.ids.ready().catch(() => undefined);
    const { conversationId, messages, storing } = request;
    // opens the database while the model answers; a failure is reported when the turn is written
    if (storing === 'on' && this.databases.now === null)
      this.databases.get().catch(() => undefined);
    // so that the answer's turn does not wait for the lookup
    if (storing === 'on' && this.databases.now) this.quota.prepare(accountId);
    if (conversationId === null || storing === 'off') {
      const known = { title: conversationTitle(messages), untitled: true, last: null };
      return this.joined(accountId, conversationId ?? newRowId(), request, known, true);
    }
    // the client may have written the id in capitals
    const id = conversationId.toLowerCase();
    const known = this.known.fresh(accountId, id) ?? (await this.find(accountId, id, messages));
    return this.joined(accountId, id, request, known, false);
  }

  /**
   * Adds a turn, before its client is answered. Never rejects, and takes at most two seconds. Only
   * `stored` confirms that it is stored; a `late` turn may still be stored once.
   * @returns `full` if the account has used its storage: the turn is not stored
   */
  async append(turn: Turn): Promise<TurnResult | 'full'> {
    const { accountId, conversationId } = turn;
    const size = sizeOf(newPartOf(turn));
    if (!this.quota.hasRoom(accountId, size)) return 'full';
    const result = await this.queue.add(turn);
    if (result === 'gone') this.forget(accountId, conversationId);
    else if (result !== 'lost') this.volatile?.use(accountId, conversationId, sizeOf(turn));
    if (result === 'stored') {
      this.remember(turn);
      this.quota.add(accountId, size);
    }
    return result;
  }

  /** Whether turns cannot be written at the moment. */
  get isAway(): boolean {
    return this.queue.isAway;
  }

  /** Creates an empty conversation. Without a title it gets one from its first messages. */
  async create(accountId: string, title: string | null): Promise<ConversationRecord> {
    const record = await (
      await this.store()
    ).create({
      id: newRowId(),
      accountId,
      title: title ?? conversationTitle([]),
      titleSource: title === null ? 'derived' : 'given',
      createdAt: Date.now(),
    });
    this.volatile?.use(accountId, record.id, 1);
    return record;
  }

  /**
   * Null if there is no such conversation.
   * @param onlyDerived changes only a title that was derived from the first message
   */
  async rename(
    accountId: string,
    id: string,
    title: string,
    source: ConversationRecord['titleSource'],
    onlyDerived = false,
  ): Promise<ConversationRecord | null> {
    const record = await (await this.store()).rename(accountId, id, title, source, onlyDerived);
    this.known.remove(accountId, id);
    return record;
  }

  /** Stores the derived title of an empty conversation. Never rejects; takes at most a second. */
  async storeTitle({ accountId, id, title }: JoinedConversation): Promise<void> {
    const renamed = this.rename(accountId, id, title, 'derived', true).catch(() => null);
    await withTimeout(renamed, maxNamingMs, () => null);
  }

  /** False if there was none. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const removed = await (await this.store()).remove(accountId, id);
    this.quota.forget(accountId);
    this.forget(accountId, id);
    return removed;
  }

  /** Writes the turns that wait; what the database does not take within seconds is lost. */
  close(): Promise<void> {
    return this.queue.close();
  }

  private joined(
    accountId: string,
    id: string,
    { messages, storing }: JoinRequest,
    { title, untitled, last }: KnownConversation,
    begins: boolean,
  ): JoinedConversation {
    return {
      id,
      accountId,
      begins,
      title: untitled && !begins ? conversationTitle(messages) : title,
      answerId: this.ids.isReady ? this.ids.make(accountId) : newRowId(),
      stores: storing === 'on',
      titledNow: untitled,
      last,
    };
  }

  /** A conversation that this process has begun may still be on its way to the database. */
  private async find(
    accountId: string,
    id: string,
    messages: readonly ChatMessage[],
  ): Promise<KnownConversation> {
    const title = this.queue.titleOfBegun(accountId, id);
    if (title !== null) return { title, untitled: false, last: null };
    const record = await withTimeout(this.lookUp(accountId, id), maxLookupMs, (): 'away' => 'away');
    if (record === null) throw invalidField('conversationId', 'not found', 'not_found');
    if (record === 'away')
      return (
        this.known.last(accountId, id) ?? {
          title: conversationTitle(messages),
          untitled: false,
          last: null,
        }
      );
    const known = {
      title: record.title,
      untitled: record.titleSource === 'derived' && record.messageCount === 0,
      last: record.updatedAt > Date.now() - warmMs ? record.last : null,
    };
    this.known.add(accountId, id, known);
    return known;
  }

  /** Null: the account has no such conversation. `away`: the database is away. */
  private async lookUp(accountId: string, id: string): Promise<FoundConversation | 'away' | null> {
    try {
      const record = await (await this.store()).find(accountId, id);
      if (!record) this.forget(accountId, id);
      return record;
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'unavailable') return 'away';
      throw error;
    }
  }

  /** Caches what a stored turn says about its conversation. */
  private remember({ accountId, conversationId, begins, answer: { provider, model } }: Turn): void {
    const last = model === null ? null : { provider, model };
    if (begins)
      this.known.add(accountId, conversationId, { title: begins.title, untitled: false, last });
    else if (last) this.known.answered(accountId, conversationId, last);
  }

  private forget(accountId: string, id: string): void {
    this.known.remove(accountId, id);
    this.volatile?.remove(accountId, id);
  }

  private async store(): Promise<ConversationStore> {
    return (await this.databases.get()).store.conversations;
  }
}
