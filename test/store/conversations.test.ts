import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ConversationStore,
  MessageRecord,
  NewMessage,
  Turn,
} from '../../src/store/contracts/conversations.js';
import type { Page } from '../../src/store/contracts/page.js';
import type { Store } from '../../src/store/contracts/store.js';
import { type Place, storeRows } from '../helpers/stores.js';

const sent = (role: string, content: unknown): NewMessage => ({
  id: randomUUID(),
  role,
  content,
  provider: null,
  model: null,
  finishReason: null,
  usage: null,
  costUsd: null,
});

const answered = (content: string): NewMessage => ({
  id: randomUUID(),
  role: 'assistant',
  content,
  provider: 'openai',
  model: 'gpt-4o',
  finishReason: 'stop',
  usage: { promptTokens: 3, completionTokens: 1 },
  costUsd: 0.0125,
});

/** A turn of a client that sends the whole history: `u:question`, `a:answer`, `s:system`. */
function turnOf(
  conversation: { conversationId: string; accountId: string },
  history: readonly string[],
  answer: string,
  changes: Partial<Turn> = {},
): Turn {
  const roles: Record<string, string> = { u: 'user', a: 'assistant', s: 'system' };
  return {
    ...conversation,
    begins: null,
    history: history.map((text) => sent(roles[text[0]!]!, text)),
    answer: answered(answer),
    at: 1_000,
    ...changes,
  };
}

const someone = (): { conversationId: string; accountId: string } => ({
  conversationId: randomUUID(),
  accountId: randomUUID(),
});
const begins = { title: 'Hello' };
const textsOf = (page: Page<MessageRecord> | null): unknown[] =>
  page!.items.map((message) => message.content);

describe.each(storeRows)('conversations on $name', (row) => {
  let place: Place;
  let store: Store;
  let conversations: ConversationStore;
  const texts = async ({
    accountId,
    conversationId,
  }: {
    accountId: string;
    conversationId: string;
  }): Promise<unknown[]> =>
    textsOf(await conversations.messages(accountId, conversationId, { limit: 100, cursor: null }));

  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
    conversations = store.conversations;
  });
  afterAll(() => place.remove());

  it('are found by the words of their titles, without regard to case and accents', async () => {
    const accountId = randomUUID();
    const titles = ['Über Züge', 'ZUG nach Rom', 'Rome by train', 'uber 100% of it'];
    for (const [index, title] of titles.entries())
      await conversations.append([
        turnOf({ conversationId: randomUUID(), accountId }, ['u:a'], 'a:b', {
          begins: { title },
          at: index,
        }),
      ]);
    const found = async (search: string, limit = 20): Promise<string[]> =>
      (await conversations.list(accountId, { limit, cursor: null }, search)).items.map(
        ({ title }) => title,
      );
    expect(await found('UBER')).toEqual(['uber 100% of it', 'Über Züge']);
    expect(await found(' rom  zug ')).toEqual(['ZUG nach Rom']);
    expect(await found('%')).toEqual(['uber 100% of it']);
    expect(await found('_')).toEqual([]);
    const first = await conversations.list(accountId, { limit: 1, cursor: null }, 'über');
    expect(first.items.map(({ title }) => title)).toEqual(['uber 100% of it']);
    const next = await conversations.list(accountId, { limit: 1, cursor: first.next }, 'über');
    expect(next).toMatchObject({ items: [{ title: 'Über Züge' }], next: null });
    expect(
      (await conversations.list(randomUUID(), { limit: 9, cursor: null }, 'über')).items,
    ).toEqual([]);
  });

  it('begin with a turn and keep its messages as they were sent', async () => {
    const them = someone();
    const parts = [
      { type: 'text', text: 'What is this? \0 \u{1f600} \ud800' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ];
    const turn = {
      ...turnOf(them, ['s:be brief'], 'a:A cat.', { begins, at: 5_000 }),
      history: [sent('system', 's:be brief'), sent('user', parts)],
    };
    expect(await conversations.append([turn])).toEqual(['stored']);
    expect(await conversations.find(them.accountId, them.conversationId)).toEqual({
      id: them.conversationId,
      accountId: them.accountId,
      title: 'Hello',
      titleSource: 'derived',
      messageCount: 3,
      createdAt: 5_000,
      updatedAt: 5_000,
      last: { provider: 'openai', model: 'gpt-4o' },
    });
    const page = await conversations.messages(them.accountId, them.conversationId, {
      limit: 100,
      cursor: null,
    });
    expect(page).toEqual({
      items: [...turn.history, turn.answer].map((message) => ({ ...message, createdAt: 5_000 })),
      next: null,
    });
  });

  it('continue with the new messages of a whole history', async () => {
    const them = someone();
    await conversations.append([turnOf(them, ['s:1', 'u:1'], 'a:1', { begins })]);
    await conversations.append([turnOf(them, ['s:1', 'u:1', 'a:1', 'u:2'], 'a:2', { at: 7_000 })]);
    await conversations.append([
      turnOf(them, ['s:other', 'u:2', 'a:2', 's:1', 'u:3'], 'a:3', { at: 6_000 }),
    ]);
    expect(await texts(them)).toEqual(['s:1', 'u:1', 'a:1', 'u:2', 'a:2', 's:other', 'u:3', 'a:3']);
    expect(await conversations.find(them.accountId, them.conversationId)).toMatchObject({
      messageCount: 8,
      createdAt: 1_000,
      updatedAt: 7_000,
    });
  });

  it('recognize a system message that is stored long before the last ones', async () => {
    const them = someone();
    await conversations.append([turnOf(them, ['s:1', 'u:0'], 'a:0', { begins })]);
    for (let index = 1; index <= 20; index += 1)
      await conversations.append([turnOf(them, [`u:${index}`], `a:${index}`)]);
    await conversations.append([turnOf(them, ['s:1', 'u:last'], 'a:last')]);
    expect((await texts(them)).slice(0, 3)).toEqual(['s:1', 'u:0', 'a:0']);
    expect((await texts(them)).slice(-3)).toEqual(['a:20', 'u:last', 'a:last']);
  });

  it('accept several turns of one conversation in one batch, in order', async () => {
    const [them, others] = [someone(), someone()];
    const turns = [
      turnOf(them, ['u:1'], 'a:1', { begins }),
      turnOf(others, ['u:x'], 'a:x', { begins }),
      turnOf(them, ['u:1', 'a:1', 'u:2'], 'a:2'),
      turnOf(them, ['u:1', 'a:1', 'u:2', 'a:2', 'u:3'], 'a:3', { at: 2_000 }),
    ];
    expect(await conversations.append(turns)).toEqual(['stored', 'stored', 'stored', 'stored']);
    expect(await texts(them)).toEqual(['u:1', 'a:1', 'u:2', 'a:2', 'u:3', 'a:3']);
    expect(await texts(others)).toEqual(['u:x', 'a:x']);
    expect(await conversations.find(them.accountId, them.conversationId)).toMatchObject({
      messageCount: 6,
      updatedAt: 2_000,
    });
  });

  it('are not doubled by a batch that is written again, completely or in part', async () => {
    const [them, others] = [someone(), someone()];
    const first = turnOf(them, ['u:1'], 'a:1', { begins });
    const second = turnOf(them, ['u:1', 'a:1', 'u:2'], 'a:2');
    const third = turnOf(others, ['u:1'], 'a:1', { begins });
    await conversations.append([first, second]);
    expect(await conversations.append([first, second, third, third])).toEqual([
      'stored',
      'stored',
      'stored',
      'stored',
    ]);
    expect(await texts(them)).toEqual(['u:1', 'a:1', 'u:2', 'a:2']);
    expect(await texts(others)).toEqual(['u:1', 'a:1']);
    expect(await conversations.find(others.accountId, others.conversationId)).toMatchObject({
      messageCount: 2,
    });
  });

  it('keep a regenerated answer beside the first', async () => {
    const them = someone();
    await conversations.append([turnOf(them, ['u:1'], 'a:1', { begins })]);
    await conversations.append([turnOf(them, ['u:1'], 'a:better')]);
    await conversations.append([turnOf(them, ['u:1', 'a:better', 'u:2'], 'a:2')]);
    expect(await texts(them)).toEqual(['u:1', 'a:1', 'a:better', 'u:2', 'a:2']);
  });

  it('are gone for a turn after they were removed, and always for another account', async () => {
    const them = someone();
    await conversations.append([turnOf(them, ['u:1'], 'a:1', { begins })]);
    const stranger = { ...them, accountId: randomUUID() };
    expect(
      await conversations.append([
        turnOf(stranger, ['u:2'], 'a:2'),
        turnOf(stranger, ['u:2'], 'a:2', { begins }),
        turnOf(someone(), ['u:2'], 'a:2'),
      ]),
    ).toEqual(['gone', 'gone', 'gone']);
    expect(await texts(them)).toEqual(['u:1', 'a:1']);
    expect(await conversations.remove(stranger.accountId, them.conversationId)).toBe(false);
    expect(await conversations.remove(them.accountId, them.conversationId)).toBe(true);
    expect(await conversations.remove(them.accountId, them.conversationId)).toBe(false);
    expect(await conversations.append([turnOf(them, ['u:1', 'a:1', 'u:2'], 'a:2')])).toEqual([
      'gone',
    ]);
    expect(
      await conversations.messages(them.accountId, them.conversationId, {
        limit: 10,
        cursor: null,
      }),
    ).toBeNull();
  });

  it('are invisible to another account', async () => {
    const them = someone();
    await conversations.append([turnOf(them, ['u:1'], 'a:1', { begins })]);
    const stranger = randomUUID();
    expect(await conversations.find(stranger, them.conversationId)).toBeNull();
    expect(
      await conversations.messages(stranger, them.conversationId, { limit: 10, cursor: null }),
    ).toBeNull();
    expect(await conversations.rename(stranger, them.conversationId, 'Mine', 'given')).toBeNull();
    expect(await conversations.list(stranger, { limit: 10, cursor: null })).toEqual({
      items: [],
      next: null,
    });
    expect(await conversations.find(them.accountId, `${them.conversationId}\0`)).toBeNull();
  });

  it('accept turns from two processes at once, each complete and at its own position', async () => {
    const second = await place.open();
    const them = Array.from({ length: 8 }, someone).map((each, _, [first]) => ({
      ...each,
      accountId: first!.accountId,
    }));
    await conversations.append(them.map((each) => turnOf(each, ['u:0'], 'a:0', { begins })));
    const rounds = Array.from({ length: 10 }, (_, round) =>
      [store, second].map(async (one, side) => {
        const turns = them.map((each) =>
          turnOf(each, [`u:${side} ${round}`], `a:${side} ${round}`),
        );
        expect(await one.conversations.append(side === 0 ? turns : turns.reverse())).toEqual(
          them.map(() => 'stored'),
        );
      }),
    );
    await Promise.all(rounds.flat());
    for (const each of them) {
      const all = (await texts(each)) as string[];
      expect(all).toHaveLength(42);
      expect(new Set(all).size).toBe(42);
      for (const [index, text] of all.entries())
        if (index % 2 === 1) expect(text.slice(1)).toBe(all[index - 1]!.slice(1));
      expect(await conversations.find(each.accountId, each.conversationId)).toMatchObject({
        messageCount: 42,
      });
    }
  });

  it('begun by the same turn in two processes at once are stored once', async () => {
    const second = await place.open();
    const turns = Array.from({ length: 5 }, () => turnOf(someone(), ['u:1'], 'a:1', { begins }));
    const ends = await Promise.all(
      [store, second, store, second].map((one, side) =>
        one.conversations.append(side > 1 ? [...turns].reverse() : turns),
      ),
    );
    expect(ends.flat()).toEqual(Array(20).fill('stored'));
    for (const turn of turns) expect(await texts(turn)).toEqual(['u:1', 'a:1']);
  });

  it('are either removed or continued when both happen at once', async () => {
    const second = await place.open();
    for (let round = 0; round < 10; round += 1) {
      const them = someone();
      await conversations.append([turnOf(them, ['u:1'], 'a:1', { begins })]);
      const [removed] = await Promise.all([
        second.conversations.remove(them.accountId, them.conversationId),
        conversations.append([turnOf(them, ['u:2'], 'a:2')]),
      ]);
      expect(removed).toBe(true);
      expect(await conversations.find(them.accountId, them.conversationId)).toBeNull();
      // begun anew under the same id, it contains nothing of the old one
      await conversations.append([turnOf(them, ['u:new'], 'a:new', { begins })]);
      expect(await texts(them)).toEqual(['u:new', 'a:new']);
    }
  });

  it('store nothing of a batch that fails', async () => {
    const [them, others] = [someone(), someone()];
    const bad = turnOf(others, ['u:1'], 'a:1', { begins, at: Number.NaN });
    await expect(
      conversations.append([turnOf(them, ['u:1'], 'a:1', { begins }), bad]),
    ).rejects.toMatchObject({ code: 'internal' });
    expect(await conversations.find(them.accountId, them.conversationId)).toBeNull();
    expect(await conversations.append([turnOf(them, ['u:1'], 'a:1', { begins })])).toEqual([
      'stored',
    ]);
  });

  it('are listed by their last use, page by page', async () => {
    const accountId = randomUUID();
    const all = [3, 1, 2, 2, 5].map((at) =>
      turnOf({ accountId, conversationId: randomUUID() }, ['u:1'], 'a:1', { begins, at }),
    );
    await conversations.append(all);
    await conversations.append([
      turnOf({ accountId, conversationId: all[1]!.conversationId }, ['u:1', 'a:1', 'u:2'], 'a:2', {
        at: 9,
      }),
    ]);
    const seen: [number, string][] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page = await conversations.list(accountId, { limit: 2, cursor });
      seen.push(...page.items.map(({ updatedAt, id }) => [updatedAt, id] as [number, string]));
      cursor = page.next;
      pages += 1;
    } while (cursor !== null);
    expect(pages).toBe(3);
    expect(seen.map(([at]) => at)).toEqual([9, 5, 3, 2, 2]);
    expect(new Set(seen.map(([, id]) => id)).size).toBe(5);
  });

  it('are read oldest first, page by page', async () => {
    const them = someone();
    await conversations.append([
      turnOf(them, ['u:1', 'a:1', 'u:2', 'a:2', 'u:3', 'a:3'], 'a:last', { begins }),
    ]);
    const first = await conversations.messages(them.accountId, them.conversationId, {
      limit: 4,
      cursor: null,
    });
    const second = await conversations.messages(them.accountId, them.conversationId, {
      limit: 4,
      cursor: first!.next,
    });
    expect(textsOf(first)).toEqual(['u:1', 'a:1', 'u:2', 'a:2']);
    expect(textsOf(second)).toEqual(['u:3', 'a:3', 'a:last']);
    expect(second!.next).toBeNull();
  });

  it('are created empty, can be renamed, and keep a given title when a model writes one', async () => {
    const { accountId, conversationId: id } = someone();
    const created = {
      id,
      accountId,
      title: 'New',
      titleSource: 'derived',
      messageCount: 0,
      createdAt: 4,
      updatedAt: 4,
    };
    expect(
      await conversations.create({
        id,
        accountId,
        title: 'New',
        titleSource: 'derived',
        createdAt: 4,
      }),
    ).toEqual(created);
    expect(await conversations.rename(accountId, id, 'Written', 'model', true)).toEqual({
      ...created,
      title: 'Written',
      titleSource: 'model',
    });
    expect(await conversations.rename(accountId, id, 'Again', 'model', true)).toBeNull();
    expect(await conversations.rename(accountId, id, 'Given', 'given')).toEqual({
      ...created,
      title: 'Given',
      titleSource: 'given',
    });
    expect(
      await conversations.append([turnOf({ accountId, conversationId: id }, ['u:1'], 'a:1')]),
    ).toEqual(['stored']);
    expect(await conversations.find(accountId, id)).toMatchObject({
      title: 'Given',
      messageCount: 2,
    });
  });

  it('accept a batch of two thousand turns, and an empty one', async () => {
    const accountId = randomUUID();
    const turns = Array.from({ length: 2_000 }, () =>
      turnOf({ accountId, conversationId: randomUUID() }, ['s:1', 'u:1'], 'a:1', { begins }),
    );
    expect(await conversations.append([])).toEqual([]);
    expect(new Set(await conversations.append(turns))).toEqual(new Set(['stored']));
    const next = turns.map((turn) =>
      turnOf(
        { accountId, conversationId: turn.conversationId },
        ['s:1', 'u:1', 'a:1', 'u:2'],
        'a:2',
      ),
    );
    expect(new Set(await conversations.append(next))).toEqual(new Set(['stored']));
    expect(await texts(turns[1_999]!)).toEqual(['s:1', 'u:1', 'a:1', 'u:2', 'a:2']);
  });
});
