import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { GatewayError } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { checkScope } from '../../accounts/caller.js';
import { bodyLimits } from '../bodies/body-limits.js';
import { cancelWhenClosed, contextOf } from '../context.js';
import { readJsonBody } from '../bodies/read-body.js';
import { answer } from '../stage.js';
import { answerMessage } from './mcp-server.js';
import { mcpTools } from './mcp-tools.js';

/** Answers `POST /mcp`: one message of an MCP client. */
export const serveMcp = (parts: GatewayParts): RequestHandler =>
  answer(async (req, res) => {
    const { request } = contextOf(parts, res);
    const { scopes } = request.caller;
    if (!scopes.includes('model-select')) checkScope(request.caller, 'completions');
    const message = await readJsonBody(req, bodyLimits(parts, res));
    // a request's record has room for one call only; the protocol dropped batches in 2025
    if (Array.isArray(message))
      throw new GatewayError('bad_request', 'body: send one message, not a batch of them');
    cancelWhenClosed(request, res);
    const tools = mcpTools.filter((one) => scopes.includes(one.scope) && one.isAvailable(request));
    const asked = new Request('http://gateway/mcp', {
      method: 'POST',
      // those that the protocol knows; the library does not need the key
      headers: Object.entries(req.headers).flatMap(([name, value]) =>
        typeof value === 'string' && /^(accept|content-type|mcp-[\w-]+)$/.test(name)
          ? [[name, value]]
          : [],
      ),
    });
    await sendResponse(await answerMessage(parts, request, tools, asked, message), res);
  });

/** Sends a web response; a client that leaves ends its stream. */
async function sendResponse(response: Response, res: ServerResponse): Promise<void> {
  res.statusCode = response.status;
  for (const [name, value] of response.headers)
    if (name !== 'connection') res.setHeader(name, value);
  if (response.body === null) {
    res.end();
    return;
  }
  res.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(response.body), res);
  } catch (error) {
    if (!res.closed) throw error;
  }
}
