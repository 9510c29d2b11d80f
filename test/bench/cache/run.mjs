// How much of an agent's prompts a gateway with several keys finds in a provider's cache: a session
// of 50 turns, with three others in between, at a scripted provider that caches by key.
import { createServer } from 'node:http';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tableOf } from '../table.mjs';

register('../../helpers/typescript-hooks.mjs', import.meta.url);

const turns = 50;
const key = 'sk_bench_0123456789';

async function startGateway(dist, providers) {
  const { createGateway } = await import(pathToFileURL(join(dist, 'index.js')).href);
  const gateway = createGateway(
    { providers, auth: { keys: [{ name: 'bench', key }] }, conversations: { store: false } },
    { env: {} },
  );
  const server = createServer(gateway.app());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { gateway, server, url: `http://127.0.0.1:${server.address().port}` };
}

const send =
  (url) =>
  async ({ path, headers, body }) => {
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path} answers ${reply.status}: ${text}`);
  };

/** @param options as `readOptions` gives them */
export async function runCache({ dist }) {
  const { agents, cachedShare, cachingProviders, replaySession } =
    await import('../../helpers/agent-sessions.ts');
  const { startCachingProvider } = await import('../../helpers/caching-provider.ts');
  const provider = await startCachingProvider();
  const { gateway, server, url } = await startGateway(dist, cachingProviders(provider));
  const rows = [];
  for (const [name, agent] of Object.entries(agents)) {
    const at = provider.seen.length;
    const own = await replaySession(agent, turns, provider, send(url));
    const keys = new Set(own.map((one) => one.key)).size;
    const tokens = own.reduce((sum, one) => sum + one.eligible, 0);
    const percent = (seen) => `${(100 * cachedShare(seen)).toFixed(1)} %`;
    rows.push([name, `${tokens}`, percent(own), percent(provider.seen.slice(at)), `${keys}`]);
  }
  const heading = ['agent', 'eligible tokens', 'read from the cache', 'all sessions', 'keys used'];
  console.log(`\n${tableOf([heading, ...rows])}\n`);
  console.log(`A session of ${turns} turns over three keys; the goal is at least 95 %.`);
  server.closeAllConnections();
  server.close();
  await Promise.all([gateway.close(), provider.close()]);
}
