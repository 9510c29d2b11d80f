import { resolveConfig } from '../../src/config/config.js';
import { defaults } from '../../src/config/fill.js';
import { needsRestart } from '../../src/config/needs-restart.js';
import { readSchema } from '../../src/config/schema/compile-schema.js';
import { errorCodes, GatewayError, type Recovery } from '../../src/errors.js';
import type { ProviderDialect } from '../../src/providers/adapter.js';
import { compatibleTable } from '../../src/providers/compatible.js';
import { dialects } from '../../src/providers/index.js';
import { snippets } from '../../src/dashboard/pages/connect/snippets.js';
import { commandRows } from './commands.js';
import { errorMeanings } from './error-meanings.js';
import { surfaceMeanings } from './surface-meanings.js';

/** The part of JSON Schema that schemas/config.schema.json uses. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Record<string, Schema>;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Record<string, Schema>;
}

/**
 * The tables of the documentation that are generated, as Markdown, by the name in their markers.
 */
export function generatedTables(): Record<string, string> {
  const schema = readSchema('config') as Schema;
  const { provider, model, toolkit } = schema.$defs!;
  return {
    'config keys': settingsTable(schema, schema, defaults),
    'provider settings': settingsTable(provider!, schema, {}),
    'model settings': settingsTable(model!, schema, {}),
    'toolkit settings': settingsTable(toolkit!, schema, {}),
    errors: errorTable(),
    providers: providerTable(),
    histories: historyTable(),
    surfaces: markdownTable(
      ['`surface`', 'Requests'],
      Object.entries(surfaceMeanings).map(([label, meaning]) => [code(label), meaning]),
    ),
    clients: clientSettings(),
    commands: markdownTable(['Command', 'Does', 'Options'], commandRows()),
  };
}

/** The settings of the dashboard's page “Connect”, for the documentation. */
function clientSettings(): string {
  const shown = snippets({ url: 'http://127.0.0.1:8080', key: 'sk_your_key', model: 'auto' });
  const sections = shown.map(({ program, place, code: text, language, tried }) => {
    const note =
      tried === null
        ? "From the program's documentation; not tried."
        : tried === 'requests'
          ? 'Not tried; the requests that it is known to send are tested.'
          : `Tried with version ${tried}.`;
    const isRun = language === 'js' ? '' : `<!-- not run: needs ${program} and a key -->\n`;
    const fence = '```';
    return `### ${program}\n\nIn ${place}. ${note}\n\n${isRun}${fence}${language}\n${text}\n${fence}\n`;
  });
  return `<!-- prettier-ignore-start -->\n\n${sections.join('\n')}\n<!-- prettier-ignore-end -->`;
}

/**
 * Puts the tables between their markers, `<!-- generated: name -->` and `<!-- /generated -->`.
 * @throws Error for a marker whose table does not exist
 */
export function fillTables(page: string, tables: Record<string, string>): string {
  return page.replace(
    /(<!-- generated: ([\w ]+) -->\n)[^]*?(\n<!-- \/generated -->)/g,
    (_whole, start: string, name: string, end: string) => {
      const table = tables[name];
      if (table === undefined) throw new Error(`there is no generated table "${name}"`);
      return `${start}<!-- prettier-ignore -->\n${table}${end}`;
    },
  );
}

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

const code = (value: unknown): string => `\`${String(value)}\``;

function settingsTable(part: Schema, root: Schema, known: object): string {
  const restart = restartSettings();
  const rows = settingsOf(part, root).map(({ path, schema, required }) => {
    const marked = restart.some((name) => path === name || path.startsWith(`${name}.`));
    const value = valueAt(known, path) ?? schema.default ?? undefined;
    return [
      code(path) + (marked ? ' ↻' : ''),
      valuesOf(schema),
      required ? requiredIn(path) : value === undefined ? '' : code(JSON.stringify(value)),
      schema.description ?? '',
    ];
  });
  return markdownTable(['Key', 'Values', 'Default', 'Meaning'], rows);
}

function requiredIn(path: string): string {
  const end = path.lastIndexOf('.');
  return end < 0 ? 'required' : `required in ${code(path.slice(0, end))}`;
}

interface Setting {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The settings below a part, without the sections that only group others. */
function settingsOf(part: Schema, root: Schema, prefix = ''): Setting[] {
  return Object.entries(part.properties ?? {}).flatMap(([name, written]) => {
    const schema = resolved(written, root);
    const path = prefix + name;
    const inner = schema.type === 'array' ? resolved(schema.items!, root) : schema;
    const setting = { path, schema, required: part.required?.includes(name) ?? false };
    const isListener = written.$ref === '#/$defs/listener';
    if (!inner.properties || isListener) return [setting];
    const below = settingsOf(inner, root, schema.type === 'array' ? `${path}[].` : `${path}.`);
    return schema.type === 'array' ? [setting, ...below] : below;
  });
}

function resolved(schema: Schema, root: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const target = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
  if (!target) throw new Error(`there is no ${schema.$ref}`);
  return { ...resolved(target, root), ...schema };
}

/** What a setting may be: its enumeration, else its type and bounds. */
function valuesOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map(code).join(', ');
  if (typeof schema.type === 'object')
    return schema.type.map((type) => (type === 'array' ? 'list' : type)).join(' or ');
  if (schema.type === 'array') return 'list';
  const { minimum } = schema;
  // that bound is the longest timer, and says nothing about the setting
  const maximum = schema.maximum === 2 ** 31 - 1 ? undefined : schema.maximum;
  const kind = schema.type === 'integer' ? 'whole number' : (schema.type ?? '');
  const bound = (value: number): string => value.toLocaleString('en');
  if (minimum !== undefined && maximum !== undefined)
    return `${kind}, ${bound(minimum)} to ${bound(maximum)}`;
  return minimum === undefined ? kind : `${kind}, at least ${bound(minimum)}`;
}

const valueAt = (from: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], from);

/** The settings that the gateway reads only when it starts, as paths. */
function restartSettings(): string[] {
  const config = resolveConfig({}, {});
  return needsRestart(config, changed(config) as typeof config);
}

/** The same structure with every value changed. */
function changed(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner)]));
  return { was: value };
}

const recoveries: Record<Recovery, string> = {
  retry: 'Retry the same model, then the next one',
  once: 'The same model once more, then the next one',
  next_key: "The provider's next key, then the next model",
  unstreamed: 'The same model without streaming',
  fallback: 'The next model',
  stop: 'Answer the client',
};

function errorTable(): string {
  const rows = errorCodes.map((name) => {
    const { status, recovery } = new GatewayError(name, '');
    return [code(name), String(status), recoveries[recovery], errorMeanings[name]];
  });
  return markdownTable(['Code', 'Status', 'What the gateway does', 'When'], rows);
}

/** What the code does not say about a provider. */
const providerNotes: Record<string, string> = {
  openai: 'Chat Completions',
  'openai-responses':
    'The Responses API, of any provider that offers it; needs an entry in the configuration',
  'azure-openai':
    '`baseUrl` is `https://<resource>.openai.azure.com`. v1 API; with `apiVersion`, the path of the deployment',
  anthropic: 'Messages; the base URL with or without `/v1`',
  vertex:
    'Needs `project` and `region`. Credentials: `credentialsFile` or `GOOGLE_APPLICATION_CREDENTIALS` (service account or user login), the metadata server, or an API key',
  bedrock:
    'Converse. Without the variable, AWS credentials: environment, web identity, shared files, container, instance',
  openrouter: 'Model names contain a slash: `openrouter/google/…`',
  perplexity: 'Returns its sources as `message.sources`',
  nvidia: '`baseUrl` for your own NIM',
  ollama: 'Local, without a key',
  lmstudio: 'Local, without a key',
  vllm: 'Local, without a key',
  'openai-compatible': "Any other server that speaks OpenAI's chat dialect",
};

function providerTable(): string {
  const rows = [...dialects.values()].map((dialect) => [
    code(dialect.api),
    dialect.env.map(code).join(', '),
    dialect.baseUrl === null ? (defaultUrls[dialect.api] ?? 'required') : code(dialect.baseUrl),
    hasEmbeddings(dialect) ? 'yes' : '–',
    dialect.pricesAs === null ? '–' : 'yes',
    providerNotes[dialect.api] ?? '',
  ]);
  return markdownTable(
    ['`api`', 'Variable', 'Default base URL', 'Embeddings', 'Prices', 'Notes'],
    rows,
  );
}

/** What is changed on the way to the providers of OpenAI's dialect, from their rows. */
function historyTable(): string {
  const rows = Object.entries(compatibleTable).map(([api, row]) => {
    const { history = {}, maxStops = 4, parameters = [] } = row;
    const { fields = [], callIds, lists, started } = history;
    const kept = fields === 'all' ? 'all' : fields.map(code).join(', ') || '–';
    const turns = [
      ...(history.alternates ? ['in turn, the user first'] : []),
      ...(history.answerAfterTools ? ['an answer after results'] : []),
      ...(started === 'user' ? ['the user last'] : Object.keys(started ?? {}).map(code)),
    ];
    const lost = [
      ...(row.strictTools ? [] : ['`strict`']),
      ...(maxStops === Infinity ? [] : [`stop sequences beyond ${maxStops}`]),
      ...new Set(parameters.flatMap(({ refuses = [] }) => refuses.map(code))),
      ...(parameters.some(({ reasoningOff }) => reasoningOff)
        ? ['reasoning where a tool is forced']
        : []),
      ...(parameters.some(({ toolChoice }) => toolChoice) ? ['a forced tool'] : []),
      ...(parameters.some(({ efforts }) => efforts) ? ['efforts that a model does not take'] : []),
    ];
    return [
      code(api),
      history.developer ? '`developer`' : '`system`',
      kept,
      history.cacheControl ? 'yes' : '–',
      callIds ? 'nine letters or digits' : 'as they are',
      lists === true ? 'as they are' : lists === false ? 'texts' : 'texts, except the user’s',
      turns.join('; ') || 'as they are',
      row.length === undefined ? 'as given' : code(row.length),
      lost.join(', ') || '–',
    ];
  });
  return markdownTable(
    [
      ...['`api`', 'Instructions', 'Fields of turns kept', '`cache_control`', 'Call ids'],
      ...['Lists of texts', 'Turns', 'Limit', 'Left out'],
    ],
    rows,
  );
}

const defaultUrls: Record<string, string> = {
  vertex: 'from `region`',
  bedrock: 'from `region` or `AWS_REGION`',
};

function hasEmbeddings(dialect: ProviderDialect): boolean {
  const adapter = dialect.create({
    name: 'example',
    api: dialect.api,
    baseUrl: 'http://127.0.0.1:9',
    region: 'eu-west-1',
    project: 'example',
  });
  return adapter.embeddings !== undefined;
}
