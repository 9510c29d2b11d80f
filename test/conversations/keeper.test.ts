import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { SignedIds } from '../../src/accounts/signed-ids.js';
import { sentMessages } from '../../src/conversations/answered-message.js';
import {
  ConversationKeeper,
  type JoinedConversation,
  type JoinRequest,
} from '../../src/conversations/keeper.js';
import { GatewayError } from '../../src/errors.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import type { Turn } from '../../src/store/contracts/conversations.js';
import { quietDatabases } from '../helpers/quiet-databases.js';

const reports = { lost: () => undefined, late: () => undefined, away: () => undefined };
const asked = (conversationId: string | null = null, text = 'Hello?'): JoinRequest => ({
  conversationId,
  messages: [{ role: 'user', content: text }],
  storing: 'on',
});
const turnOf = (
  { id, accountId, title, begins, answerId }: JoinedConversation,
  text = 'Hello?',
): Turn => ({
  conversationId: id,
  accountId,
  begins: begins ? { title } : null,
  history: sentMessages([{ role: 'user', content: text }], answerId),
  at: Date.now(),
  answer: {
    id: answerId,
    role: 'assistant',
    content: [{ type: 'text', text: 'Yes.' }],
    provider: 'up',
    model: 'm',
    finishReason: 'stop',
    usage: null,
    costUsd: null,
  },
});

const opened: { keeper: ConversationKeeper; backing: LazyDatabases }[] = [];
function keep({
  maxWaitMs = 10_000,
  freshMs = 3_000,
  backing = quietDatabases(),
}: { maxWaitMs?: number; freshMs?: number; backing?: LazyDatabases } = {}): {
  keeper: ConversationKeeper;
  backing: LazyDatabases;
  ids: SignedIds;
} {
  const ids = new SignedIds(backing);
  const keeper = new ConversationKeeper(backing, ids, reports, { maxWaitMs, freshMs, closeMs: 50 });
  opened.push({ keeper, backing });
  return { keeper, backing, ids };
}
afterEach(async () => {
  for (const { keeper, backing } of opened.splice(0)) {
    await keeper.close();
    await backing.close();
  }
});

describe('sent messages', () => {
  it("have ids that are derived from the answer's id and the position, and are unsigned UUIDs", async () => {
    const { ids } = keep();
    const answerId = ids.make('ann');
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'user', content: 'a' },
    ];
    const sent = sentMessages(messages, answerId);
    expect(sentMessages(messages, answerId)).toEqual(sent);
    expect(sent.map(({ id }) => id)).not.toEqual(
      sentMessages(messages, ids.make('ann')).map(({ id }) => id),
    );
    expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
    for (const { id } of sent) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-9[0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(ids.isOf(id, 'ann')).toBe(false);
    }
    expect(ids.isOf(answerId, 'ann')).toBe(true);
    await Promise.resolve();
  });
});

describe('a gateway with a database in memory', () => {
  it('keeps the last used thousand conversations', async () => {
    const { keeper, backing } = keep();
    const begun = await Promise.all(
      Array.from({ length: 1_005 }, () => keeper.join('ann', asked())),
    );
    const [first, second] = begun as [JoinedConversation, JoinedConversation];
    await Promise.all(begun.slice(0, 1_000).map((joined) => keeper.append(turnOf(joined))));
    await keeper.append(turnOf(await keeper.join('ann', asked(first.id)), 'More?'));
    await Promise.all(begun.slice(1_000).map((joined) => keeper.append(turnOf(joined))));
    const { store } = await backing.get();
    await expect.poll(() => store.conversations.find('ann', second.id)).toBeNull();
    expect(await store.conversations.find('ann', first.id)).not.toBeNull();
    expect(await store.conversations.find('ann', begun.at(-1)!.id)).not.toBeNull();
    await expect(keeper.join('ann', asked(second.id))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a conversation is joined', () => {
  it('by its own account, and by no other', async () => {
    const { keeper } = keep();
    const begun = await keeper.join('ann', asked());
    await keeper.append(turnOf(begun));
    expect(await keeper.join('ann', asked(begun.id))).toMatchObject({
      title: 'Hello?',
      begins: false,
      stores: true,
      titledNow: false,
    });
    await expect(keeper.join('bob', asked(begun.id))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that was created empty does not wait long when its title cannot be stored', async () => {
    const { keeper, backing } = keep();
    const { id } = await keeper.create('ann', null);
    const joined = await keeper.join('ann', asked(id));
    const { store } = await backing.get();
    store.conversations.rename = () => new Promise(() => undefined);
    await keeper.storeTitle(joined);
    store.conversations.rename = () =>
      Promise.reject(new GatewayError('unavailable', 'the database cannot be reached'));
    await keeper.storeTitle(joined);
  });

  it('while the database is away too: whose it is, is checked when its turn is stored', async () => {
    const away = new LazyDatabases(
      () => Promise.reject(new GatewayError('unavailable', 'the database cannot be reached')),
      false,
    );
    const { keeper } = keep({ backing: away, maxWaitMs: 50 });
    const begun = await keeper.join('ann', asked());
    expect(begun.answerId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await keeper.append(turnOf(begun))).toBe('late');
    expect(await keeper.join('ann', asked(begun.id))).toMatchObject({
      id: begun.id,
      title: 'Hello?',
      begins: false,
    });
    expect(await keeper.join('bob', asked(begun.id))).toMatchObject({
      accountId: 'bob',
      begins: false,
      last: null,
    });
  });

  it('as it was seen last, when the database has gone away since', async () => {
    const { keeper, backing } = keep({ freshMs: 1 });
    const { id } = await keeper.create('ann', 'Trains');
    await keeper.join('ann', asked(id));
    const { store } = await backing.get();
    store.conversations.find = () =>
      Promise.reject(new GatewayError('unavailable', 'the database cannot be reached'));
    await sleep(5);
    expect(await keeper.join('ann', asked(id))).toMatchObject({ title: 'Trains', begins: false });
  });
});
