import type { ErrorCode } from '../../errors.js';
import type { Surface } from './surface.js';

/** JSON-RPC's own numbers; all other failures have the first that it leaves to servers. */
const rpcCodes: Partial<Record<ErrorCode, number>> = {
  malformed_json: -32700,
  bad_request: -32600,
  internal: -32603,
};
const serverError = -32000;

/**
 * MCP over HTTP. Messages of the protocol itself count as `resources`; a call of a tool names its
 * own surface. Errors are JSON-RPC's, without the id of a message: they come before it was read.
 */
export const mcp: Surface = {
  label: 'resources',
  invalidCode: 'bad_request',
  errorBody: ({ code, message }) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: rpcCodes[code] ?? serverError, message, data: { code } },
  }),
};
