import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.js';
import { asking, type Conversing, holdWrites, startConversing } from '../helpers/conversing.js';
import { textAt } from '../helpers/json.js';
import { metricOf } from '../helpers/metrics.js';
import { isWholeRun } from '../helpers/runs.js';
import type { Reply } from '../helpers/sse.js';
import { type Place, storeRows } from '../helpers/stores.js';
import { until } from '../helpers/until.js';

/** What a client has said and heard. */
const said = ['First?', 'One.', 'Second?', 'Two.', 'Third?', 'Three.'];
const isUnconfirmed = ({ json }: Reply): boolean =>
  'conversationStored' in (json as { conversationStored?: false });

// each kind of database takes the two seconds that an answer waits
describe.each(isWholeRun ? storeRows : storeRows.slice(0, 1))(
  'a turn of which a client heard conversationStored: false, on $name,',
  (row) => {
    let place: Place;
    let talk: Conversing;
    beforeEach(async () => {
      place = await row.place();
      talk = await startConversing(place);
      talk.upstream.script(['One.', 'Two.', 'Three.', 'Again.'].map((text) => ({ text: [text] })));
    });
    afterEach(async () => {
      await talk.close();
      await place.remove();
    });

    const say = (count: number, conversationId?: string): Promise<Reply> =>
      talk.complete({
        ...asking(...said.slice(0, count)),
        ...(conversationId && { conversationId }),
      });
    const texts = async (id: string): Promise<string[]> =>
      (await talk.stored(talk.ann, id)).map(({ content }) =>
        typeof content === 'string' ? content : textAt(content, 0, 'text'),
      );
    const late = (outcome: string): Promise<number> =>
      metricOf(talk.gateway, 'signalbox_turns_late_total', `outcome="${outcome}"`);
    const lost = (): Promise<number> => metricOf(talk.gateway, 'signalbox_turns_lost_total');
    /** How many turns the lines with that text are about. */
    const logged = (text: string): number =>
      talk.log.lines
        .filter(({ msg }) => String(msg).includes(text))
        .reduce((sum, { turns }) => sum + Number(turns), 0);

    it('is stored late, once, however its client goes on, and counted and logged as late, not as lost', async () => {
      const release = await holdWrites(place);
      const first = await say(1);
      expect(first).toMatchObject({ status: 200, json: { conversationStored: false } });
      const id = textAt(first.json, 'conversationId');
      // goes on while the turn still waits
      const going = say(3, id);
      await until(() => talk.upstream.requests.some(({ raw }) => raw.includes('Second?')));
      await release();
      const second = await going;
      await until(async () => (await texts(id)).length === 4);
      const stored = await talk.stored(talk.ann, id);
      expect(stored.filter((_, index) => index % 2 === 1)).toMatchObject([
        { id: textAt(first.json, 'responseMessageId'), model: 'good' },
        { id: textAt(second.json, 'responseMessageId'), model: 'good' },
      ]);
      // goes on afterwards
      const third = await say(5, id);
      await until(async () => (await texts(id)).length >= 6);
      expect(await texts(id)).toEqual(said);
      // repeats the request: the model answers again, and only that answer is added
      const repeated = await say(5, id);
      await until(async () => (await texts(id)).length >= 7);
      expect(await texts(id)).toEqual([...said, 'Again.']);

      const unconfirmed = [first, second, third, repeated].filter(isUnconfirmed).length;
      await until(async () => (await late('stored')) === unconfirmed);
      expect([await late('gone'), await late('lost'), await lost()]).toEqual([0, 0, 0]);
      expect(logged('are stored late')).toBe(unconfirmed);
      expect(logged('are lost')).toBe(0);
    });

    it('is counted and logged as lost where it is, and its messages are stored with the next turn', async () => {
      const first = await say(1);
      const id = textAt(first.json, 'conversationId');
      const { store } = await talk.databases.get();
      const append = store.conversations.append.bind(store.conversations);
      store.conversations.append = () =>
        Promise.reject(new GatewayError('internal', 'the database refused a statement'));
      expect(await say(3, id)).toMatchObject({ status: 200, json: { conversationStored: false } });
      // of a conversation whose first turn is lost nothing is known: a client begins it anew
      const begun = await say(1);
      store.conversations.append = append;
      expect((await say(3, textAt(begun.json, 'conversationId'))).status).toBe(404);
      expect([await lost(), await late('stored')]).toEqual([2, 0]);
      expect(logged('are lost')).toBe(2);

      talk.upstream.script([{ text: ['Three.'] }]);
      await say(5, id);
      await until(async () => (await texts(id)).length >= 6);
      expect(await texts(id)).toEqual(said);
      expect((await talk.stored(talk.ann, id)).map(({ model }) => model)).toEqual([
        null,
        'good',
        null,
        null,
        null,
        'good',
      ]);
    });
  },
);
