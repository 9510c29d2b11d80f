import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dashboardPages } from '../src/http/dashboard/dashboard.js';
import { dialects } from '../src/providers/index.js';

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?[tj]s$/.test(file))
    .sort();
const read = (file: string): string => readFileSync(file, 'utf8');
const withoutComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\s\/\/ .*$/gm, '');
/** The dashboard is a program of its own, for browsers. */
const isDashboard = (file: string): boolean => file.startsWith('dashboard/');
const sourceFiles = filesIn('src').filter((file) => !isDashboard(file));
const sources = sourceFiles.map((file) => ({
  file,
  text: read(join('src', file)),
  code: withoutComments(read(join('src', file))),
}));

interface Import {
  from: string;
  /** A file of `src`, or a package. */
  to: string;
  own: boolean;
}
/** The file of `src` that a relative import names. */
const targetOf = (file: string, target: string): string =>
  normalize(join(dirname(file), target)).replace(/\.js$/, '.ts');
const importsIn = (file: string, code: string): Import[] =>
  [...code.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)'|import\('([^']+)'\)/gm)].map(
    ([, still, lazy]) => {
      const target = still ?? lazy ?? '';
      const own = target.startsWith('.');
      return {
        from: file,
        to: own ? targetOf(file, target) : target.replace(/^(@[^/]+\/)?([^/]+).*$/, '$1$2'),
        own,
      };
    },
  );
const imports = sources
  .flatMap(({ file, code }) => importsIn(file, code))
  .filter(({ to }) => !to.startsWith('node:'));

/** The store's contracts and what is built on them; never statements, drivers or counters. */
const storeContracts = 'store\\/([\\w-]+|contracts\\/[\\w-]+)';

/** What a folder may import from outside itself. A folder that is not named here is not limited. */
const mayImport: Record<string, RegExp> = {
  'async/': /^errors\.ts$/,
  // facts about models: nothing of choosing
  'models/': /^(completion|errors|package-files)\.ts$/,
  'chooser/': new RegExp(
    `^(completion|errors|package-files|surface-labels|text/(content-text|is-object|json-values|words)|async/[\\w-]+|models/[\\w-]+|${storeContracts})\\.ts$`,
  ),
  'providers/':
    /^(completion(-builder)?|errors|legacy-functions|async\/turns|text\/(exact-json|is-object|json-size|valid-utf8)|chooser\/plan)\.ts$/,
  'dispatch/':
    /^(completion|custom-tools|errors|legacy-functions|text\/(json-values|valid-utf8)|async\/[\w-]+|models\/[\w-]+|chooser\/plan|providers\/(adapter|asked-effort|failure|has-content|image-type)|store\/contracts\/counters)\.ts$/,
  // the names of the dialects are a type without code
  'config/': /^(errors|package-files|text\/(is-object|parse-url)|providers\/dialect-names)\.ts$/,
  'store/':
    /^(errors|package-files|surface-labels|text\/(exact-json|parse-url)|async\/[\w-]+)\.ts$/,
  'accounts/': new RegExp(`^(errors|async/[\\w-]+|${storeContracts})\\.ts$`),
  'conversations/': new RegExp(
    `^(completion|errors|row-id|text/(content-text|exact-json)|async/[\\w-]+|providers/adapter|accounts/signed-ids|dispatch/[\\w-]+|grounding/source|chooser/plan|${storeContracts})\\.ts$`,
  ),
  'telemetry/': new RegExp(
    `^(completion|errors|row-id|surface-labels|async/[\\w-]+|accounts/(caller|caller-limits)|dispatch/execute-plan|chooser/(explain-plan|plan)|models/[\\w-]+|${storeContracts})\\.ts$`,
  ),
  // a search calls engines as dispatch calls providers
  'grounding/search/':
    /^(errors|version|async\/[\w-]+|config\/search-config|text\/(cut-text|decode-entities|is-object|json-values|parse-url)|providers\/(adapter|failure)|dispatch\/(breaker|key-ring|network-failure|secrets)|models\/tokens)\.ts$/,
  // an external tool is known by its settings, and asked with nothing of the request but arguments;
  // what a server names is asked by the rules for pages
  'grounding/toolkits/':
    /^(completion|errors|version|async\/[\w-]+|config\/toolkit-config|dispatch\/secrets|grounding\/(tools\/gateway-tool|reading\/(readable-url|reading-clock|web-request))|models\/access-rules|text\/(cut-text|is-object|json-values|mend-schema|parse-url))\.ts$/,
  // turns text into text: it reads nothing by itself
  'grounding/citations/':
    /^(async\/turns|text\/(cut-text|decode-entities|parse-url|words)|grounding\/(source|search\/canonical-url))\.ts$/,
  // one request without Express: nothing of the edge, no concrete dialect, no database
  'pipeline/': new RegExp(
    `^(?!http/|cli/|gateway|providers/(?!adapter|asked-effort|unpriced-fields|model-type|index)|store/(sql|drivers|counters)/)`,
  ),
  // operations as values, for HTTP and for a host's own code: nothing of either
  'api/': /^(?!http\/|cli\/|gateway|providers\/(?!adapter\.ts$)|store\/(sql|drivers|counters)\/)/,
  // reads strangers' pages: nothing of keys, prompts or the database is in reach
  'grounding/reading/':
    /^(package-files|version|async\/[\w-]+|text\/(cut-text|is-object|parse-url)|grounding\/search\/published-at)\.ts$/,
  // orchestration alone: models and the web are given to it
  'grounding/research/':
    /^(completion|errors|async\/[\w-]+|models\/tokens|text\/(content-text|is-object|json-values|parse-url)|grounding\/(reading\/page-reader|search\/(canonical-url|search-engine|passages\/[\w-]+)))\.ts$/,
  // no concrete provider, ranker or driver, and nothing of how the parts are put together
  'http/':
    /^(?!providers\/(?!(adapter|image-type|passthrough-headers)\.ts$)|chooser\/rankers\/|store\/(sql|drivers|counters)\/|pipeline\/engine\/build-snapshot|(gateway|cli)(\.ts$|\/))/,
};

/** Who may import a dependency. */
const importers: Record<string, RegExp> = {
  express: /^(http\/|gateway(-options)?\.ts$)/,
  helmet: /^http\//,
  cookie: /^http\/sign-in-cookie\.ts$/,
  '@fastify/busboy': /^http\/training\/read-form\.ts$/,
  'ipaddr.js':
    /^(http\/client-address|config\/local-hosts|grounding\/reading\/public-address)\.ts$/,
  'fastest-levenshtein': /^config\/closest\.ts$/,
  'http-proxy-middleware': /^http\/passthrough\/proxy-stage\.ts$/,
  ajv: /^(config\/schema\/|grounding\/toolkits\/check-arguments\.ts$)/,
  'ajv-formats': /^config\/schema\//,
  'prom-client': /^telemetry\/metrics\//,
  'p-limit': /^(conversations|chooser|dispatch|grounding|http)\//,
  // in a thread
  zstddec: /^http\/bodies\/zstd\/worker\.js$/,
  'p-retry': /^dispatch\//,
  undici: /^(dispatch|grounding)\//,
  // loaded when tracing is configured: `test/telemetry/traces.test.ts`
  '@opentelemetry/api': /^telemetry\/traces\//,
  '@opentelemetry/core': /^telemetry\/traces\//,
  '@opentelemetry/exporter-trace-otlp-http': /^telemetry\/traces\//,
  '@opentelemetry/resources': /^telemetry\/traces\//,
  '@opentelemetry/sdk-trace-base': /^telemetry\/traces\//,
  pino: /^telemetry\/log\.ts$|^cli\/serve\//,
  yaml: /^config\//,
  commander: /^cli\//,
  'csv-parse': /^chooser\/training\//,
  'lru-cache': /^(accounts|http|models|chooser|store|conversations|grounding|telemetry)\//,
  // at its first use: `test/grounding/toolkits/lazy-client.test.ts`
  '@modelcontextprotocol/client': /^grounding\/toolkits\/mcp\//,
  '@modelcontextprotocol/server': /^(cli|http)\/mcp\//,
  // in threads: `test/grounding/reading/lazy-parsers.test.ts`
  htmlparser2: /^grounding\/reading\/extraction\//,
  linkedom: /^grounding\/reading\/extraction\/html-text\.ts$/,
  '@mozilla/readability': /^grounding\/reading\/extraction\/html-text\.ts$/,
  unpdf: /^grounding\/reading\/extraction\/pdf-text\.ts$/,
  kysely: /^store\//,
  pg: /^store\/drivers\/postgres\//,
  libsql: /^store\/drivers\/libsql\//,
  '@redis/client': /^store\/counters\/redis/,
  '@node-rs/argon2': /^accounts\//,
  nodemailer: /^accounts\//,
  '@pydantic/genai-prices': /^models\//,
  aws4fetch: /^providers\/bedrock\//,
  '@smithy/eventstream-codec': /^providers\/bedrock\//,
  'eventsource-parser': /^providers\/sse-reader\.ts$/,
};

const plain = (file: string): string => file.replace(/\.\w+$/, '');

/** What stays of imports when those that lead nowhere or come from nowhere are left out. */
function inCircles(all: { from: string; to: string }[]): { from: string; to: string }[] {
  const importing = new Set(all.map(({ from }) => from));
  const imported = new Set(all.map(({ to }) => to));
  const left = all.filter(({ from, to }) => importing.has(to) && imported.has(from));
  return left.length === all.length ? left : inCircles(left);
}

interface SizedFile {
  file: string;
  lines: number;
}

/** Folders of parallel things: a small file of theirs stays a file. */
const rows = [
  'src/api',
  'src/chooser/rankers',
  'src/grounding/search/engines',
  'src/http/openapi',
  'src/http/surfaces',
];
const maxFilesInFolder = 30;
const maxLinesOfSmallFile = 40;

/**
 * Small files that one file of their own folder imports: they belong in it. Logic beside a component
 * does not, because tests read it without markup.
 */
function toMerge(
  files: readonly SizedFile[],
  all: readonly { from: string; to: string }[],
): string[] {
  const small = files.filter(
    ({ file, lines }) => lines <= maxLinesOfSmallFile && !rows.includes(dirname(file)),
  );
  return small.flatMap(({ file }) => {
    const by = new Set(all.filter(({ to }) => plain(to) === plain(file)).map(({ from }) => from));
    const [only = ''] = by;
    const isBeside = dirname(only) === dirname(file) && extname(only) === extname(file);
    return by.size === 1 && isBeside ? [`${file} belongs in ${only}`] : [];
  });
}

/** Folders with more files than a reader takes in at a glance. */
function tooWide(files: readonly SizedFile[]): string[] {
  const folders = files.map(({ file }) => dirname(file));
  return [...new Set(folders)].filter(
    (folder) => folders.filter((one) => one === folder).length > maxFilesInFolder,
  );
}

describe('the files of src', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(m?ts|tsx)$/.test(file))
    .map((file) => join('src', file));
  const sized = files.map((file) => ({ file, lines: read(file).split('\n').length - 1 }));

  it('are at most 30 in a flat folder', () => {
    expect(tooWide(sized)).toEqual([]);
    const wide = Array.from({ length: 31 }, (_, index) => ({ file: `a/${index}.ts`, lines: 50 }));
    expect(tooWide(wide)).toEqual(['a']);
    expect(tooWide(wide.slice(1))).toEqual([]);
  });

  it('of at most 40 lines are merged into the only importer in their folder', () => {
    const all = files.flatMap((file) => importsIn(file, withoutComments(read(file))));
    expect(toMerge(sized, all)).toEqual([]);
  });

  it('of at most 40 lines stay where they are parallel, shared, or logic of a component', () => {
    const small = ['a/small.ts', 'a/logic.ts', 'a/shared.ts', `${rows[0]}/1.ts`, 'b/far.ts'];
    const made = [
      ...small.map((file) => ({ file, lines: 40 })),
      { file: 'a/large.ts', lines: 41 },
      { file: 'a/index.ts', lines: 90 },
    ];
    const imported = [
      ...made.map(({ file }) => ({ from: 'a/index.ts', to: file })),
      { from: 'b/other.ts', to: 'a/shared.ts' },
    ].filter(({ to }) => to !== 'a/index.ts' && to !== 'a/logic.ts');
    const logic = { from: 'a/view.tsx', to: 'a/logic.ts' };
    const row = { from: `${rows[0]}/index.ts`, to: `${rows[0]}/1.ts` };
    const own = imported.filter(({ to }) => to !== row.to);
    expect(toMerge(made, [...own, logic, row])).toEqual(['a/small.ts belongs in a/index.ts']);
  });
});

describe('the imports', () => {
  it.each(Object.entries(mayImport))(
    'of %s keep to what the folder may know',
    (folder, allowed) => {
      const wrong = imports.filter(
        ({ from, to, own }) =>
          own && from.startsWith(folder) && !to.startsWith(folder) && !allowed.test(to),
      );
      expect(wrong).toEqual([]);
    },
  );

  const doors = /^chooser\/(plan|make-plan|explain-plan|chooser)\.ts$/;

  it('of the chooser come through its door', () => {
    const around = imports.filter(
      ({ from, to, own }) =>
        own && to.startsWith('chooser/') && !from.startsWith('chooser/') && !doors.test(to),
    );
    expect(around).toEqual([]);
    const names = sources
      .filter(({ file }) => !file.startsWith('chooser/'))
      .flatMap(({ file, code }) =>
        [...code.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/gm)]
          .filter(([, , target = '']) => doors.test(targetOf(file, target)))
          .flatMap(([, list = '']) => list.split(','))
          .map((name) => name.trim().replace(/^type /, ''))
          .filter((name) => name !== ''),
      );
    const different = [...new Set(names)];
    expect(different).toContain('makePlan');
    expect(different.length).toBeLessThanOrEqual(25);
  });

  it('go in no circle, nor do those of types, in the tests and in the dashboard', () => {
    const files = ['src', 'test'].flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => join(root, file)),
    );
    const all = files
      .filter((file) => /\.(m?[tj]s|tsx)$/.test(file))
      .flatMap((file) => importsIn(file, withoutComments(read(file))))
      .filter(({ own }) => own)
      .map(({ from, to }) => ({ from: plain(from), to: plain(to) }));
    expect(all.length).toBeGreaterThan(3_000);
    expect(inCircles(all)).toEqual([]);
    const circle = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ];
    expect(inCircles([...circle, { from: 'b', to: 'c' }])).toEqual(circle);
  });

  it('of concrete providers are in gateway.ts alone', () => {
    const wired = imports.filter(
      ({ from, to, own }) => own && to === 'providers/index.ts' && !from.startsWith('providers/'),
    );
    expect([...new Set(wired.map(({ from }) => from))]).toEqual(['gateway.ts']);
  });

  it('of a dependency stand in one place', () => {
    expect(imports.filter(({ from, to, own }) => !own && !importers[to]?.test(from))).toEqual([]);
  });

  it('are, among others, those that the gateway is to be built on', () => {
    const asked = ['express', 'http-proxy-middleware', 'ajv', 'p-retry', 'prom-client'];
    expect(asked.filter((name) => !imports.some(({ to }) => to.split('/')[0] === name))).toEqual(
      [],
    );
  });

  it('are the dependencies that the package names, all of them', () => {
    const { dependencies } = JSON.parse(read('package.json')) as {
      dependencies: Record<string, string>;
    };
    expect([...new Set(imports.filter(({ own }) => !own).map(({ to }) => to))].sort()).toEqual(
      Object.keys(dependencies)
        .filter((name) => !name.startsWith('@types/'))
        .sort(),
    );
  });
});

describe('the dashboard', () => {
  const files = readdirSync('src/dashboard', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );

  it('knows the gateway by its HTTP API alone', () => {
    const outside = files.flatMap((file) =>
      [...read(join('src/dashboard', file)).matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)]
        .map(([, still, lazy]) => normalize(join(dirname(file), still ?? lazy ?? '')))
        .filter((target) => target.startsWith('..'))
        .map((target) => `${file}: ${target}`),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(outside).toEqual([]);
  });

  it('puts no HTML into the page as text, and stores nothing in the browser but drafts in a tab and saved views', () => {
    const forbidden =
      /dangerouslySetInnerHTML|innerHTML|LocalStorage|localStorage|[sS]essionStorage|document\.cookie/;
    expect(
      files.filter((file) => forbidden.test(withoutComments(read(join('src/dashboard', file))))),
    ).toEqual(['components/draft.ts', 'pages/requests/list-actions.tsx']);
  });

  it('has no colours but those of its theme and those of its charts', () => {
    const all = readdirSync('src/dashboard', { recursive: true, encoding: 'utf8' });
    const colored = all.filter(
      (file) =>
        /\.(tsx?|css)$/.test(file) &&
        /#([\da-f]{3,4}){1,2}\b/i.test(withoutComments(read(join('src/dashboard', file)))),
    );
    expect(colored.sort()).toEqual(['components/chart-columns.ts', 'theme.ts']);
  });

  it('imports what it loads later so that a restart or an upgrade of the gateway breaks no page', () => {
    const alone = files.filter((file) =>
      /lazy\(\s*\(\) => import\(|await import\(/.test(read(join('src/dashboard', file))),
    );
    expect(alone).toEqual([]);
  });

  it('is served at the paths that it routes', () => {
    const routed = [
      ...read('src/dashboard/shell.tsx').matchAll(/^  \['(?!overview')([\w-]+)', /gm),
      ...read('src/dashboard/session/strangers.tsx').matchAll(/<Route path="\/([\w-]+)"/g),
    ].map(([, path]) => path);
    expect([...dashboardPages].sort()).toEqual([...routed, 'sign-in'].sort());
  });
});

describe('the code', () => {
  // one is also a surface, one an everyday word
  const named = [...dialects.keys()].filter(
    (name) => !['openai', 'openai-compatible', 'together'].includes(name),
  );

  it('names no provider outside providers/, but for search engines, the demo, names of models and the dialect of Messages', () => {
    const elsewhere = sources.filter(
      ({ file }) =>
        !/^(providers\/|grounding\/search\/engines\/|http\/(surfaces\/messages\/|openapi\/completions\.ts$)|config\/config-input\.ts$|models\/model-name\.ts$|cli\/demo-provider\.ts$)/.test(
          file,
        ),
    );
    const names = new RegExp(`(?<![a-z])(${named.join('|')})(?![a-z])`, 'i');
    expect(named.length).toBeGreaterThan(20);
    expect(
      elsewhere
        .filter(({ code }) => names.test(code))
        .map(({ file, code }) => `${file}: ${names.exec(code)?.[0] ?? ''}`),
    ).toEqual([]);
  });

  it('never steps around the type checker', () => {
    const all = [
      ...sources,
      ...filesIn('test')
        .filter((file) => file !== 'architecture.test.ts')
        .map((file) => ({ file, code: withoutComments(read(join('test', file))) })),
    ];
    const wrong = all.filter(({ code }) =>
      /[:<|(,]\s*any\b\s*[;,)\]>[=|]|\bas any\b|as unknown as|@ts-(ignore|expect-error|nocheck)/.test(
        code,
      ),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it('does not rely on where a module is, because a build puts many into one file', () => {
    const relying = sources.filter(({ code }) => code.includes('import.meta'));
    expect(relying.map(({ file }) => file)).toEqual([
      'package-files.ts',
      // only to find packages
      'telemetry/traces/tracing.ts',
    ]);
  });

  it('stands in files named in kebab-case', () => {
    expect(
      sources
        .filter(({ file }) => !/^([a-z0-9-]+\/)*[a-z0-9-]+\.(ts|js)$/.test(file))
        .map(({ file }) => file),
    ).toEqual([]);
  });

  const exported = sources.flatMap(({ file, text }) =>
    [
      ...text.matchAll(
        /^(.*)\n(?:\/\/ eslint.*\n)?export (?:abstract |async )*(function\*?|const|class|interface|type) (\w+)/gm,
      ),
    ].map(([, before = '', kind = '', name = '']) => ({ file, before, kind, name })),
  );

  it('exports each name from one file, so that a name has one meaning', () => {
    const files = new Map<string, Set<string>>();
    for (const { file, name } of exported)
      files.set(name, (files.get(name) ?? new Set()).add(file));
    expect([...files].filter(([, { size }]) => size > 1)).toEqual([]);
  });

  it('says of each function, class and constant that it exports what it promises', () => {
    expect(exported.length).toBeGreaterThan(200);
    expect(
      exported
        .filter(
          ({ kind, before }) =>
            !/^(interface|type)$/.test(kind) && !before.trimEnd().endsWith('*/'),
        )
        .map(({ file, name }) => `${file}: ${name}`),
    ).toEqual([]);
  });

  it('uses no names that say nothing', () => {
    const words = [
      ...sources.map(({ file }) => file.replace(/\.ts$/, '')),
      ...exported.map(({ name }) => name),
    ].map((name) => ({
      name,
      parts: name
        .replace(/([a-z])([A-Z])/g, '$1-$2')
        .toLowerCase()
        .split(/[-/_]/),
    }));
    expect(
      words
        .filter(({ parts }) =>
          parts.some((part) =>
            /^(utils?|helpers?|common|misc|manager|service|base|impl|data|info)$/.test(part),
          ),
        )
        .map(({ name }) => name),
    ).toEqual([]);
  });
});
