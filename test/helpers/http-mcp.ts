import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a scripted MCP server over HTTP has been asked. */
export interface AskedMcp {
  readonly method: string;
  readonly path: string;
  /** The method of the JSON-RPC message; null for none. */
  readonly rpc: string | null;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** How it answers a call, or any request before the protocol is looked at. */
export interface McpScript {
  /** Answers in place of the protocol; false: goes on. */
  before?: (asked: AskedMcp, response: ServerResponse) => boolean;
  /** Writes the answer of `tools/call`. */
  call?: (id: unknown, response: ServerResponse) => void;
}

/** A small MCP server over streamable HTTP that answers in JSON and has sessions. */
export interface HttpMcp {
  readonly url: string;
  readonly asked: AskedMcp[];
  /** Forgets all sessions, as a restart does. */
  forget(): void;
  /** Tells a client that listens that the tools have changed. */
  addTool(name: string): void;
  close(): Promise<void>;
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

export const textResult = (id: unknown, text: string) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }] },
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

export async function startHttpMcp(script: McpScript = {}): Promise<HttpMcp> {
  const asked: AskedMcp[] = [];
  const sessions = new Set<string>();
  const listeners = new Set<ServerResponse>();
  const tools = ['echo'];
  let count = 0;

  function answer(message: { id?: unknown; method: string }, response: ServerResponse): void {
    const { id, method } = message;
    const result = (value: unknown): void =>
      json(response, 200, { jsonrpc: '2.0', id, result: value });
    if (method === 'initialize') {
      const session = `session-${++count}`;
      sessions.add(session);
      response.setHeader('mcp-session-id', session);
      result({
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'scripted', version: '1' },
      });
      return;
    }
    if (method.startsWith('notifications/')) return void response.writeHead(202).end();
    if (method === 'tools/list') {
      result({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) });
      return;
    }
    if (method === 'tools/call' && script.call) {
      script.call(id, response);
      return;
    }
    if (method === 'tools/call') {
      json(response, 200, textResult(id, 'echoed'));
      return;
    }
    json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
  }

  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      // a client that has left before its request was read gets no answer
      if (response.closed) return;
      const message = body.startsWith('{')
        ? (JSON.parse(body) as { id?: unknown; method: string })
        : null;
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        rpc: message?.method ?? null,
        headers: request.headers,
        body,
      };
      asked.push(one);
      if (script.before?.(one, response)) return;
      const session = request.headers['mcp-session-id'];
      if (typeof session === 'string' && !sessions.has(session)) {
        json(response, 404, { error: 'session not found' });
        return;
      }
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        listeners.add(response);
      } else if (message === null) response.writeHead(204).end();
      else answer(message, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    asked,
    forget: () => sessions.clear(),
    addTool(name) {
      tools.push(name);
      const notice = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
      for (const listener of listeners) listener.write(`data: ${JSON.stringify(notice)}\n\n`);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
