import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { storeRows, type Place } from '../helpers/stores.js';
import { fillWorld, researcher } from '../helpers/research-upstream.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { asking, type Conversing, startConversing } from '../helpers/conversing.js';
import { textAt } from '../helpers/json.js';
import { ask } from '../helpers/sse.js';
import { until } from '../helpers/until.js';

const long = (letter: string): string => letter.repeat(400_000);

describe.each(storeRows)('the storage of an account on $name', (row) => {
  let place: Place;
  let talk: Conversing;
  beforeAll(async () => (place = await row.place()));
  afterAll(() => place.remove());
  afterEach(() => talk.close());

  it('is bounded: further turns are answered and not stored, until conversations are deleted', async () => {
    talk = await startConversing(place, { conversations: { maxBytesPerAccount: 1_048_576 } });
    const first = await talk.complete(asking(long('a')));
    expect(first.json).not.toHaveProperty('conversationStored');
    const second = await talk.complete(asking(long('b')));
    expect(second.json).not.toHaveProperty('conversationStored');
    const third = await talk.complete(asking(long('c')));
    expect(third).toMatchObject({ status: 200, json: { conversationStored: false } });
    // other accounts, and small turns, have room
    expect((await talk.complete(asking(long('c')), talk.bob)).json).not.toHaveProperty(
      'conversationStored',
    );
    expect((await talk.complete(asking('small'))).json).not.toHaveProperty('conversationStored');
    const id = textAt(first.json, 'conversationId');
    await ask('DELETE', `${talk.gateway.url}/api/v1/conversations/${id}`, talk.ann.headers);
    await until(async () => {
      const reply = await talk.complete(asking(long('d')));
      return !('conversationStored' in (reply.json as object));
    });
  });

  it('counts bytes, of which a character may have several', async () => {
    talk = await startConversing(place, { conversations: { maxBytesPerAccount: 1_048_576 } });
    const { storedBytes } = talk.reader.conversations;
    const before = await storedBytes(talk.bob.accountId);
    const asked = asking('語'.repeat(160_000));
    expect((await talk.complete(asked, talk.bob)).json).not.toHaveProperty('conversationStored');
    expect(await storedBytes(talk.bob.accountId)).toBeGreaterThan(before + 480_000);
    const second = await talk.complete(asked, talk.bob);
    expect(second.json).toMatchObject({ conversationStored: false });
  });

  it('counts what was stored before the gateway started', async () => {
    talk = await startConversing(place, { conversations: { maxBytesPerAccount: 1_048_576 } });
    const stored = await talk.reader.conversations.storedBytes(talk.ann.accountId);
    expect(stored).toBeGreaterThan(800_000);
    expect(stored).toBeLessThan(900_000);
    // the lookup is over before the second one
    await talk.complete(asking('small'));
    await until(async () => {
      const reply = await talk.complete(asking(long('e')));
      return 'conversationStored' in (reply.json as object);
    });
  });
});

describe.each(storeRows)('notes of research in the storage of an account on $name', (row) => {
  let place: Place;
  let talk: Conversing;
  let world: SearchWorld;
  beforeAll(async () => ([place, world] = await Promise.all([row.place(), startSearchWorld()])));
  afterAll(() => Promise.all([place.remove(), world.close()]));
  afterEach(() => talk.close());

  it('count: where it is full, the research is answered and its later notes are not kept', async () => {
    fillWorld(world, 2);
    talk = await startConversing(place, {
      conversations: { maxBytesPerAccount: 1_048_576 },
      search: {
        engines: [{ type: 'searxng', url: world.url, pricePerThousand: 1 }],
        allowPrivateHosts: [world.host],
        cacheMs: 0,
      },
    });
    talk.upstream.script([
      (call) => (call.body?.['max_tokens'] === undefined ? {} : researcher()(call)),
    ]);
    const { storedBytes } = talk.reader.conversations;
    const research = { ...asking('How is the tower?'), research: true };
    const first = await talk.complete(research);
    expect(first.json).not.toHaveProperty('warnings');
    const id = textAt(first.json, 'responseMessageId');
    const notes = await talk.reader.research.find(talk.ann.accountId, id);
    const withNotes = await storedBytes(talk.ann.accountId);
    expect(withNotes).toBeGreaterThan(Buffer.byteLength(notes ?? ''));
    await talk.complete(asking('x'.repeat(1_048_576 - withNotes - 700)));
    const { status, json } = await talk.complete(research);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      warnings: [{ field: 'research', message: expect.stringContaining('is full') as string }],
    });
    const kept = await talk.reader.research.find(
      talk.ann.accountId,
      textAt(json, 'responseMessageId'),
    );
    expect((kept ?? '').length).toBeLessThan(notes!.length);
    // another account has room
    expect((await talk.complete(research, talk.bob)).json).not.toHaveProperty('warnings');
  });
});
