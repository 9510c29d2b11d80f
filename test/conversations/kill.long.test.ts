import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MessageRecord } from '../../src/store/contracts/conversations.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';
import { readAll } from '../helpers/conversing.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { endProcesses, newFolder, startProcess } from '../helpers/process.js';
import { post, postStream } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Step, type Upstream } from '../helpers/upstream.js';

const [rounds, lanes, clients] = [50, 2, 6];
/**
 * Of the answers. A turn is stored within milliseconds and its client told so, else what is
 * promised of confirmed turns is promised of none. All were confirmed beside two busy programs on
 * two cores, and beside sixteen; but there an answer's two seconds may pass before the threads of
 * the database had their turns, so that a few may say false.
 */
const minConfirmed = 0.9;
const key = 'sk_kill_0123456789abcdef';
const accountId = 'fixed:kill';
const headers = { authorization: `Bearer ${key}` };

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script([
    ({ body }): Step => ({
      text: ['Answer to ', textAt(listAt(body, 'messages').at(-1), 'content')],
    }),
  ]);
});
afterEach(endProcesses);
afterAll(() => upstream.close());

/** The answers that one client got before the gateway was killed. */
interface Told {
  name: string;
  conversationId: string;
  turns: { question: string; answerId: string; isConfirmed: boolean }[];
}

const questionOf = (name: string, turn: number): string => `${name}, question ${turn}`;
const answerTo = (question: string): string => `Answer to ${question}`;

/** How many turns are confirmed, or came before a turn that is: their clients count on them. */
const countOn = ({ turns }: Told): number =>
  turns.findLastIndex(({ isConfirmed }) => isConfirmed) + 1;

/** Continues its own conversation until the gateway stops answering; every other client streams. */
async function converse(
  url: string,
  name: string,
  streams: boolean,
  onTold: () => void,
): Promise<Told> {
  const told: Told = { name, conversationId: '', turns: [] };
  const messages: object[] = [];
  for (let turn = 0; ; turn++) {
    const question = questionOf(name, turn);
    messages.push({ role: 'user', content: question });
    const body = {
      models: ['up/m'],
      messages,
      ...(told.conversationId === '' ? {} : { conversationId: told.conversationId }),
    };
    const last = await ask(url, body, streams);
    if (last === null) return told;
    told.conversationId = textAt(last, 'conversationId');
    onTold();
    told.turns.push({
      question,
      answerId: textAt(last, 'responseMessageId'),
      isConfirmed: at(last, 'conversationStored') !== false,
    });
    messages.push({ role: 'assistant', content: answerTo(question) });
  }
}

/**
 * The whole answer, or the last chunk if the stream ended; null if the gateway did not get that
 * far. A gateway refuses none of these requests: a conversation that it named can be continued,
 * also where its first turn is not stored yet.
 */
async function ask(url: string, body: object, streams: boolean): Promise<unknown> {
  const path = `${url}/api/v1/completions`;
  if (streams) {
    const reply = await postStream(path, { ...body, stream: true }, { headers }).catch(() => null);
    // 0: killed before it answered
    expect([0, 200]).toContain(reply?.status ?? 0);
    return reply?.frames.at(-1)?.data === '[DONE]' ? reply.events.at(-1) : null;
  }
  const reply = await post(path, body, headers).catch(() => null);
  expect([0, 200]).toContain(reply?.status ?? 0);
  return reply?.json ?? null;
}

const textOf = ({ content }: MessageRecord): string =>
  typeof content === 'string' ? content : textAt(content, 0, 'text');

/** Every question is followed by its complete answer, and nothing is stored twice. */
function expectWholeTurns(messages: readonly MessageRecord[]): void {
  expect(messages.length % 2).toBe(0);
  for (let index = 0; index < messages.length; index += 2) {
    const [question, answer] = [messages[index]!, messages[index + 1]!];
    expect([question.role, answer.role]).toEqual(['user', 'assistant']);
    expect(textOf(answer)).toBe(answerTo(textOf(question)));
    expect(answer).toMatchObject({
      provider: 'up',
      model: 'm',
      finishReason: 'stop',
      usage: { promptTokens: 10 },
    });
  }
  expect(new Set(messages.map(textOf)).size).toBe(messages.length);
}

/**
 * Checks one round after the next start. Every turn on which its client counts is stored, and of
 * the others none in part, none twice and none without those before it.
 */
async function expectStored(store: Store, told: readonly Told[]): Promise<void> {
  for (const each of told) {
    const { name, conversationId, turns } = each;
    if (conversationId === '') continue;
    const messages = await readAll(store, accountId, conversationId);
    expectWholeTurns(messages);
    // one that was to begin with a turn that is not stored does not exist
    const conversation = await store.conversations.find(accountId, conversationId);
    expect(conversation?.messageCount ?? 0).toBe(messages.length);
    const stored = messages.length / 2;
    expect(stored).toBeGreaterThanOrEqual(countOn(each));
    // besides the answered turns there is at most the one whose answer did not arrive
    expect(stored).toBeLessThanOrEqual(turns.length + 1);
    for (let turn = 0; turn < stored; turn++) {
      const [question, answer] = messages.slice(2 * turn, 2 * turn + 2);
      expect(textOf(question!)).toBe(questionOf(name, turn));
      if (turn < turns.length) expect(answer?.id).toBe(turns[turn]?.answerId);
    }
  }
}

async function expectAllWhole(store: Store): Promise<number> {
  let turns = 0;
  for (let cursor: string | null = null; ;) {
    const page = await store.conversations.list(accountId, { limit: 100, cursor });
    for (const { id, messageCount } of page.items) {
      const messages = await readAll(store, accountId, id);
      expectWholeTurns(messages);
      expect(messages).toHaveLength(messageCount);
      turns += messageCount / 2;
    }
    if (page.next === null) return turns;
    cursor = page.next;
  }
}

/** Turns of one folder. */
interface Counts {
  answered: number;
  confirmed: number;
  /** Confirmed, or before a turn that is. */
  countedOn: number;
  stored: number;
}

/** Kills a gateway again and again on one folder. */
async function lane(number: number): Promise<Counts> {
  const folder = newFolder();
  const config = `auth: { keys: [{ name: kill, key: ${key} }] }\nproviders: { up: { api: openai-compatible, baseUrl: "${upstream.url}/v1" } }\n`;
  let before: Told[] = [];
  const all: Told[] = [];
  for (let round = 0; round < rounds / lanes; round++) {
    const gateway = await startProcess({ folder, config });
    const store = await openStore(`file:${join(folder, 'data/signalbox.db')}`);
    await expectStored(store, before);
    await store.close();
    let heard = 0;
    const talks = Array.from({ length: clients }, (_, client) =>
      converse(
        gateway.url,
        `lane ${number}, round ${round}, client ${client}`,
        client % 2 === 0,
        () => heard++,
      ),
    );
    const enough = randomInt(1, 30);
    // all talks end before the gateway does only if one of them fails
    await Promise.race([until(() => heard >= enough), Promise.all(talks)]);
    await wait(randomInt(20));
    gateway.signal('SIGKILL');
    await gateway.ended;
    before = await Promise.all(talks);
    all.push(...before);
  }
  const store = await openStore(`file:${join(folder, 'data/signalbox.db')}`);
  await expectStored(store, before);
  const stored = await expectAllWhole(store);
  await store.close();
  const answered = all.flatMap(({ turns }) => turns);
  return {
    answered: answered.length,
    confirmed: answered.filter(({ isConfirmed }) => isConfirmed).length,
    countedOn: all.reduce((sum, each) => sum + countOn(each), 0),
    stored,
  };
}

describe('a gateway that is killed in the middle of turns', () => {
  it(`has stored every confirmed turn, and none in part, ${rounds} times over`, async () => {
    const counts = await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
    for (const { answered, countedOn, stored } of counts) {
      expect(answered).toBeGreaterThan(rounds);
      expect(stored).toBeGreaterThanOrEqual(countedOn);
      expect(stored).toBeLessThanOrEqual(answered + (clients * rounds) / lanes);
    }
    const sum = (of: 'answered' | 'confirmed'): number =>
      counts.reduce((total, each) => total + each[of], 0);
    expect(sum('confirmed') / sum('answered')).toBeGreaterThanOrEqual(minConfirmed);
  }, 1_800_000);
});
