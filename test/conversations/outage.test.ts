import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';
import { asking, type Conversing, startConversing } from '../helpers/conversing.js';
import { at, textAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { type OwnPostgres, startOwnPostgres } from '../helpers/postgres.js';
import { until } from '../helpers/until.js';
import { isWholeRun } from '../helpers/runs.js';

let server: OwnPostgres;
let talk: Conversing;
const opened: Store[] = [];
beforeAll(async () => {
  server = await startOwnPostgres();
  const open = async (): Promise<Store> => {
    const store = await openStore(server.url);
    opened.push(store);
    return store;
  };
  talk = await startConversing({ url: server.url, open });
});
afterAll(async () => {
  await talk.close();
  await Promise.all(opened.map((store) => store.close()));
  await server.remove();
});

describe('while the database is away', () => {
  it('answers are sent and say that they are not stored; their turns are stored once when it is back', async () => {
    const begun = await talk.complete(asking('Before?'));
    const conversationId = textAt(begun.json, 'conversationId');
    expect(begun.json).not.toHaveProperty('conversationStored');
    const unknown = await talk.reader.conversations.create({
      id: '4b0ee4ea-6a0f-4d3e-9a2c-222222222222',
      accountId: talk.ann.accountId,
      title: 'Begun on another replica',
      titleSource: 'given',
      createdAt: Date.now(),
    });
    await server.stop();
    // known on this replica, so that nothing has to be looked up
    const continued = await talk.complete({
      ...asking('Before?', 'Hello', 'While it is away?'),
      conversationId,
    });
    expect(continued).toMatchObject({
      status: 200,
      json: {
        conversationId,
        conversationStored: false,
        message: { content: [{ text: 'Hello' }] },
      },
    });
    const streamed = await talk.stream(asking('Streamed?'));
    expect(streamed.events.at(-1)).toMatchObject({ conversationStored: false, text: '' });
    expect(streamed.frames.at(-1)?.data).toBe('[DONE]');
    // one that has begun meanwhile can continue, although it is not stored yet
    const later = await talk.complete({
      ...asking('Streamed?', 'Hello', 'And?'),
      conversationId: textAt(streamed.headers, 'conversationid'),
    });
    expect(later).toMatchObject({
      status: 200,
      json: { conversationTitle: 'Streamed?', conversationStored: false },
    });
    // nobody can tell whether the account has these conversations
    for (const id of [unknown.id, '4b0ee4ea-6a0f-4d3e-9a2c-111111111111'])
      expect(await talk.complete({ ...asking('Mine?'), conversationId: id }), id).toMatchObject({
        status: 200,
        json: { conversationId: id, conversationStored: false },
      });
    const stranger = await talk.complete({ ...asking('Mine?'), conversationId }, talk.bob);
    expect(stranger.json).not.toHaveProperty('conversationTitle', 'Before?');

    await server.restart();
    const stored = (id: string): Promise<number> =>
      talk.stored(talk.ann, id).then((messages) => messages.length);
    await until(
      async () =>
        (await stored(conversationId)) === 4 &&
        (await stored(textAt(streamed.headers, 'conversationid'))) === 4 &&
        (await stored(unknown.id)) === 2,
    );
    const messages = await talk.stored(talk.ann, conversationId);
    expect(messages.at(-1)?.id).toBe(at(continued.json, 'responseMessageId'));
    const after = await talk.complete({
      ...asking('Before?', 'Hello', 'While it is away?', 'Hello', 'After?'),
      conversationId,
    });
    expect(after.json).not.toHaveProperty('conversationStored');
    expect(await stored(conversationId)).toBe(6);
    // two were of conversations that their accounts do not have
    const late = (outcome: string): Promise<number> =>
      metricOf(talk.gateway, 'signalbox_turns_late_total', `outcome="${outcome}"`);
    await until(async () => (await late('stored')) === 4 && (await late('gone')) === 2);
    expect(await metricOf(talk.gateway, 'signalbox_turns_lost_total')).toBe(0);
    const lines = talk.log.lines.filter(({ msg }) => /turns/.test(String(msg)));
    const isLate = /^conversation turns are stored late|^late conversation turns are not stored/;
    const [ends, others] = [true, false].map((of) =>
      lines.filter(({ msg }) => isLate.test(String(msg)) === of),
    );
    expect(ends?.reduce((sum, { turns }) => sum + Number(turns), 0)).toBe(6);
    expect(others?.map(({ msg }) => msg)).toEqual([
      'conversation turns wait for the database',
      'the database is back: the waiting conversation turns are being stored',
    ]);
  });

  it.runIf(isWholeRun)('a client does not wait long for a database that hangs', async () => {
    const begun = await talk.complete(asking('Before?'));
    const conversationId = textAt(begun.json, 'conversationId');
    server.pause();
    try {
      const other = '4b0ee4ea-6a0f-4d3e-9a2c-333333333333';
      expect(await talk.complete({ ...asking('x'), conversationId: other })).toMatchObject({
        status: 200,
        json: { conversationId: other, conversationStored: false },
      });
      const { events } = await talk.stream({
        ...asking('Before?', 'Hello', 'While it hangs?'),
        conversationId,
      });
      expect(events.at(-1)).toMatchObject({ conversationId, conversationStored: false });
    } finally {
      server.resume();
    }
    await until(async () => (await talk.stored(talk.ann, conversationId)).length === 4);
  });
});
