import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig, type Config } from '../../src/config/config.js';
import { readSchema } from '../../src/config/schema/compile-schema.js';
import {
  configuredEngines,
  searchDialects,
} from '../../src/grounding/search/engines/configured-engines.js';
import { queryFor } from '../helpers/searching.js';

const parse = (text: string, env: Record<string, string> = {}): Config =>
  parseConfig(text, 'signalbox.yaml', env);
const engines = (list: string, env: Record<string, string> = {}) =>
  parse(`search:\n  engines:\n${list.replace(/^/gm, '    ')}\n`, env);

function refused(list: string, env: Record<string, string> = {}): string {
  try {
    engines(list, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('the settings of search', () => {
  it('have defaults, and no engine', () => {
    expect(parse('').search).toEqual({
      engines: [],
      allowPrivateHosts: [],
      ports: [80, 443],
      obeyRobots: true,
      maxUses: 10,
      maxResults: 20,
      cacheMs: 300_000,
    });
  });

  it('give engines their defaults', () => {
    const { search } = parse(
      'search: { timeoutMs: 4000, engines: [{ type: brave, apiKey: " k1 " }, { type: searxng, url: "http://a.example", timeoutMs: 9 }] }',
    );
    expect(search.engines).toEqual([
      {
        name: 'brave',
        type: 'brave',
        url: null,
        apiKeys: ['k1'],
        headers: {},
        content: false,
        pricePerThousand: null,
        timeoutMs: 4_000,
        custom: null,
      },
      expect.objectContaining({ name: 'searxng', url: 'http://a.example', timeoutMs: 9 }),
    ]);
  });

  it('know each type of engine', () => {
    const schema = readSchema('config') as {
      properties: {
        search: {
          properties: { engines: { items: { properties: { type: { enum: string[] } } } } };
        };
      };
    };
    const { type } = schema.properties.search.properties.engines.items.properties;
    expect([...type.enum].sort()).toEqual([...Object.keys(searchDialects), 'custom'].sort());
  });

  it('become engines', () => {
    const { search } = engines(
      '- { type: tavily, name: team, apiKeys: [k1, k2], pricePerThousand: 8, content: true }\n' +
        '- { type: custom, url: "https://s.example/?q={query}", results: "", title: /t, link: /l }',
    );
    const [team, custom] = configuredEngines(search.engines);
    expect(team).toMatchObject({
      name: 'team',
      dialect: searchDialects.tavily,
      apiKeys: ['k1', 'k2'],
      url: null,
      headers: {},
      content: true,
      pricePerThousand: 8,
    });
    expect(custom!.dialect.buildRequest(queryFor('old lamps'), custom!, null)).toMatchObject({
      method: 'GET',
      url: 'https://s.example/?q=old%20lamps',
    });
  });

  it.each([
    ['- { type: altavista }', '.type: must be one of: searxng, brave'],
    ['- { url: "http://a.example" }', '.type: is required'],
    ['- { type: brave }', '.apiKey: is required'],
    ['- { type: searxng }', '.url: is required'],
    ['- { type: searxng, url: ftp://a.example }', '.url: must be an address that begins with'],
    ['- { type: exa, apiKey: k, link: /x }', '.link: is only for the type custom'],
    ['- { type: exa, apikey: k }', '.apikey: is not a known key; did you mean apiKey?'],
    ['- { type: exa, apiKey: "k k" }', '.apiKey: must consist of printable ASCII'],
    ['- { type: custom, url: "http://a.example/{query}" }', '.results: is required'],
    [
      '- { type: custom, url: "http://a.example/{qury}", results: /a, title: /b, link: /c }',
      '.url: has an unknown placeholder; there are {query}, {count}',
    ],
    [
      '- { type: custom, url: "http://a.example/", results: /a, title: /b, link: /c }',
      '.url: must have the placeholder {query}, or `body` must',
    ],
    [
      '- { type: custom, url: "http://a.example/", body: { q: "{query}", n: "{limit}" }, results: /a, title: /b, link: /c }',
      '.body: has an unknown placeholder',
    ],
    [
      '- { type: custom, url: "http://a.example/{query}", results: items, title: /b, link: /c }',
      '.results: must be a JSON pointer',
    ],
    ['- { type: exa, apiKey: k, headers: { X: "${NO}" } }', 'the variable NO is not set'],
  ])('refuse %s', (list, reason) => {
    expect(refused(list)).toContain(`signalbox.yaml:3: search.engines[0]`);
    expect(refused(list)).toContain(reason);
  });

  it('refuse two engines of one name, and a host that is none', () => {
    const two = '- { type: exa, apiKey: k }\n- { type: exa, apiKey: k2 }';
    expect(refused(two)).toBe(
      'signalbox.yaml:4: search.engines[1].name: is the same as an earlier one; give one of them another name',
    );
    expect(() => parse('search: { allowPrivateHosts: ["http://a.example/"] }')).toThrow(
      'search.allowPrivateHosts[0]: must be a host, or a host and a port',
    );
  });

  it('leave an engine out whose key is not set, and say so', () => {
    const { search, warnings } = engines(
      '- { type: brave, apiKey: "${B}", url: "${B_URL}" }\n- { type: exa, apiKey: "" }\n- { type: tavily, apiKey: "${T}" }',
      { T: 'k\n' },
    );
    expect(search.engines.map(({ type, apiKeys }) => [type, apiKeys])).toEqual([['tavily', ['k']]]);
    expect(warnings).toEqual([
      'search.engines[0] is not used: B is not set',
      'search.engines[1] is not used: its API key is empty',
    ]);
  });
});

describe('environment variables', () => {
  const all = {
    SEARXNG_URL: 'http://127.0.0.1:8888',
    BRAVE_API_KEY: 'b',
    TAVILY_API_KEY: ' t ',
    EXA_API_KEY: 'e',
    SERPER_API_KEY: 's',
  };

  it('turn engines on', () => {
    expect(
      parse('', all).search.engines.map(({ name, url, apiKeys }) => [name, url, ...apiKeys]),
    ).toEqual([
      ['searxng', 'http://127.0.0.1:8888'],
      ['brave', null, 'b'],
      ['tavily', null, 't'],
      ['exa', null, 'e'],
      ['serper', null, 's'],
    ]);
  });

  it('add nothing to a type that is configured, and come after what is', () => {
    const { search } = engines('- { type: exa, name: mine, apiKey: own }', {
      EXA_API_KEY: 'e',
      BRAVE_API_KEY: 'b',
    });
    expect(search.engines.map(({ name, apiKeys }) => [name, ...apiKeys])).toEqual([
      ['mine', 'own'],
      ['brave', 'b'],
    ]);
  });

  it('are refused where they cannot be used, without their value', () => {
    expect(() => parse('', { BRAVE_API_KEY: 'a b-secret' })).toThrow(
      'BRAVE_API_KEY must consist of printable ASCII characters without spaces',
    );
    expect(() => parse('', { SEARXNG_URL: 'localhost:8888' })).toThrow(
      'SEARXNG_URL must be an address that begins with http:// or https://',
    );
  });
});
