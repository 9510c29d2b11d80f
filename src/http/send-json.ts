import type { ServerResponse } from 'node:http';

/**
 * Ends the response with a JSON body. `body` may be the JSON's bytes already. Text goes to the
 * connection in one piece with the head, which Node does not do with bytes.
 */
export function sendJson(res: ServerResponse, status: number, body: object | Buffer): void {
  const sent = Buffer.isBuffer(body) ? body : JSON.stringify(body);
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(sent),
  });
  res.end(sent);
}
