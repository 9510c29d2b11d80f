import { PostgresAdapter, sql } from 'kysely';
import type { ConfigInput } from '../../src/config/config.js';
import type { MessageRecord } from '../../src/store/contracts/conversations.js';
import type { LazyDatabases } from '../../src/store/lazy-databases.js';
import { quietDatabases } from './quiet-databases.js';
import type { Store } from '../../src/store/contracts/store.js';
import { keepingLogger, type RunningGateway, startGateway } from './gateway.js';
import { post, postStream, type Reply, type StreamOptions, type StreamReply } from './sse.js';
import type { Place } from './stores.js';
import { startUpstream, type Upstream } from './upstream.js';

/** Blocks all writes to a database, from a connection of its own, until it is released. */
export async function holdWrites({ connect }: Place): Promise<() => Promise<void>> {
  const database = connect();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let held: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    held = database.transaction().execute(async (transaction) => {
      // a transaction on an embedded database holds all writers up by itself
      if (database.getExecutor().adapter instanceof PostgresAdapter)
        await sql`lock table conversations in exclusive mode`.execute(transaction);
      resolve();
      await released;
    });
    held.catch(reject);
  });
  return async () => {
    release();
    await held;
  };
}

/**
 * A gateway that stores conversations of two accounts, its scripted upstream, and a second store on
 * the same database.
 */
export interface Conversing {
  upstream: Upstream;
  gateway: RunningGateway;
  log: ReturnType<typeof keepingLogger>;
  /** Account and headers of each of the two. */
  ann: Party;
  bob: Party;
  /** The gateway's own databases. */
  databases: LazyDatabases;
  /** The same database by connections of its own. */
  reader: Store;
  /** All messages of a conversation as they are stored. */
  stored(party: Party, id: string): Promise<readonly MessageRecord[]>;
  complete(body: object, party?: Party): Promise<Reply>;
  stream(body: object, options?: StreamOptions): Promise<StreamReply>;
  close(): Promise<void>;
}

/** An account and its credentials. */
export interface Party {
  accountId: string;
  headers: { authorization: string };
}

const party = (name: string): Party => ({
  accountId: `fixed:${name}`,
  headers: { authorization: `Bearer sk_${name}_0123456789` },
});
const [ann, bob] = [party('ann'), party('bob')];
const keys = [
  ...['ann', 'bob'].map((name) => ({ name, key: `sk_${name}_0123456789` })),
  { name: 'carl', key: 'sk_carl_0123456789', limits: { dayBudgetUsd: 1 } },
];

/** A third party, whose key has a budget. */
export const carl = party('carl');

/** Starts a gateway on that database. */
export async function startConversing(
  place: Pick<Place, 'url' | 'open'>,
  config: ConfigInput = {},
): Promise<Conversing> {
  const upstream = await startUpstream();
  const log = keepingLogger();
  const backing = quietDatabases(place.url, 5);
  const up = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  const gateway = await startGateway(
    {
      providers: { up },
      models: { 'up/good': { inputPrice: 1, outputPrice: 10 } },
      ...config,
      auth: { keys },
    },
    { databases: backing, logger: log.logger },
  );
  await backing.get();
  const reader = await place.open();
  const url = `${gateway.url}/api/v1/completions`;
  return {
    upstream,
    gateway,
    log,
    ann,
    bob,
    databases: backing,
    reader,
    stored: (who, id) => readAll(reader, who.accountId, id),
    complete: (body, who = ann) => post(url, body, who.headers),
    stream: (body, options = {}) =>
      postStream(url, { ...body, stream: true }, { headers: ann.headers, ...options }),
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** Every page of a conversation's messages. */
export async function readAll(
  store: Store,
  accountId: string,
  id: string,
): Promise<readonly MessageRecord[]> {
  const messages: MessageRecord[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await store.conversations.messages(accountId, id, { limit: 100, cursor });
    messages.push(...(page?.items ?? []));
    if (!page?.next) return messages;
    cursor = page.next;
  }
}

/** A body of messages, from the user and the assistant by turns. */
export const asking = (...texts: string[]): { models: string[]; messages: object[] } => ({
  models: ['up/good'],
  messages: texts.map((content, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  })),
});
