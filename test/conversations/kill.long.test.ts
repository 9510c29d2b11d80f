import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MessageRecord } from '../../src/store/contracts/conversations.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';
import { readAll } from '../helpers/conversing.js';
import { listAt, textAt } from '../helpers/json.js';
import { endProcesses, newFolder, startProcess } from '../helpers/process.js';
import { post, postStream } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Step, type Upstream } from '../helpers/upstream.js';

const [rounds, lanes, clients] = [50, 2, 6];
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
  conversationId: string;
  turns: { question: string; answerId: string }[];
}

/** Continues its own conversation until the gateway stops answering; every other client streams. */
async function converse(
  url: string,
  name: string,
  streams: boolean,
  onTold: () => void,
): Promise<Told> {
  const told: Told = { conversationId: '', turns: [] };
  const messages: object[] = [];
  for (let turn = 0; ; turn++) {
    const question = `${name}, question ${turn}`;
    messages.push({ role: 'user', content: question });
    const body = {
      models: ['up/m'],
      messages,
      ...(told.conversationId === '' ? {} : { conversationId: told.conversationId }),
    };
    const last = await ask(url, body, streams).catch(() => null);
    if (last === null) return told;
    expect(last).not.toHaveProperty('conversationStored');
    told.conversationId = textAt(last, 'conversationId');
    onTold();
    told.turns.push({ question, answerId: textAt(last, 'responseMessageId') });
    messages.push({ role: 'assistant', content: `Answer to ${question}` });
  }
}

/**
 * The whole answer, or the last chunk if the stream ended; null if the gateway did not get that
 * far.
 */
async function ask(url: string, body: object, streams: boolean): Promise<unknown> {
  if (!streams) {
    const { status, json } = await post(`${url}/api/v1/completions`, body, headers);
    return status === 200 ? json : null;
  }
  const { frames, events } = await postStream(
    `${url}/api/v1/completions`,
    { ...body, stream: true },
    { headers },
  );
  return frames.at(-1)?.data === '[DONE]' ? events.at(-1) : null;
}

const textOf = ({ content }: MessageRecord): string =>
  typeof content === 'string' ? content : textAt(content, 0, 'text');

/** Every question is followed by its complete answer, and nothing is stored twice. */
function expectWholeTurns(messages: readonly MessageRecord[]): void {
  expect(messages.length % 2).toBe(0);
  for (let index = 0; index < messages.length; index += 2) {
    const [question, answer] = [messages[index]!, messages[index + 1]!];
    expect([question.role, answer.role]).toEqual(['user', 'assistant']);
    expect(textOf(answer)).toBe(`Answer to ${textOf(question)}`);
    expect(answer).toMatchObject({
      provider: 'up',
      model: 'm',
      finishReason: 'stop',
      usage: { promptTokens: 10 },
    });
  }
  expect(new Set(messages.map(textOf)).size).toBe(messages.length);
}

/** Checks one round after the next start: every confirmed turn is stored. */
async function expectStored(store: Store, told: readonly Told[]): Promise<void> {
  for (const { conversationId, turns } of told) {
    if (conversationId === '') continue;
    const messages = await readAll(store, accountId, conversationId);
    expectWholeTurns(messages);
    expect((await store.conversations.find(accountId, conversationId))?.messageCount).toBe(
      messages.length,
    );
    const stored = new Map(messages.map((message) => [message.id, message]));
    for (const { question, answerId } of turns)
      expect(textOf(stored.get(answerId) ?? ({ content: 'nothing' } as MessageRecord))).toBe(
        `Answer to ${question}`,
      );
    // besides the confirmed turns there is at most the one whose confirmation did not arrive
    expect(messages.length / 2 - turns.length).toBeLessThanOrEqual(1);
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

/** Kills a gateway again and again on one folder. */
async function lane(number: number): Promise<{ told: number; stored: number }> {
  const folder = newFolder();
  const config = `auth: { keys: [{ name: kill, key: ${key} }] }\nproviders: { up: { api: openai-compatible, baseUrl: "${upstream.url}/v1" } }\n`;
  let before: Told[] = [];
  let told = 0;
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
    await until(() => heard >= enough);
    await wait(randomInt(20));
    gateway.signal('SIGKILL');
    await gateway.ended;
    before = await Promise.all(talks);
    told += before.reduce((turns, each) => turns + each.turns.length, 0);
  }
  const store = await openStore(`file:${join(folder, 'data/signalbox.db')}`);
  await expectStored(store, before);
  const stored = await expectAllWhole(store);
  await store.close();
  return { told, stored };
}

describe('a gateway that is killed in the middle of turns', () => {
  it(`has stored every confirmed turn, and none in part, ${rounds} times over`, async () => {
    const counts = await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
    for (const { told, stored } of counts) {
      expect(told).toBeGreaterThan(rounds);
      expect(stored).toBeGreaterThanOrEqual(told);
      expect(stored).toBeLessThanOrEqual(told + (clients * rounds) / lanes);
    }
  }, 1_800_000);
});
