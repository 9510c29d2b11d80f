// A request log of a size, made up.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sourceModule } from '../source-module.mjs';

const dayMs = 86_400_000;
const days = 90;
const batch = 2_000;
const models = 12;
const otherAccounts = 3;

/** Writes that many requests of the last 90 days into a new database. */
export async function fillDatabase(dist, folder, count) {
  mkdirSync(folder, { recursive: true });
  const { openStore } = await sourceModule(dist, 'store/open-store');
  const { firstAccountId } = await sourceModule(dist, 'store/contracts/accounts');
  const store = await openStore(`file:${join(folder, 'signalbox.db')}`, {
    poolSize: 1,
    onWarning: (warning) => console.error(warning),
  });
  const now = Date.now();
  try {
    // oldest first, as they come
    for (let done = 0; done < count; done += batch) {
      const rows = Array.from({ length: Math.min(batch, count - done) }, (_, index) =>
        madeUp(firstAccountId, now - days * dayMs * (1 - (done + index) / count)),
      );
      await store.requests.add(rows);
      // as the gateway does while it runs
      if (done % (batch * 50) === 0) while ((await store.periods.merge(rows[0].at, 5_000)) > 0);
    }
    while ((await store.periods.merge(now, 5_000)) > 0);
  } finally {
    await store.close();
  }
}

/** A request of one of four accounts and twelve models. */
export function madeUp(firstAccountId, at) {
  const random = Math.random();
  const model = Math.floor(random * random * models);
  const account = Math.floor(Math.random() * (otherAccounts + 1));
  const failed = Math.random() < 0.02;
  return {
    id: randomUUID(),
    requestId: randomUUID(),
    accountId: account === 0 ? firstAccountId : `account-${account}`,
    keyId: `key-${model % 5}`,
    surface: 'openai',
    at: Math.floor(at),
    status: failed ? 502 : 200,
    code: failed ? 'upstream_error' : null,
    error: failed ? 'the provider answered 500' : null,
    field: null,
    provider: `p${model}`,
    model: `m${model}`,
    planId: null,
    conversationId: null,
    responseId: null,
    stream: random < 0.7,
    latencyMs: Math.floor(200 + 8_000 * random * random),
    ttftMs: failed ? null : Math.floor(80 + 900 * random),
    promptTokens: Math.floor(2_000 * random),
    completionTokens: Math.floor(800 * random),
    costUsd: failed ? 0 : 0.01 * random,
    estimatedUsd: 0,
    heldUsd: 0,
    traceId: null,
    plan: null,
    attempts: [],
    content: null,
  };
}
