import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config/config.js';

const parse = (list: string) => parseConfig(`toolkits:\n${list}\n`, 'signalbox.yaml', {}).toolkits;

function refused(list: string): string {
  try {
    parse(list);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

const rules = {
  tools: null,
  clientApproval: [],
  optional: false,
  pricePerCall: 0,
  timeoutMs: 30_000,
  maxResultChars: 50_000,
};

describe('the settings of toolkits', () => {
  it('have defaults for each type', () => {
    expect(
      parse(`  files: { type: mcp-stdio, command: npx }
  github: { type: mcp-http, url: "https://a.example/mcp" }
  shop: { type: openapi, url: "https://a.example/o.json" }
  local: { type: functions, functions: [{ name: f, url: "https://a.example/f" }] }`),
    ).toEqual([
      {
        ...rules,
        name: 'files',
        type: 'mcp-stdio',
        command: 'npx',
        args: [],
        env: {},
        era: 'auto',
      },
      {
        ...rules,
        name: 'github',
        type: 'mcp-http',
        url: 'https://a.example/mcp',
        headers: {},
        era: 'auto',
        auth: null,
      },
      {
        ...rules,
        name: 'shop',
        type: 'openapi',
        url: 'https://a.example/o.json',
        headers: {},
        baseUrl: null,
        operations: null,
      },
      {
        ...rules,
        name: 'local',
        type: 'functions',
        headers: {},
        functions: [
          {
            name: 'f',
            description: '',
            parameters: { type: 'object', properties: {} },
            url: 'https://a.example/f',
            headers: {},
          },
        ],
      },
    ]);
  });

  it.each([
    ['  web: { type: functions, functions: [] }', 'toolkits.web: must be named with'],
    ['  a__b: { type: functions, functions: [] }', 'toolkits.a__b: must be named with'],
    ['  a: { type: mcp }', 'toolkits.a.type: must be one of: mcp-stdio, mcp-http'],
    ['  a: { type: mcp-stdio }', 'toolkits.a.command: is required'],
    ['  a: { type: mcp-http }', 'toolkits.a.url: is required'],
    ['  a: { type: functions }', 'toolkits.a.functions: is required'],
    [
      '  a: { type: mcp-stdio, command: x, url: "http://a.example" }',
      'toolkits.a.url: is only for the type mcp-http or openapi',
    ],
    [
      '  a: { type: openapi, url: "http://user:word@a.example" }',
      'toolkits.a.url: must be an address without credentials; put them into `headers`',
    ],
    [
      '  a: { type: functions, functions: [{ name: f, url: "http://a.example" }, { name: f, url: "http://a.example" }] }',
      'toolkits.a.functions[1].name: is the same name as an earlier one',
    ],
    [
      '  a: { type: mcp-stdio, command: x, era: new }',
      'toolkits.a.era: must be one of: auto, stateless, handshake',
    ],
  ])('%s is refused', (list, message) => {
    expect(refused(list)).toContain(message);
    expect(refused(list)).not.toContain('word@');
  });
});
