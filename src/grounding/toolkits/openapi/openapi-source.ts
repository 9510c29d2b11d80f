import type { ToolkitConfig } from '../../../config/toolkit-config.js';
import { GatewayError } from '../../../errors.js';
import { matchesGlob } from '../../../models/access-rules.js';
import { unlessAborted } from '../abort.js';
import { callHttp } from '../http-call.js';
import type { ToolAnswer, ToolOffer, ToolSource } from '../tool-source.js';
import { operationCall } from './operation-call.js';
import { type ApiOperation, operationsOf } from './operations.js';
import { readDocument } from './read-document.js';
import type { Json } from '../../../text/is-object.js';

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
      const reason = error instanceof Error ? error.message : 'its document cannot be read';
      throw new GatewayError('connection_failed', `${name}: ${this.withoutSecrets(reason)}`, {
        cause: error,
      });
    }
  }
}
