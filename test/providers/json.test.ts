import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJson } from '../../src/providers/json.js';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import { ask, wayRows } from '../helpers/ways.js';

const list = (item: string, count: number): string => `[${Array(count).fill(item).join(',')}]`;
const tooMuch: [what: string, json: string][] = [
  ['a million empty objects', `{"choices":${list('{}', 1_000_001)}}`],
  ['nested too deeply', `{"choices":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
];

describe("a provider's JSON", () => {
  it.each(tooMuch)('is not parsed if it is %s', (_what, json) => {
    expect(parseJson(json)).toBeNull();
  });

  it('may be a long text, or a long list of numbers', () => {
    const text = 'word "and" \\ more '.repeat(100_000);
    expect(parseJson(JSON.stringify({ text }))).toEqual({ text });
    expect(parseJson(list('0.25', 1_000_000))).toHaveLength(1_000_000);
  });
});

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up, url) => ({
    limits: { maxRetries: 0 },
    providers: { up, claude: { api: 'anthropic', baseUrl: url, apiKey: 'k' } },
  })));
});
afterAll(() => gateway.close());

describe('an answer of too many values', () => {
  const rows = wayRows.flatMap(([name, way]) =>
    ['up', 'claude'].map((provider) => [provider, name, way] as const),
  );
  it.each(rows)('is unreadable (%s; asked %s)', async (provider, _name, way) => {
    for (const [, json] of tooMuch) {
      const model = plays.newModel();
      plays.set(model, {
        raw: Buffer.from(way.streamed ? `data: ${json}\n\n` : json),
        contentType: way.streamed ? 'text/event-stream' : 'application/json',
      });
      const heard = await ask(gateway, way, { models: [`${provider}/${model}`] });
      expect(heard).toMatchObject({ status: 502, ended: 'refused' });
      expect(heard.message).toContain('unreadable');
    }
  });

  it('is unreadable also if one event comes in very many lines', async () => {
    const model = plays.newModel();
    const lines = `data: [\ndata: ${'"x",'.repeat(10_000)}1,\n${'data: 1,\n'.repeat(2_000)}`;
    plays.set(model, { raw: Buffer.from(`${lines}\n`), contentType: 'text/event-stream' });
    const [[, streamed] = []] = wayRows;
    const heard = await ask(gateway, streamed!, { models: [`up/${model}`] });
    expect(heard.message).toContain('an event of too many lines');
  });
});
