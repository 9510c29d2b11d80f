import { readFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from './helpers/browser.js';
import { at, listAt, textAt } from './helpers/json.js';
import { endProcesses, type GatewayProcess, newFolder, startProcess } from './helpers/process.js';
import { ask, post, type Reply } from './helpers/sse.js';
import { startUpstream, type Upstream } from './helpers/upstream.js';

/**
 * A database and a configuration as version 0.1.0 left them: a person signed up, made a key and a
 * preference, held a conversation of three turns, and rated decisions. The first rows are of an early
 * commit, whose forms stay readable.
 */
const fixture = (name: string): string =>
  readFileSync(new URL(`fixtures/previous-version/${name}`, import.meta.url), 'utf8');

const person = { email: 'ada@example.org', password: 'correct horse battery' };
const ids = {
  key: 'sk_KAUyMrEr7syXrKhkIjXWSVU3MCEkTpYw',
  conversation: '887560e4-3b7e-4c70-be7f-ef5f81c885a8',
  preference: '30d68862-4516-4ee6-83da-4774af5771eb',
  session: '775beefb-18d1-83c1-96a0-9b1f58aa43f0',
};

interface Statements {
  exec(sql: string): void;
  close(): void;
}
const Database = createRequire(import.meta.url)('libsql') as new (path: string) => Statements;

function restoreDatabase(folder: string): void {
  mkdirSync(join(folder, 'data'));
  const database = new Database(join(folder, 'data', 'signalbox.db'));
  database.exec(fixture('database.sql'));
  database.close();
}

describe('a gateway with the database and the configuration of version 0.1.0', () => {
  let upstream: Upstream;
  let gateway: GatewayProcess;
  const auth = { authorization: `Bearer ${ids.key}` };
  const get = (path: string): Promise<Reply> => ask('GET', `${gateway.url}${path}`, auth);
  const send = (path: string, body: object, headers = auth): Promise<Reply> =>
    post(`${gateway.url}${path}`, body, headers);
  const question = (text: string): object => ({
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  });

  beforeAll(async () => {
    upstream = await startUpstream();
    const folder = newFolder();
    restoreDatabase(folder);
    gateway = await startProcess({
      folder,
      config: fixture('signalbox.yaml'),
      env: { UPSTREAM_URL: upstream.url, PORT: '0' },
    });
  });
  afterAll(async () => {
    await endProcesses();
    await upstream.close();
  });

  it('signs the administrator in with the old password, who sees the old requests', async () => {
    const browser = new Browser(gateway.url);
    expect(await browser.signIn(person.email, person.password)).toMatchObject({
      status: 200,
      json: { account: { email: person.email, role: 'admin' } },
    });
    const requests = await browser.ask('GET', '/api/v1/requests?limit=100');
    const surfaces = listAt(requests.json, 'items').map((request) => textAt(request, 'surface'));
    expect(surfaces.filter((surface) => surface === 'completions')).toHaveLength(3);
  });

  it('adds the estimated and the held part to its requests and sums, as nothing', async () => {
    const none = { estimatedUsd: 0, heldUsd: 0 };
    const browser = new Browser(gateway.url);
    await browser.signIn(person.email, person.password);
    const read = async (path: string): Promise<unknown> => (await browser.ask('GET', path)).json;
    const [first] = listAt(await read('/api/v1/requests'), 'items');
    expect(first).toMatchObject(none);
    const usage = await read('/api/v1/usage?from=2026-11-01&to=2026-12-01&by=model');
    expect(listAt(usage, 'items')).toContainEqual(
      expect.objectContaining({ model: 'good', ...none, costUsd: expect.any(Number) as number }),
    );
    expect(at(await read('/api/v1/usage/series'), 'totals')).toMatchObject(none);
  });

  it('knows the keys of the database and of the configuration', async () => {
    const answers = await Promise.all(
      [ids.key, 'sk_ci_of_the_previous_version'].map((key) =>
        send(
          '/v1/chat/completions',
          { model: 'local/good', messages: [{ role: 'user', content: 'Hello' }] },
          { authorization: `Bearer ${key}` },
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('shows the conversation, and continues it', async () => {
    const { conversation } = ids;
    expect((await get(`/api/v1/conversations/${conversation}`)).json).toMatchObject({
      title: 'Why is the sky blue?',
    });
    const before = await get(`/api/v1/conversations/${conversation}/messages`);
    expect(listAt(before.json, 'items')).toHaveLength(6);
    const answer = await send('/api/v1/completions', {
      ...question('And on Titan?'),
      models: ['local/good'],
      conversationId: conversation,
    });
    expect(answer).toMatchObject({
      status: 200,
      json: { conversationTitle: 'Why is the sky blue?' },
    });
    const after = await get(`/api/v1/conversations/${conversation}/messages`);
    expect(listAt(after.json, 'items')).toHaveLength(8);
  });

  it('applies the preference, and continues the session', async () => {
    const { status, json } = await send('/api/v1/model-select', {
      ...question('Why is the sky blue?'),
      llm_providers: [{ name: 'local/good' }, { name: 'local/cheap' }],
      preference_id: ids.preference,
      previous_session: ids.session,
    });
    expect({ status, json }).toMatchObject({ status: 200, json: { llm_label: 'local/cheap' } });
  });

  it('shows the session, and takes another rating of its decision', async () => {
    const { status, json } = await get(`/api/v1/sessions/${ids.session}`);
    expect(status).toBe(200);
    for (const decision of listAt(json, 'decisions'))
      expect(listAt(decision, 'candidates')[0]).toMatchObject({ model: expect.any(String) });
    const rating = await send('/api/v1/feedback', { session_id: ids.session, score: 1 });
    expect(rating.status).toBe(201);
  });
});
