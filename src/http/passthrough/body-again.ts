import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors.js';
import type { BodyCarrier } from '../bodies/read-body.js';

/**
 * The bytes of a body that the host app's parser has already read, so that they can be forwarded;
 * null if the body is unread or empty. JSON and forms are serialized again: the same values, not
 * always the same bytes.
 * @throws GatewayError `internal` if the parser has kept nothing to forward (a multipart parser,
 * for example)
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
      "proxy: the host app's body parser has consumed the body; mount the gateway before that parser",
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
