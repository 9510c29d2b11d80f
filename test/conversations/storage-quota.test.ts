import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { storeRows, type Place } from '../helpers/stores.js';
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
