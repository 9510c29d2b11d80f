import type { ServerResponse } from 'node:http';

/** Ends the response with a JSON body. `body` may be the JSON's bytes already. */
export function sendJson(res: ServerResponse, status: number, body: object | Buffer): void {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes.length,
  });
  res.end(bytes);
}
