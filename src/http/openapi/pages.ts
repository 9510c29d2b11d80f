import type { Described } from '../../api/endpoint.js';
import { describedPath } from '../../api/openapi/operations.js';
import { ref } from '../../api/openapi/components.js';
import { failures } from '../../api/openapi/failures.js';

const surface = { invalid: 422, statuses: [] } as const;
/** Pages for people are answered under the names of the gateway only, against DNS rebinding. */
const named = { errors: { 421: 'The Host header is not a name of this gateway.' } } as const;
const text = (type: string): object => ({ [type]: { schema: { type: 'string' } } });

const readiness = {
  type: 'object',
  required: ['status', 'counters', 'database'],
  properties: {
    status: { const: 'ready' },
    counters: { enum: ['memory', 'workers', 'redis', 'fallback'] },
    database: { enum: ['ok', 'unreachable', 'unwritable', 'unused'] },
  },
} as const;

const page = (path: string, described: Described): object =>
  describedPath('Operation', path, { get: { ...described, isPublic: true } }, surface);

/** Pages that need no key. */
export function publicPages(): object {
  const html = { description: 'An HTML page.', content: text('text/html') };
  return {
    ...page('/healthz', {
      id: 'getHealth',
      summary: 'Liveness check',
      answer: { description: 'The process answers.' },
    }),
    ...page('/readyz', {
      id: 'getReadiness',
      summary: 'Readiness check',
      description: 'With a valid API key, also the names of the providers.',
      answer: {
        description: 'The gateway accepts requests.',
        content: { 'application/json': { schema: readiness } },
      },
      errors: { 503: 'The gateway is stopping.' },
    }),
    ...page('/metrics', {
      id: 'getMetrics',
      summary: 'Prometheus metrics',
      description: 'The configuration may require a key.',
      answer: { description: 'Prometheus or OpenMetrics text.', content: text('text/plain') },
      errors: { 401: 'The configuration requires a key.' },
    }),
    ...page('/openapi.json', {
      ...named,
      id: 'getOpenApi',
      summary: 'This description',
      answer: {
        description: 'OpenAPI 3.1.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    }),
    ...page('/docs', {
      ...named,
      id: 'getDocs',
      summary: 'This description as a page',
      answer: html,
    }),
    ...page('/reset-password', {
      ...named,
      id: 'getPasswordPage',
      summary: 'The page behind a password link',
      answer: html,
    }),
  };
}

/** Pass-through to a provider's own API. */
export function proxyPath(): object {
  const operations = ['get', 'post', 'put', 'patch', 'delete'].map((method) => [
    method,
    {
      operationId: `${method}FromProvider`,
      tags: ['Pass-through'],
      summary: `${method.toUpperCase()} a path of a provider's own API`,
      description:
        "Send the gateway's key where the SDK of the provider sends its own. Needs the scope `completions`.",
      responses: {
        200: { description: "The provider's own answer, whatever its status." },
        ...failures([401, 403, 404, 429, 500, 502, 504], {
          404: 'No provider has this name.',
          502: 'The provider could not be reached.',
          504: 'The provider did not answer in time.',
        }),
      },
    },
  ]);
  return {
    '/proxy/{provider}/{path}': { parameters, ...(Object.fromEntries(operations) as object) },
  };
}

const parameters = [
  ['provider', "A provider's name in the configuration.", 'openai'],
  ['path', "Any path of the provider's API, slashes not encoded.", 'v1/models'],
].map(([name, description, example]) => ({
  name,
  in: 'path',
  required: true,
  description,
  example,
  schema: { type: 'string' },
}));

const mcp = { invalid: 400, statuses: [429, 500, 503], errorSchema: 'mcp-error' } as const;

/** The tools for MCP clients. */
export function mcpPath(): object {
  const answer = { schema: ref('mcp.response') };
  return describedPath(
    'MCP',
    '/mcp',
    {
      post: {
        id: 'sendMcpMessage',
        summary: 'Send a message of an MCP client',
        description:
          'Streamable HTTP of both generations of the protocol, without sessions: an MCP client finds the tools `select_model`, `complete` and `search` here, as far as the scopes of the key and the configuration allow. A failed call of a tool is a result with `isError`.',
        request: 'mcp.request',
        example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        answer: {
          description: 'The answer, as one message or as an event stream of messages.',
          content: { 'application/json': answer, 'text/event-stream': answer },
        },
        errors: {
          403: 'The key has none of the scopes `completions` and `model-select`, or a page of another site sent the request.',
        },
      },
    },
    mcp,
  );
}
