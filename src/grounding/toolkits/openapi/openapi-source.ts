import type { ToolkitConfig } from '../../../config/toolkit-config.js';
import { GatewayError, messageOf } from '../../../errors.js';
import { matchesGlob } from '../../../models/access-rules.js';
import { unlessAborted } from '../../../async/until-aborted.js';
import { callHttp, type HttpCall } from '../http-call.js';
import type { ToolAnswer, ToolOffer, ToolSource } from '../tool-source.js';
import { type ApiOperation, operationsOf } from './operations.js';
import { asList, type Json } from '../../../text/is-object.js';
import { isTimeout, readAnswer } from '../../../async/read-answer.js';
import { version } from '../../../version.js';
import { jsonFields, parsedJson } from '../../../text/json-values.js';

/** What a document says. */
interface ReadApi {
  readonly operations: ReadonlyMap<string, ApiOperation>;
  readonly baseUrl: string;
}

/** A document seldom changes. */
const documentMs = 300_000;

/** The operations of an HTTP API as tools. */
export class OpenApiSource implements ToolSource {
  private known: { readonly api: Promise<ReadApi>; readonly until: number } | null = null;
  private readonly closing = new AbortController();

  constructor(
    private readonly config: ToolkitConfig<'openapi'>,
    private readonly withoutSecrets: (text: string) => string,
  ) {}

  async offer(signal: AbortSignal): Promise<ToolOffer> {
    const { operations } = await unlessAborted(this.api(), signal);
    const tools = [...operations.values()].map(({ id, description, schema }) => ({
      name: id,
      description,
      parameters: schema,
    }));
    return { tools, warnings: [] };
  }

  async call(tool: string, args: Json, signal: AbortSignal): Promise<ToolAnswer> {
    const api = await this.known?.api.catch(() => null);
    if (!api || this.closing.signal.aborted)
      return { text: 'The tool is no longer there.', isError: true };
    const { operations, baseUrl } = api;
    const operation = operations.get(tool);
    if (!operation) return { text: 'The tool is no longer there.', isError: true };
    const call = operationCall(operation, args, { baseUrl, headers: this.config.headers });
    if (typeof call === 'string') return { text: call, isError: true };
    return callHttp(call, this.config, signal);
  }

  close(): Promise<void> {
    this.closing.abort(new Error('the toolkit was closed'));
    return Promise.resolve();
  }

  private api(): Promise<ReadApi> {
    const now = performance.now();
    if (this.known === null || this.known.until < now) {
      const known = { api: this.read(), until: now + documentMs };
      this.known = known;
      known.api.catch(() => {
        if (this.known === known) this.known = null;
      });
    }
    return this.known.api;
  }

  private async read(): Promise<ReadApi> {
    const { name, headers, operations: wanted } = this.config;
    try {
      this.closing.signal.throwIfAborted();
      const { document, baseUrl } = await readDocument(this.config, this.closing.signal);
      const operations = operationsOf(document, headers)
        .filter(({ id }) => wanted === null || wanted.some((glob) => matchesGlob(glob, id)))
        .map((operation) => [operation.id, operation] as const);
      return { operations: new Map(operations), baseUrl };
    } catch (error) {
      const reason = messageOf(error);
      throw new GatewayError('connection_failed', `${name}: ${this.withoutSecrets(reason)}`, {
        cause: error,
      });
    }
  }
}

const maxBytes = 16 * 1024 * 1024;

/** Reads an API's document. @throws Error that says what is wrong, after the toolkit's name */
async function readDocument(
  { url, headers, baseUrl, timeoutMs }: ToolkitConfig<'openapi'>,
  signal: AbortSignal,
): Promise<{ readonly document: Json; readonly baseUrl: string }> {
  const sent = { accept: 'application/json', 'user-agent': `Signalbox/${version}`, ...headers };
  const { answer, text, isCut } = await readAnswer(
    (ending) => fetch(url, { headers: sent, redirect: 'manual', signal: ending }),
    { timeoutMs, maxBytes, signal },
  ).catch((error: unknown) => {
    const reason = isTimeout(error) ? `not answered within ${timeoutMs} ms` : 'not reached';
    throw new Error(`its document was ${reason}`, { cause: error });
  });
  if (answer.status !== 200)
    throw new Error(`the address of its document answered ${answer.status}`);
  if (isCut) throw new Error(`its document is larger than ${maxBytes} bytes`);
  const parsed = parsedJson(text);
  if (parsed === undefined) throw new Error('its document is not JSON');
  const document = jsonFields(parsed);
  if (!/^3\.[01]\./.test(String(document.openapi)))
    throw new Error('its document is not of OpenAPI 3.0 or 3.1');
  return { document, baseUrl: baseUrl ?? serverOf(document, url) };
}

/** The first server, relative to the document. No other origin may get the configured headers. */
function serverOf(document: Json, url: string): string {
  const { url: written, variables } = jsonFields(asList(document.servers)[0]);
  const text = (typeof written === 'string' ? written : '/').replace(
    /\{([^{}]*)\}/g,
    (_all, name: string) => String(jsonFields(jsonFields(variables)[name]).default),
  );
  const server = new URL(text, url);
  if (server.origin !== new URL(url).origin)
    throw new Error(`its first server is at another origin (${server.origin}); set baseUrl`);
  return server.href;
}

/**
 * The request of a call. Values go into the path as one segment each, so that no argument leads to
 * another path.
 * @returns a text, if the arguments do not make a request
 */
function operationCall(
  operation: ApiOperation,
  args: Json,
  { baseUrl, headers }: { baseUrl: string; headers: Readonly<Record<string, string>> },
): HttpCall | string {
  const path = filledPath(operation, args);
  if (path === null) return 'A parameter of the path is missing or is not a word.';
  const url = new URL(baseUrl.replace(/\/+$/, '') + path);
  const sent: Record<string, string> = {};
  for (const { name, in: place, explode } of operation.parameters) {
    const value = args[name];
    if (value === undefined || value === null) continue;
    if (place === 'query') addQuery(url.searchParams, name, value, explode);
    if (place === 'header') {
      if (!isHeaderValue(asText(value)))
        return `The header ${name} has characters that are refused.`;
      sent[name] = asText(value);
    }
  }
  const body = operation.hasBody && args.body !== undefined ? JSON.stringify(args.body) : null;
  // no parameter has the name of one of the operator's headers
  return { method: operation.method, url: url.href, headers: { ...sent, ...headers }, body };
}

function filledPath({ path, parameters }: ApiOperation, args: Json): string | null {
  const refused: string[] = [];
  const filled = path.replace(/\{([^{}]+)\}/g, (_all, name: string) => {
    const isKnown = parameters.some((known) => known.in === 'path' && known.name === name);
    const text = isKnown ? asText(args[name] ?? '') : '';
    // `.` and `..` would be resolved, also encoded
    if (text === '' || text === '.' || text === '..') refused.push(name);
    return encodeURIComponent(Buffer.from(text).toString());
  });
  return refused.length === 0 ? filled : null;
}

function addQuery(query: URLSearchParams, name: string, value: unknown, explode: boolean): void {
  if (!Array.isArray(value)) query.append(name, asText(value));
  else if (explode) for (const item of value) query.append(name, asText(item));
  else query.append(name, value.map(asText).join(','));
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const isHeaderValue = (text: string): boolean => /^[\t -~\u0080-\u00ff]*$/.test(text);
