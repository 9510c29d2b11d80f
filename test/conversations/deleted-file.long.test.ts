import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.js';
import { asking, type Conversing, holdWrites, startConversing } from '../helpers/conversing.js';
import { at, textAt } from '../helpers/json.js';
import { ask, type Reply } from '../helpers/sse.js';
import { libsqlPlace, type Place } from '../helpers/stores.js';
import { until } from '../helpers/until.js';

let place: Place;
let talk: Conversing;
let file: string;
beforeEach(async () => {
  place = libsqlPlace();
  file = place.url.slice('file:'.length);
  talk = await startConversing(place);
});
afterEach(async () => {
  await talk.close();
  await place.remove();
});

const databaseState = async (): Promise<unknown> =>
  at((await ask('GET', `${talk.gateway.url}/readyz`)).json, 'database');
const begin = async (): Promise<string> =>
  textAt((await talk.complete(asking('Before?'))).json, 'conversationId');
const goOn = (conversationId: string): Promise<Reply> =>
  talk.complete({ ...asking('Before?', 'Hello', 'After?'), conversationId });

describe('when the file of the database is deleted while the gateway runs', () => {
  it('no turn is acknowledged as stored, the log and /readyz say so, and all is stored when the file is back', async () => {
    const conversationId = await begin();
    expect(await databaseState()).toBe('ok');
    renameSync(file, `${file}.away`);
    expect((await goOn(conversationId)).json).toHaveProperty('conversationStored', false);
    expect(await databaseState()).toBe('unreachable');
    expect(JSON.stringify(talk.log.lines)).toContain('its file was deleted or replaced');
    renameSync(`${file}.away`, file);
    await until(async () => (await talk.stored(talk.ann, conversationId)).length === 4);
    await until(async () => (await databaseState()) === 'ok');
  });

  it('not even one that is being written is acknowledged, and no empty database takes its place', async () => {
    const conversationId = await begin();
    const release = await holdWrites(place);
    const going = goOn(conversationId);
    await until(() => talk.upstream.requests.length === 2);
    rmSync(file);
    await expect(release()).rejects.toMatchObject({ code: 'unavailable' });
    expect((await going).json).toHaveProperty('conversationStored', false);
    expect(await databaseState()).toBe('unreachable');
    expect(existsSync(file)).toBe(false);
  });

  it('a file that was put in its place is neither written nor changed when the gateway stops', async () => {
    const conversationId = await begin();
    rmSync(file);
    for (const name of [file, `${file}-wal`]) writeFileSync(name, 'another database');
    expect((await goOn(conversationId)).json).toHaveProperty('conversationStored', false);
    await talk.gateway.close();
    await talk.reader.close();
    for (const name of [file, `${file}-wal`])
      expect(readFileSync(name, 'utf8')).toBe('another database');
  });
});

it('/readyz says that the database is unwritable while it answers and writes fail', async () => {
  const { store } = await talk.databases.get();
  const append = store.conversations.append.bind(store.conversations);
  store.conversations.append = () =>
    Promise.reject(new GatewayError('unavailable', 'the database cannot be reached: disk full'));
  expect((await talk.complete(asking('Full?'))).json).toHaveProperty('conversationStored', false);
  expect(await databaseState()).toBe('unwritable');
  store.conversations.append = append;
  await until(async () => (await databaseState()) === 'ok');
});
