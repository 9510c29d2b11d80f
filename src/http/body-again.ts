import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.js';
import type { BodyCarrier } from './read-body.js';

/**
 * The bytes of a body that a host's parser has read, to be sent once more; null where nobody has read it yet or there was none.
 * JSON and forms are written anew: the same values, not always the same bytes.
 * @throws GatewayError `internal` where the parser has left nothing to write (a multipart parser, say)
 */
export function bodyAgain(req: IncomingMessage & BodyCarrier): Buffer | null {
  const { body, headers } = req;
  if (
    !req.readableEnded ||
    (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)
  )
    return null;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  const type = headers['content-type'] ?? '';
  if (typeof body !== 'object' || body === null || type.startsWith('multipart/'))
    throw new GatewayError(
      'internal',
      'proxy: the host has read the body and not kept it: mount the gateway before that parser',
    );
  return Buffer.from(
    type.startsWith('application/x-www-form-urlencoded') ? formOf(body) : JSON.stringify(body),
  );
}

function formOf(fields: object): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields) as [string, unknown][])
    addField(form, name, value);
  return form.toString();
}

function addField(form: URLSearchParams, name: string, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) addField(form, name, item);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) addField(form, `${name}[${key}]`, inner);
  else form.append(name, String(value));
}
