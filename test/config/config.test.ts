import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import {
  ConfigError,
  configPath,
  loadConfig,
  parseConfig,
  resolveConfig,
  watchConfig,
  type Config,
  type ConfigInput,
  type ConfigWatch,
} from '../../src/config/config.js';
import { defaults } from '../../src/config/fill.js';
import { readSchema, type JsonSchema } from '../../src/config/schema/compile-schema.js';
import { createGateway } from '../../src/gateway.js';
import { runs } from '../helpers/runs.js';

const packaged = new URL('../../config/signalbox.yaml', import.meta.url);
const knownApis = ['openai', 'openai-compatible', 'anthropic', 'gemini', 'bedrock'];
const parse = (text: string, env: Record<string, string> = {}) =>
  parseConfig(text, 'signalbox.yaml', env, { knownApis });
const resolve = (input: unknown, env: Record<string, string> = {}) =>
  resolveConfig(input as ConfigInput, env, { knownApis });

function refusal(make: () => Config): ConfigError {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('The configuration was accepted');
}
const refused = (text: string, env?: Record<string, string>) =>
  refusal(() => parse(text, env)).message;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'signalbox-config-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('defaults', () => {
  it('are filled in where nothing is written', () => {
    for (const config of [
      parse(''),
      parse('# nothing\n'),
      parse('listen:\nlimits:\nproviders:\n'),
      resolve(undefined),
      resolve({}),
    ]) {
      expect(config).toMatchObject({
        listen: { host: '127.0.0.1', port: 8080 },
        surfaces: {},
        dataDir: './data',
        auth: { keys: [], required: true },
        providers: {},
        models: {},
        routing: { tolerance: 0.05, order: 'ranked', auto: [] },
        metrics: { requireKey: false },
        log: { level: 'info', pretty: null },
        proxy: { forwardHeaders: [], enabled: true },
        warnings: [],
      });
      expect(config.limits).toEqual({
        maxBodyBytes: 33554432,
        maxJsonValues: 150000,
        maxBytesInProgress: null,
        maxAccountBytesInProgress: null,
        maxConcurrent: null,
        maxAccountConcurrent: null,
        maxQueueMs: 5000,
        maxLoopDelayMs: 0,
        maxRetries: 2,
        maxToolSteps: 20,
        onBrokenStream: 'fail',
        maxFetchedImages: 8,
        totalTimeoutMs: 600000,
        holdStatusMs: 10000,
        pingMs: 15000,
        requestTimeoutMs: 60000,
        headersTimeoutMs: 15000,
        maxHeaderBytes: 16384,
        maxConnections: 20000,
        clientIdleMs: 120000,
        drainDelayMs: 3000,
        drainMs: 30000,
        resumeMs: 0,
      });
    }
  });

  it('are those of the schema, and null for a setting that is absent', () => {
    const { surfaces, retention, search, ...sections } = resolve({});
    const { sessionDays, ...days } = retention;
    const written = { ...sections, retention: days, search: { ...search, timeoutMs: 10_000 } };
    expect({ surfaces, sessionDays }).toEqual({ surfaces: {}, sessionDays: 30 });
    expect(written).toEqual({
      ...schemaDefaults(readSchema('config')),
      toolkits: [],
      file: null,
      warnings: [],
    });
    const provider = (readSchema('config').$defs as Record<string, JsonSchema>).provider!;
    expect(parse('providers: { a: { api: openai } }').providers.a).toEqual({
      name: 'a',
      api: 'openai',
      apiKeys: [],
      ...schemaDefaults(provider),
    });
  });

  it('are there for each setting of a section, but for some that types name too', () => {
    const sections = Object.entries(readSchema('config').properties as Record<string, JsonSchema>);
    const without = sections.flatMap(([name, section]) =>
      Object.entries((section.properties ?? {}) as Record<string, JsonSchema>)
        .filter(([, { default: value }]) => value === undefined)
        .map(([setting]) => `${name}.${setting}`),
    );
    expect(without.filter((setting) => !/^(surfaces|mail)\./.test(setting))).toEqual([
      'retention.sessionDays',
      'routing.allow',
      'routing.deny',
      'metrics.prefix',
    ]);
  });

  it('fill in what one section leaves out', () => {
    const config = parse(
      'listen: { port: 9 }\nproviders: { a: { api: openai, timeouts: { idleMs: 5 } } }\nsurfaces: { metrics: { port: 7 } }',
      { HOST: '::' },
    );
    expect(config.listen).toEqual({ host: '::', port: 9 });
    expect(config.surfaces).toEqual({ metrics: { host: '::', port: 7 } });
    expect(config.providers.a).toEqual({
      name: 'a',
      api: 'openai',
      apiKeys: [],
      headers: {},
      cacheBreakpoints: false,
      allowProxy: true,
      listModels: true,
      maxConcurrent: null,
      timeouts: { connectMs: 10000, firstEventMs: null, idleMs: 5 },
    });
  });
});

describe('the configuration that comes with the package', () => {
  const text = readFileSync(packaged, 'utf8');
  const everything = text.replaceAll(/^( *)#(?=( {2,})?[\w"'-])/gm, '$1');
  const env = {
    OPENAI_API_KEY: 'k',
    ANTHROPIC_KEY_A: 'a',
    ANTHROPIC_KEY_B: 'b',
    AZURE_OPENAI_API_KEY: 'z',
    CI_API_KEY: 'sk_ci',
    MY_AWS_ACCESS_KEY_ID: 'i',
    MY_AWS_SECRET_ACCESS_KEY: 's',
    MY_AWS_SESSION_TOKEN: 't',
    DATABASE_PASSWORD: 'p',
    WEBHOOK_SECRET: 'webhook secret',
    SMTP_PASSWORD: 's',
    GITHUB_TOKEN: 'g',
    TICKETS_SECRET: 't',
    COLLECTOR_KEY: 'c',
  };

  it('changes nothing and has no provider', () => {
    expect({ ...parseConfig(text, 'x', {}), file: null }).toEqual(resolveConfig(undefined, {}));
  });

  it('shows every key there is, with its default where it has one', () => {
    const config = parseConfig(everything, 'x', env);
    for (const section of ['listen', 'dataDir', 'proxy'] as const)
      expect(config[section]).toEqual(defaults[section]);
    // the default of `pretty` depends on the standard output
    expect(config.log).toEqual({ ...defaults.log, pretty: false });
    // the default of two depends on Node's heap limit, and the others have none
    const { maxBytesInProgress, maxAccountBytesInProgress } = config.limits;
    const { maxConcurrent, maxAccountConcurrent } = config.limits;
    expect(config.limits).toEqual({
      ...defaults.limits,
      maxBytesInProgress,
      maxAccountBytesInProgress,
      maxConcurrent,
      maxAccountConcurrent,
    });
    expect(config.routing).toMatchObject(defaults.routing);
    expect(config.providers.claude?.timeouts).toEqual({
      connectMs: 10_000,
      firstEventMs: 60_000,
      idleMs: 120_000,
    });
    for (const key of schemaKeys(readSchema('config')))
      expect(everything, key).toMatch(new RegExp(`(^|[ {-])${key}:`, 'm'));
  });
});

describe('where the file is found', () => {
  it('is the path given, then SIGNALBOX_CONFIG, then the local one, then the one that comes with the package', () => {
    expect(configPath('a.yaml', { SIGNALBOX_CONFIG: 'b.yaml' })).toBe('a.yaml');
    expect(configPath(undefined, { SIGNALBOX_CONFIG: 'b.yaml' })).toBe('b.yaml');
    expect(configPath(undefined, { SIGNALBOX_CONFIG: '' })).toBe('config/signalbox.yaml');
    const started = process.cwd();
    // a worker of the test runner may change its folder: it is a process of its own
    process.chdir(folder);
    try {
      expect(readFileSync(configPath(undefined, {}))).toEqual(readFileSync(packaged));
    } finally {
      process.chdir(started);
    }
  });

  it('is reported when there is none', () => {
    const path = join(folder, 'absent.yaml');
    expect(refusal(() => loadConfig({ path, env: {} })).message).toBe(
      `${path}: cannot be read: no such file`,
    );
    expect(refusal(() => loadConfig({ path: folder, env: {} })).message).toBe(
      `${folder}: cannot be read: is a folder`,
    );
  });

  it('is known to the configuration', () => {
    const path = join(folder, 'a.yaml');
    writeFileSync(path, 'listen: { port: 1 }');
    expect(loadConfig({ path, env: {} })).toMatchObject({ file: path, listen: { port: 1 } });
    expect(resolve({}).file).toBeNull();
  });
});

describe('a message', () => {
  it('has the file, the line, the path and the reason', () => {
    expect(refused('listen:\n  host: localhost\n  port: high\n')).toBe(
      'signalbox.yaml:3: listen.port: must be a whole number',
    );
    expect(refused('providers:\n  a:\n    baseUrl: http://x\n')).toBe(
      'signalbox.yaml:2: providers.a.api: is required; for a server that speaks as OpenAI does, api: openai-compatible',
    );
    expect(refused('auth:\n  keys:\n    - name: a\n      key: sk_1\n    - name: b\n')).toBe(
      'signalbox.yaml:5: auth.keys[1].key: is required',
    );
    expect(refused('- a\n')).toBe('signalbox.yaml:1: must be an object');
  });

  it('finds lines through aliases', () => {
    expect(refused('providers:\n  a: &a\n    api: openai\n    connections: 0\n  b: *a\n')).toBe(
      'signalbox.yaml:4: providers.a.connections: must be between 1 and 65535\nsignalbox.yaml:4: providers.b.connections: must be between 1 and 65535',
    );
  });

  it('has a line for each of up to five problems, in their order', () => {
    const error = refusal(() =>
      parse(
        'log: { level: loud }\nlisten: { port: -1 }\nlimits:\n  pingMs: 0\n  drainMs: a\n  maxRetries: 11\n  maxBodyBytes: 1\n',
      ),
    );
    expect(error.message.split('\n')).toEqual([
      'signalbox.yaml:1: log.level: must be one of: fatal, error, warn, info, debug, trace, silent',
      'signalbox.yaml:2: listen.port: must be between 0 and 65535',
      'signalbox.yaml:4: limits.pingMs: must be between 1 and 2147483647',
      'signalbox.yaml:5: limits.drainMs: must be a whole number',
      'signalbox.yaml:6: limits.maxRetries: must be between 0 and 10',
      'and 1 more',
    ]);
    expect(error.problems).toHaveLength(6);
  });

  it('has no file for a configuration that was given as an object', () => {
    expect(refusal(() => resolve({ listen: { port: 'x' } })).message).toBe(
      'configuration: listen.port: must be a whole number',
    );
    for (const junk of [null, 5, 'text', []])
      expect(() => createGateway(junk as never)).toThrow(
        new ConfigError(null, [{ path: [], reason: 'must be an object', line: null }]),
      );
  });

  it.each([
    [
      'a key that is nearly right',
      'limits: { maxRetry: 3 }',
      'limits.maxRetry: is not a known key; did you mean maxRetries?',
    ],
    [
      'a key of another style',
      'providers: { a: { api: openai, base_url: x } }',
      'providers.a.base_url: is not a known key; did you mean baseUrl?',
    ],
    [
      'a key that begins as another one and is nearer to a third',
      'providers: { a: { api: openai, apiKy: x } }',
      'providers.a.apiKy: is not a known key; did you mean apiKey?',
    ],
    [
      'a key outside its section',
      'port: 8080',
      'port: is not a known key; did you mean listen.port?',
    ],
    [
      'a key like no other',
      'proxy: { zzz: 3 }',
      'proxy.zzz: is not a known key; the known keys are: forwardHeaders, enabled',
    ],
    [
      'no dialect where the name is one',
      'providers: { openai: { apiKey: sk-x } }',
      'providers.openai.api: is required; did you mean api: openai?',
    ],
    [
      'no dialect for a server of your own',
      'providers: { mine: { baseUrl: "http://127.0.0.1:1/v1" } }',
      'providers.mine.api: is required; for a server that speaks as OpenAI does, api: openai-compatible',
    ],
    [
      'a dialect that is nearly right',
      'providers: { a: { api: antropic } }',
      'providers.a.api: is not a known dialect; did you mean anthropic?',
    ],
    [
      'a dialect like no other',
      'providers: { a: { api: zzz } }',
      `providers.a.api: is not a known dialect; the known dialects are: ${knownApis.join(', ')}`,
    ],
    [
      'a provider with an impossible name',
      'providers: { My AI: { api: openai } }',
      'providers["My AI"]: must be named with lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit',
    ],
    ['a provider without anything', 'providers: { a: }', 'providers.a: must be an object'],
    [
      'a model without a slash',
      'models: { gpt: {} }',
      'models.gpt: must be named <provider>/<model>',
    ],
    [
      'a negative price',
      'models: { a/b: { inputPrice: -1 } }',
      'models["a/b"].inputPrice: must be at least 0',
    ],
    [
      'a quality over 1',
      'models: { a/b: { quality: 2 } }',
      'models["a/b"].quality: must be between 0 and 1',
    ],
    [
      'an address of another kind',
      'providers: { a: { api: openai, baseUrl: "ftp://x" } }',
      'providers.a.baseUrl: must be an address that begins with http:// or https://',
    ],
    [
      'a header with a line break',
      'providers: { a: { api: openai, headers: { x: "a\\nb" } } }',
      'providers.a.headers.x: must not hold line breaks or other control characters',
    ],
    [
      'an impossible header',
      'providers: { a: { api: openai, headers: { "a b": c } } }',
      'providers.a.headers["a b"]: must be the name of an HTTP header',
    ],
    [
      'a key that is a number',
      'providers: { a: { api: openai, apiKey: 12345 } }',
      'providers.a.apiKey: must be a string',
    ],
  ])('explains %s', (_, text, message) =>
    expect(refused(text)).toBe(`signalbox.yaml:1: ${message}`),
  );

  it.each([
    ['a key written twice', 'listen: {}\nlisten: {}\n', ':2: the key is defined twice'],
    ['a tab', 'listen:\n\tport: 1\n', ':2: a tab cannot be used for indentation'],
    ['a missing bracket', 'listen: { port: 1\n', ':2: '],
    ['an unknown alias', 'a: *b\n', ':1: an alias names an anchor that is not defined before it'],
    [
      'two documents',
      'a: 1\n---\nb: 1\n',
      ':2: the file must hold one document; remove the line with ---',
    ],
    ['an unknown tag', 'dataDir: !secret x\n', ':1: a tag is unknown'],
  ])('explains YAML with %s', (_, text, part) =>
    expect(refused(text)).toContain(`signalbox.yaml${part}`),
  );
});

describe('YAML', () => {
  it('may repeat a part by anchor, alias and merge key', () => {
    const config = parse(
      'providers:\n  a: &a { api: openai, connections: 3 }\n  b: { <<: *a, connections: 4 }\n  c: *a\n',
    );
    expect(
      Object.values(config.providers).map(({ api, connections }) => [api, connections]),
    ).toEqual([
      ['openai', 3],
      ['openai', 4],
      ['openai', 3],
    ]);
  });

  it('cannot exhaust the process with aliases, nesting or size', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...'bcdefgh'
        .split('')
        .map(
          (name, index) =>
            `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]`,
        ),
    ];
    expect(refused(bomb.join('\n'))).toBe('signalbox.yaml: has too many aliases');
    expect(refused('['.repeat(50_000))).toContain('signalbox.yaml');
    expect(refused(`models: ${'{ a: '.repeat(50)}1${' }'.repeat(50)}`)).toContain(
      'is nested too deeply',
    );
    expect(refused(`# ${'x'.repeat(1 << 20)}`)).toBe('signalbox.yaml: is larger than 1 MiB');
  });
});

describe('variables', () => {
  const text = 'dataDir: "${DIR:-/var/${NAME}}"';

  it('are put into every text, with their defaults', () => {
    const env = { HOME_DIR: '/h', REGION: 'eu' };
    const config = parse(
      'dataDir: "${HOME_DIR}/data/${STAGE:-dev}"\nrouting: { auto: ["a/${REGION}", "${NONE:-}b/c"] }\nproviders: { a: { api: "${API:-openai}", headers: { x: "${REGION}" } } }',
      env,
    );
    expect(config.dataDir).toBe('/h/data/dev');
    expect(config.routing.auto).toEqual(['a/eu', 'b/c']);
    expect(config.providers.a).toMatchObject({ api: 'openai', headers: { x: 'eu' } });
  });

  it('count as unset when they are empty', () => {
    expect(parse('dataDir: "${DIR:-d}"', { DIR: '' }).dataDir).toBe('d');
    expect(parse('dataDir: "${DIR:-d}"', { DIR: '  ' }).dataDir).toBe('d');
    expect(
      parse('', { PORT: '', HOST: '', SIGNALBOX_DATA_DIR: '', SIGNALBOX_API_KEY: '' }),
    ).toEqual(parse(''));
  });

  it('become numbers and booleans where they are the whole of one', () => {
    const env = { P: '9000', YES: 'true', PRICE: '0.15', KEY: '12345', L: '{}' };
    const config = parse(
      'listen: { port: "${P}" }\nlog: { pretty: "${YES}" }\nmodels: { a/b: { inputPrice: "${PRICE}", tools: "${NO:-false}" } }\nproviders: { a: { api: openai, apiKey: "${KEY}" } }',
      env,
    );
    expect(config).toMatchObject({
      listen: { port: 9000 },
      log: { pretty: true },
      models: { 'a/b': { inputPrice: 0.15, tools: false } },
    });
    expect(config.providers.a?.apiKeys).toEqual(['12345']);
    expect(refused('listen: { port: "1${P}" }', env)).toContain(
      'listen.port: must be a whole number',
    );
    expect(refused('listen: "${L}"', env)).toContain('listen: must be an object');
    expect(refused('listen: { port: "9000" }', env)).toContain(
      'listen.port: must be a whole number',
    );
  });

  it('are not looked for in what they hold, nor where $${ stands', () => {
    expect(parse('dataDir: "${A}"', { A: '${B}', B: 'no' }).dataDir).toBe('${B}');
    expect(parse('dataDir: "$${A}-${B}"', { A: 'no', B: 'b' }).dataDir).toBe('${A}-b');
    expect(parse('dataDir: "a$b {c}"').dataDir).toBe('a$b {c}');
  });

  it('stop the start where they are unset and have no default', () => {
    expect(refused('log: {}\ndataDir: "${MY_DIR}"')).toBe(
      'signalbox.yaml:2: dataDir: the variable MY_DIR is not set (${MY_DIR:-…} would set a default)',
    );
    expect(refused('routing:\n  auto:\n    - a/b\n    - "${MODEL}"')).toContain(
      'signalbox.yaml:4: routing.auto[1]: the variable MODEL is not set',
    );
  });

  it('must be written as variables are', () => {
    expect(refused('dataDir: "${not a name}"')).toContain(
      'dataDir: has a ${…} that is neither ${NAME} nor ${NAME:-default}',
    );
    expect(refused('dataDir: "${OPEN"')).toContain('dataDir: has a ${ without its }');
    expect(refused(text, { NAME: 'x' })).toContain('dataDir: has a ${ without its }');
  });

  it('do not come from the prototype of the environment', () => {
    expect(refused('dataDir: "${constructor}"')).toContain('the variable constructor is not set');
  });

  it('work in an object too', () => {
    expect(
      resolve({ providers: { a: { api: 'openai', apiKey: '${K}' } } }, { K: 'k' }).providers.a
        ?.apiKeys,
    ).toEqual(['k']);
  });
});

describe("a provider's keys", () => {
  it('are those of apiKey and apiKeys, trimmed, without blanks and repetitions', () => {
    const config = parse(
      'providers: { a: { api: openai, apiKey: "${A}", apiKeys: ["${B}", "${C}", "k1", ""] } }',
      { A: 'k1\n', B: ' k2 ' },
    );
    expect(config.providers.a).toMatchObject({ apiKeys: ['k1', 'k2'] });
    expect(config.providers.a).not.toHaveProperty('apiKey');
    expect(config.warnings).toEqual([]);
  });

  it('leave the provider out, with a warning, when none of them is set', () => {
    const config = parse(
      'providers:\n  a: { api: openai, apiKey: "${A}", baseUrl: "${A_URL}" }\n  b: { api: openai, apiKeys: ["${B}", "${C}"] }\n  c: { api: openai, apiKey: "" }\n  d: { api: openai }\n',
      { B: '' },
    );
    expect(Object.keys(config.providers)).toEqual(['d']);
    expect(config.warnings).toEqual([
      'providers.a is not used: A is not set',
      'providers.b is not used: B, C are not set',
      'providers.c is not used: its API key is empty',
    ]);
  });

  it('do not excuse what else is wrong with a provider that is left out', () => {
    expect(refused('providers: { a: { api: opnai, apiKey: "${A}" } }')).toContain(
      'did you mean openai?',
    );
  });

  it('must fit into a header', () => {
    expect(refused('providers: { a: { api: openai, apiKey: "${A}" } }', { A: 'a\nb' })).toContain(
      'providers.a.apiKey: must consist of printable ASCII',
    );
  });

  it('are required of nothing else: other unset variables of a provider stop the start', () => {
    expect(refused('providers: { a: { api: bedrock, accessKeyId: "${ID}" } }')).toContain(
      'providers.a.accessKeyId: the variable ID is not set',
    );
  });
});

describe('fixed keys', () => {
  it('stop the start when they are empty', () => {
    expect(refused('auth:\n  keys:\n    - name: ci\n      key: "${CI}"\n', { CI: '' })).toBe(
      'signalbox.yaml:4: auth.keys[0].key: is empty: the variable CI is not set, and an empty key never authenticates',
    );
    for (const key of ['""', '"  "', '"${CI:-}"'])
      expect(refused(`auth: { keys: [{ name: ci, key: ${key} }] }`)).toContain(
        'auth.keys[0].key: must not be empty',
      );
    expect(refused('auth: { keys: [{ name: ci, key: }] }')).toContain(
      'auth.keys[0].key: is required',
    );
  });

  it('are joined by SIGNALBOX_API_KEY under the name env, unless it stands there already', () => {
    const env = { SIGNALBOX_API_KEY: 'sk_env\n' };
    expect(parse('', env).auth.keys).toEqual([{ name: 'env', key: 'sk_env' }]);
    expect(
      parse('auth: { keys: [{ name: ci, key: "${SIGNALBOX_API_KEY}" }] }', env).auth.keys,
    ).toEqual([{ name: 'ci', key: 'sk_env' }]);
    expect(refused('auth: { keys: [{ name: env, key: sk_other }] }', env)).toContain(
      'the name env is taken',
    );
  });

  it('mail no alerts without a mail server', () => {
    expect(refused('alerts: { mail: [ops@example.org] }')).toContain(
      'alerts.mail: needs the section mail, which names the mail server',
    );
    const mail = 'mail: { url: "smtp://mail.example.org", from: gateway@example.org }';
    expect(parse(`${mail}\nalerts: { mail: [ops@example.org] }`).alerts?.mail).toHaveLength(1);
  });

  it('have names and keys of their own, and what they may use', () => {
    expect(
      parse('auth: { keys: [{ name: a, key: sk_a, models: ["openai/*"] }], required: true }').auth
        .keys,
    ).toEqual([{ name: 'a', key: 'sk_a', models: ['openai/*'] }]);
    expect(refused('auth: { keys: [{ name: a, key: sk_a }, { name: a, key: sk_b }] }')).toContain(
      'auth.keys[1].name: is the same name as an earlier one',
    );
    expect(refused('auth: { keys: [{ name: a, key: sk_a }, { name: b, key: sk_a }] }')).toContain(
      'auth.keys[1].key: is the same key as an earlier one',
    );
  });

  it('are warned of when clients may refuse them, and so is an open gateway', () => {
    expect(parse('auth: { keys: [{ name: a, key: other }] }').warnings).toEqual([
      'auth: the key named a does not begin with sk_; some clients refuse such keys',
    ]);
    expect(parse('auth: { required: false }', { HOST: '0.0.0.0' }).warnings).toEqual([
      'auth.required is false: everyone who can reach 0.0.0.0 can use every provider',
    ]);
    expect(parse('auth: { required: false }').warnings).toEqual([]);
  });
});

describe('the environment', () => {
  it('overrides the address and the data folder', () => {
    const config = parse('listen: { host: 10.0.0.1, port: 1 }\ndataDir: a', {
      PORT: '0',
      HOST: '0.0.0.0',
      SIGNALBOX_DATA_DIR: '/d',
    });
    expect(config).toMatchObject({ listen: { host: '0.0.0.0', port: 0 }, dataDir: '/d' });
  });

  it.each(['http', '70000', '-1', '1.5', '0x10'])('is refused when PORT is %s', (PORT) => {
    expect(refused('', { PORT })).toBe(
      'the environment variable PORT must be a whole number between 0 and 65535',
    );
  });
});

describe('what is configured', () => {
  it('is found by its own names only', () => {
    const config = parse('providers: { a: { api: openai } }');
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(config.providers[name]).toBeUndefined();
      expect(config.models[name]).toBeUndefined();
    }
    expect(Object.keys(parse('providers: { constructor: { api: openai } }').providers)).toEqual([
      'constructor',
    ]);
  });

  it('has header names in lower case', () => {
    expect(parse('proxy: { forwardHeaders: [X-Forwarded-For] }').proxy).toEqual({
      forwardHeaders: ['x-forwarded-for'],
      enabled: true,
    });
  });

  it('shares nothing with the object that it was made of', () => {
    const input = { routing: { auto: ['a/b'] } };
    const config = resolve(input);
    input.routing.auto.push('c/d');
    expect(config.routing.auto).toEqual(['a/b']);
  });
});

describe('random junk', () => {
  const onlyConfigErrors = (make: () => Config) => {
    try {
      make();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.message.length).toBeLessThan(5_000);
    }
  };
  const sections = Object.keys(readSchema('config').properties as object);
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withNullPrototype: true,
    withSparseArray: true,
  });

  it('given as text, gives a configuration or a ConfigError', () => {
    const yaml = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom(
          'a',
          ':',
          '-',
          '{',
          '}',
          '[',
          ']',
          '"',
          "'",
          '&',
          '*',
          '!',
          '|',
          '>',
          '#',
          '%',
          ' ',
          '\n',
          '\t',
          ',',
          '?',
          '$',
        ),
        maxLength: 60,
      }),
      fc.jsonValue().map((value) => stringify(value)),
    );
    fc.assert(
      fc.property(yaml, (text) => onlyConfigErrors(() => parse(text))),
      { numRuns: runs(1500) },
    );
  });

  it('given as an object, gives a configuration or a ConfigError', () => {
    fc.assert(
      fc.property(anything, (value) => onlyConfigErrors(() => resolve(value))),
      { numRuns: runs(1000) },
    );
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(...sections, '__proto__'),
          fc.oneof(anything, fc.dictionary(fc.string(), anything)),
        ),
        (value) => onlyConfigErrors(() => resolve(value)),
      ),
      { numRuns: runs(1000) },
    );
    const cycle: Record<string, unknown> = {};
    cycle.listen = cycle;
    cycle.models = [cycle, cycle, cycle];
    expect(refusal(() => resolve(cycle)).message).toContain('is nested too deeply');
  });

  it('never brings a secret into a message', () => {
    const secret = 'sk-S3cretS3cret';
    expect(refusal(() => parse(`aliases: { a: ${secret} }`)).message).not.toContain('S3cret');
    const where = fc.constantFrom(
      'listen',
      'port',
      'apiKey',
      'api',
      'baseUrl',
      'auth',
      'keys',
      'key',
      'name',
      'models',
      'headers',
      'level',
      'x',
    );
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constant(secret),
        fc.constant(`\${X}${secret}`),
        fc.constant('${SECRET}'),
        fc.array(tie('node'), { maxLength: 2 }),
        fc.dictionary(fc.oneof(where, fc.constantFrom(...sections)), tie('node')),
      ),
    })).node;
    const text = fc
      .tuple(
        value,
        fc.nat(),
        fc.constantFrom('', ' ', ':', '"', '*', '{', '!', '\n', '\t', '%', '`'),
      )
      .map(([written, at, noise]) => {
        const yaml = stringify(written);
        const cut = at % (yaml.length + 1);
        return yaml.slice(0, cut) + noise + yaml.slice(cut);
      });
    const innocent = (make: () => Config) => {
      try {
        expect(make().warnings.join('\n')).not.toContain('S3cret');
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        expect(error.message).not.toContain('S3cret');
      }
    };
    fc.assert(
      fc.property(value, (written) => innocent(() => resolve(written, { SECRET: secret }))),
      { numRuns: runs(1000) },
    );
    fc.assert(
      fc.property(text, (yaml) => innocent(() => parse(yaml, { SECRET: secret }))),
      { numRuns: runs(2000) },
    );
    for (const slip of [
      `providers: { a: { api: openai, ${secret} } }`,
      `providers:\n  a:\n    api: openai\n    apiKey:${secret}\n`,
      `providers:\n  a:\n    apiKey:${secret}\n    api: openai\n`,
      `auth: *${secret}`,
      `auth: !${secret} x`,
      `auth: "\\q${secret}"`,
    ]) {
      expect(refused(slip)).not.toContain('S3cret');
    }
  });
});

describe('a watched file', () => {
  const good = (port: number) => `listen: { port: ${port} }\n`;
  let watching: ConfigWatch | undefined;
  afterEach(() => watching?.close());

  /** What is reported, one after the other: a port or a message. */
  function watched(path: string): {
    next: () => Promise<number | string>;
    seen: (number | string)[];
  } {
    const seen: (number | string)[] = [];
    let wake: () => void = () => undefined;
    let read = 0;
    const report = (outcome: number | string) => {
      seen.push(outcome);
      wake();
    };
    watching = watchConfig(
      path,
      {},
      ({ listen }) => report(listen.port),
      ({ message }) => report(message),
      { debounceMs: 20 },
    );
    return {
      seen,
      async next() {
        while (seen.length <= read) await new Promise<void>((done) => void (wake = done));
        return seen[read++]!;
      },
    };
  }

  it('is reported when it is written, wrong ones as errors while the old one stays', async () => {
    const path = join(folder, 'signalbox.yaml');
    writeFileSync(path, good(1));
    const { next, seen } = watched(path);
    writeFileSync(path, good(2));
    expect(await next()).toBe(2);
    writeFileSync(path, 'listen:\n  port: x\n');
    expect(await next()).toBe(`${path}:2: listen.port: must be a whole number`);
    writeFileSync(path, good(3));
    expect(await next()).toBe(3);
    expect(seen).toHaveLength(3);
  });

  it('is reported when an editor puts a new file in its place', async () => {
    const path = join(folder, 'signalbox.yaml');
    writeFileSync(path, good(1));
    const { next } = watched(path);
    for (const port of [2, 3, 4]) {
      writeFileSync(`${path}~`, good(port));
      renameSync(`${path}~`, path);
      expect(await next()).toBe(port);
    }
    unlinkSync(path);
    expect(await next()).toBe(`${path}: cannot be read: no such file`);
    writeFileSync(path, good(5));
    expect(await next()).toBe(5);
  });

  it('is reported when Kubernetes swaps the link to its folder', async () => {
    const put = (name: string, port: number) => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'signalbox.yaml'), good(port));
      symlinkSync(name, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    put('..1', 1);
    const path = join(folder, 'signalbox.yaml');
    symlinkSync(join('..data', 'signalbox.yaml'), path);
    const { next } = watched(path);
    for (const port of [2, 3, 4]) {
      put(`..${port}`, port);
      rmSync(join(folder, `..${port - 1}`), { recursive: true });
      expect(await next()).toBe(port);
    }
  });

  it('is reported when it is a link and the file behind it is written', async () => {
    const behind = join(folder, 'behind');
    mkdirSync(behind);
    mkdirSync(join(folder, 'front'));
    const path = join(folder, 'front', 'signalbox.yaml');
    writeFileSync(join(behind, 'real.yaml'), good(1));
    symlinkSync(join(behind, 'real.yaml'), path);
    const { next } = watched(path);
    writeFileSync(join(behind, 'real.yaml'), good(2));
    expect(await next()).toBe(2);
  });

  it(
    'is reported although its neighbours are written all the time',
    { timeout: 5_000 },
    async () => {
      const path = join(folder, 'signalbox.yaml');
      writeFileSync(path, good(1));
      const { next } = watched(path);
      let lines = 0;
      const log = setInterval(() => writeFileSync(join(folder, 'requests.log'), `${++lines}`), 5);
      try {
        writeFileSync(path, good(2));
        expect(await next()).toBe(2);
      } finally {
        clearInterval(log);
      }
    },
  );

  it('is not reported for the same content, nor for its neighbours', async () => {
    const path = join(folder, 'signalbox.yaml');
    writeFileSync(path, good(1));
    const { next, seen } = watched(path);
    writeFileSync(path, good(1));
    writeFileSync(join(folder, 'other.yaml'), good(9));
    await new Promise((done) => setTimeout(done, 80));
    writeFileSync(path, good(2));
    expect(await next()).toBe(2);
    expect(seen).toEqual([2]);
  });

  it('is reported on demand, changed or not, and not at all once closed', async () => {
    const path = join(folder, 'signalbox.yaml');
    writeFileSync(path, good(1));
    const { seen } = watched(path);
    watching!.reload();
    expect(seen).toEqual([1]);
    watching!.close();
    writeFileSync(path, good(2));
    await new Promise((done) => setTimeout(done, 60));
    expect(seen).toEqual([1]);
  });
});

function schemaDefaults(schema: JsonSchema): object | undefined {
  if ('default' in schema || !('properties' in schema)) return schema.default as object;
  const found = Object.entries(schema.properties as Record<string, JsonSchema>).map(
    ([key, child]) => [key, schemaDefaults(child)] as const,
  );
  const filled = found.filter(([, value]) => value !== undefined);
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

function schemaKeys(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(schemaKeys)];
}
