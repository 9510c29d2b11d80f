import type { Request, RequestHandler } from 'express';
import { openApiDocument } from './document.js';
import { sendJson } from '../send-json.js';

/**
 * Where the routes of this request's router stand: the configuration's `publicUrl`, or the path
 * under which a host has mounted the router.
 */
const serverOf = ({ baseUrl }: Pick<Request, 'baseUrl'>, publicUrl: string | null): string =>
  publicUrl ?? (baseUrl === '' ? '/' : baseUrl);

/** `GET /openapi.json`. */
export function openApi(version: string, publicUrl: () => string | null): RequestHandler {
  // a router is nearly always mounted at one path
  let last: { server: string; body: Buffer } | null = null;
  return (req, res) => {
    const server = serverOf(req, publicUrl());
    if (last?.server !== server)
      last = { server, body: Buffer.from(JSON.stringify(openApiDocument(version, server))) };
    sendJson(res, 200, last.body);
  };
}
