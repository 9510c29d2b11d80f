import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../../src/async/turns.js';
import { parseJson, providerBody, validJson } from '../../src/providers/json.js';
import { exactJson, parseExactJson } from '../../src/text/exact-json.js';
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

it('control characters are escaped in the texts of short JSON alone: to look into long JSON takes a time', () => {
  expect(parseJson('{\t"a":"b\tc\u001b"}')).toEqual({ a: 'b\tc\u001b' });
  const long = `["a\t",${'"\t",'.repeat(30_000)}1]`;
  expect(validJson(long)).toBe(long);
});

describe('a body for a provider', () => {
  const printed = (body: object): string => {
    const sent = providerBody(body);
    return typeof sent === 'string' ? sent : atOnce(sent.print()).toString();
  };
  const long = fc.constantFrom('a', 'é"\\', '😀', 'x😀').map((part) => part.repeat(300_000));

  it('is the same whether it is printed at once or, because it is long, in steps', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(long, value, fc.array(value), (text, one, more) => {
        const body = {
          text,
          none: undefined,
          more: [one, ...more, text, undefined, { text: one }],
          deep: Array(20)
            .fill(null)
            .reduce<unknown>((inner) => [one, inner, more], text),
          numbers: Array(100_000).fill(1),
          holes: [text, ...Array<unknown>(3), text],
          nothing: { ['a'.repeat(100_000)]: undefined, b: undefined },
          [text]: one,
          fields: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, at])),
        };
        expect(printed(body)).toBe(exactJson(body));
      }),
      { numRuns: 30 },
    );
  });

  it('is made in many short steps, however it is nested', () => {
    const inner = (levels: number): unknown =>
      Array(levels)
        .fill(null)
        .reduce<unknown>((one) => [one], Array(30_000).fill(1));
    const sent = providerBody({ lists: Array.from({ length: 20 }, () => inner(400)) });
    const steps = typeof sent === 'string' ? [] : [...sent.print()];
    expect(steps.length).toBeGreaterThan(100);
  });

  it.each([65_534, 65_535, 65_536])(
    'keeps pairs of surrogates after a lone half, wherever it is cut (%d)',
    (length) => {
      const text = `${'x'.repeat(length)}\ud83d\ud83d\ude00${'x'.repeat(600_000)}`;
      expect(printed({ text })).toBe(JSON.stringify({ text }).replace('\\ud83d', '\ufffd'));
    },
  );

  it('has its long integers and no halves of surrogate pairs, however long it is', () => {
    const text = '😀'.repeat(300_000);
    const ids = parseExactJson(`[12345678901234567890,${'9'.repeat(100_000)}]`);
    expect(printed({ ids, text: `\ud83d${text}\ude00` })).toBe(
      `{"ids":[12345678901234567890,${'9'.repeat(100_000)}],"text":"\ufffd${text}\ufffd"}`,
    );
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
