import { randomUUID } from 'node:crypto';
import { withTimeout } from '../async/with-timeout.js';
import type { SignedIds } from '../accounts/signed-ids.js';
import type { ChatMessage } from '../completion.js';
import { invalidField } from '../errors.js';
import type { LazyDatabases } from '../store/lazy-databases.js';
import type {
  ConversationRecord,
  ConversationStore,
  Turn,
} from '../store/contracts/conversations.js';
import { conversationTitle } from './conversation-title.js';
import {
  HeldConversations,
  type KnownConversation,
  KnownConversations,
} from './known-conversations.js';
import { type LastModel, warmMs } from './last-models.js';
import {
  sizeOf,
  type TurnResult,
  TurnQueue,
  type TurnQueueLimits,
  type TurnQueueReports,
} from './turn-queue.js';

/** What a request says of the conversation that it belongs to. */
export interface Asked {
  /** Null: one begins. */
  readonly conversationId: string | null;
  readonly messages: readonly ChatMessage[];
  /** `off`: the configuration keeps nothing; `skip`: this request wants nothing kept. */
  readonly storing: 'on' | 'off' | 'skip';
}

/** The conversation of one request, before its answer. */
export interface JoinedConversation {
  readonly id: string;
  readonly accountId: string;
  readonly title: string;
  /** The id that the answer will have. */
  readonly answerId: string;
  /** Whether the turn is to be kept. */
  readonly stores: boolean;
  /** It is not there yet: the turn brings it about. */
  readonly begins: boolean;
  /** Its title was made of this request's messages. */
  readonly titledNow: boolean;
  /** Who answered in it last; null where nobody has in the last hour. */
  readonly last: LastModel | null;
}

const namingMs = 1_000;

/** Keeps conversations: finds the one that a request belongs to, and adds turns to it. */
export class ConversationKeeper {
  private readonly queue: TurnQueue;
  private readonly known = new KnownConversations();
  private readonly held: HeldConversations | null;

  constructor(
    private readonly backing: LazyDatabases,
    private readonly ids: SignedIds,
    reports: TurnQueueReports,
    limits: Partial<TurnQueueLimits> = {},
  ) {
    this.queue = new TurnQueue(
      async (turns) => (await this.store()).append(turns),
      reports,
      limits,
    );
    // only what is in no file and on no server can outgrow this process
    this.held = backing.isVolatile
      ? new HeldConversations(
          (accountId, id) => void this.remove(accountId, id).catch(() => undefined),
        )
      : null;
  }

  /**
   * The conversation that a request begins or continues; immediate where nothing has to be looked up.
   * @throws GatewayError `not_found` for an id that is not this account's, `unavailable` where it cannot be looked up
   */
  join(accountId: string, asked: Asked): JoinedConversation | Promise<JoinedConversation> {
    // an answer must not fail for want of an id that can be rated without a lookup
    return this.ids.isReady
      ? this.joinNow(accountId, asked)
      : this.ids
          .ready()
          .catch(() => undefined)
          .then(() => this.joinNow(accountId, asked));
  }

  /** Adds a turn, before the client is told of its end. Never rejects, and takes two seconds at most. */
  async append(turn: Turn): Promise<TurnResult> {
    const { accountId, conversationId } = turn;
    const end = await this.queue.add(turn);
    if (end === 'gone') this.forget(accountId, conversationId);
    else if (end !== 'lost') this.held?.use(accountId, conversationId, sizeOf(turn));
    if (end === 'stored') this.learn(turn);
    return end;
  }

  /** Creates an empty one; without a title it is named when its first messages come. */
  async create(accountId: string, title: string | null): Promise<ConversationRecord> {
    const record = await (
      await this.store()
    ).create({
      id: randomUUID(),
      accountId,
      title: title ?? conversationTitle([]),
      titleSource: title === null ? 'derived' : 'given',
      createdAt: Date.now(),
    });
    this.held?.use(accountId, record.id, 1);
    return record;
  }

  /** Null where there is none. `onlyDerived`: leaves a title alone that somebody has chosen. */
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

  /** Gives its title to a conversation that was created empty. Never rejects, and takes a second at most: the answer waits for it. */
  async name({ accountId, id, title }: JoinedConversation): Promise<void> {
    const renamed = this.rename(accountId, id, title, 'derived', true).catch(() => null);
    await withTimeout(renamed, namingMs, () => null);
  }

  /** False where there was none. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const removed = await (await this.store()).remove(accountId, id);
    this.forget(accountId, id);
    return removed;
  }

  /** Writes the turns that still wait; those that the database does not take within seconds are lost. */
  close(): Promise<void> {
    return this.queue.close();
  }

  private joinNow(
    accountId: string,
    asked: Asked,
  ): JoinedConversation | Promise<JoinedConversation> {
    const { conversationId, messages, storing } = asked;
    // a guest's database is opened while the model answers; one that cannot be is heard of when the turn is written
    if (storing === 'on' && this.backing.now === null) this.backing.get().catch(() => undefined);
    const begun = (id: string): JoinedConversation =>
      this.joined(
        accountId,
        id,
        asked,
        { title: conversationTitle(messages), untitled: true, last: null },
        true,
      );
    if (conversationId === null) return begun(randomUUID());
    if (storing === 'off') return begun(conversationId);
    // what was given may be spelled in capitals
    const id = conversationId.toLowerCase();
    const continued = (known: KnownConversation): JoinedConversation =>
      this.joined(accountId, id, asked, known, false);
    const known = this.known.find(accountId, id);
    return known ? continued(known) : this.find(accountId, id).then(continued);
  }

  private joined(
    accountId: string,
    id: string,
    { messages, storing }: Asked,
    { title, untitled, last }: KnownConversation,
    begins: boolean,
  ): JoinedConversation {
    return {
      id,
      accountId,
      begins,
      title: untitled && !begins ? conversationTitle(messages) : title,
      answerId: this.ids.isReady ? this.ids.make(accountId) : randomUUID(),
      stores: storing === 'on',
      titledNow: untitled,
      last,
    };
  }

  /** One that this process has begun may still be on its way to the database. */
  private async find(accountId: string, id: string): Promise<KnownConversation> {
    const title = this.queue.titleOfBegun(accountId, id);
    if (title !== null) return { title, untitled: false, last: null };
    const record = await (await this.store()).find(accountId, id);
    if (!record) throw invalidField('conversationId', 'not found', 'not_found');
    const known = {
      title: record.title,
      untitled: record.titleSource === 'derived' && record.messageCount === 0,
      last: record.updatedAt > Date.now() - warmMs ? record.last : null,
    };
    this.known.add(accountId, id, known);
    return known;
  }

  /** A turn has been stored: what it says of its conversation need not be looked up. */
  private learn({ accountId, conversationId, begins, answer: { provider, model } }: Turn): void {
    const last = model === null ? null : { provider, model };
    if (begins)
      this.known.add(accountId, conversationId, { title: begins.title, untitled: false, last });
    else if (last) this.known.answered(accountId, conversationId, last);
  }

  private forget(accountId: string, id: string): void {
    this.known.remove(accountId, id);
    this.held?.remove(accountId, id);
  }

  private async store(): Promise<ConversationStore> {
    return (await this.backing.get()).store.conversations;
  }
}
