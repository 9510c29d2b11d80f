import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/errors.js';
import type {
  ProviderAdapter,
  ProviderSettings,
  UpstreamRequest,
} from '../../src/providers/adapter.js';
import { createBedrock } from '../../src/providers/bedrock/index.js';
import { createVertex } from '../../src/providers/gemini/vertex.js';
import { dialects } from '../../src/providers/index.js';

const root = 'https://provider.example/root';
const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
const tokens = { configured: true, token: () => Promise.resolve('t'), forget: () => undefined };

/** Every dialect, and Azure's older API, which has the model in its path. */
const adaptersWith = (more: Partial<ProviderSettings>): [string, ProviderAdapter][] =>
  [...dialects].flatMap(([api, dialect]): [string, ProviderAdapter][] => {
    const settings = { name: api, api, baseUrl: root, project: 'own', region: 'r', ...more };
    if (api === 'vertex') return [[api, createVertex(settings, tokens)]];
    if (api === 'bedrock') return [[api, createBedrock(settings, { env, now: Date.now })]];
    const made: [string, ProviderAdapter][] = [[api, dialect.create(settings)]];
    const older = { ...settings, apiVersion: '2024-10-21' };
    if (api === 'azure-openai') made.push([`${api} (older)`, dialect.create(older)]);
    return made;
  });
const adapters = adaptersWith({});

type Call = (model: string) => UpstreamRequest | Promise<UpstreamRequest>;

function callsOf({ buildRequest, embeddings }: ProviderAdapter): Call[] {
  const request = { messages: [{ role: 'user', content: 'x' }] };
  return [
    (model) => buildRequest({ request, model, stream: false }, 'k'),
    (model) => buildRequest({ request, model, stream: true }, 'k'),
    ...(embeddings ? [(model: string) => embeddings.buildRequest({ input: 'x' }, model, 'k')] : []),
  ];
}

/** The URL of a call as servers read it; null if the name was refused. */
async function pathFor(call: Call, model: string): Promise<string | null> {
  try {
    const { origin, pathname, search } = new URL((await call(model)).url);
    expect(origin).toBe(new URL(root).origin);
    return pathname + search;
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'request_refused', status: 422 });
    return null;
  }
}

const piece = fc.constantFrom(
  ...['.', '..', '/', '//', '\\', '%2e%2e', '%2f', '?', '#', '\r\n', '\0', '\t', ' ', ':', '@'],
  ...['a', 'gpt-4o', 'models', 'projects', 'publishers', 'endpoints', 'own', '\u0085', '\ud800'],
);
const hostile = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

describe.each(adapters)('a hostile name of a model of %s', (_api, adapter) => {
  it('is refused or stays one part of the path, which leads nowhere else', async () => {
    for (const call of callsOf(adapter)) {
      const [before = '', after = ''] = ((await pathFor(call, 'plain')) ?? '').split('plain');
      const above = before.replace(/(publishers\/google\/)?models\/$/, '');
      await fc.assert(
        fc.asyncProperty(hostile, async (model) => {
          const path = await pathFor(call, model);
          if (path === null) return;
          expect(path.startsWith(above.replace(/projects\/.*$/, ''))).toBe(true);
          expect(path.endsWith(after)).toBe(true);
          const segments = decodeURIComponent(path.replace(/\?.*$/, '')).split(/[/\\]/);
          expect(segments.filter((segment) => /^\.+$|\p{Cc}/u.test(segment))).toEqual([]);
          expect(path.split('?').length).toBe(`${before}${after}`.split('?').length);
        }),
        { numRuns: 300 },
      );
    }
  });
});

describe('a name that would lead to another path', () => {
  const withModelInPath = adapters.filter(([api]) =>
    ['azure-openai (older)', 'gemini', 'vertex', 'bedrock'].includes(api),
  );

  it.each(withModelInPath)('is refused by %s', async (_api, adapter) => {
    const names = ['..', '.', '', 'a/../b', 'a/./b', 'a\\..\\b', 'a\nb', 'a\0b', '\ud800'];
    for (const call of callsOf(adapter))
      for (const name of names) expect(await pathFor(call, name), JSON.stringify(name)).toBeNull();
  });

  it('has no slash where it is an Azure deployment', async () => {
    const older = adapters.find(([api]) => api === 'azure-openai (older)')?.[1];
    for (const call of callsOf(older!)) expect(await pathFor(call, 'a/b')).toBeNull();
  });

  it('is refused also where the configuration maps a model to it', async () => {
    const { create } = dialects.get('azure-openai')!;
    const settings = { name: 'az', api: 'azure-openai', baseUrl: root, apiVersion: '2024-10-21' };
    const adapter = create({ ...settings, deployments: { mine: '..' } });
    for (const call of callsOf(adapter)) expect(await pathFor(call, 'mine')).toBeNull();
  });
});

describe.each(adaptersWith({ deployments: { mine: 'theirs' } }))(
  'a name of a model of %s that every object has a member for',
  (_api, adapter) => {
    it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
      'is sent as it is: %s',
      async (name) => {
        for (const call of callsOf(adapter)) {
          const [sent, plain] = [await call(name), await call('plain')];
          expect(sent.url).toBe(plain.url.replace('plain', name));
          expect(sent.body).toBe(String(plain.body).replaceAll('plain', name));
        }
      },
    );
  },
);
