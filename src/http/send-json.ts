import type { ServerResponse } from 'node:http';
import { piecesOf } from '../async/turns.js';
import { exactJson } from '../text/exact-json.js';
import { holdAnswer } from './bodies/body-limits.js';
import { knownContext } from './context.js';
import { recordBody } from './resume/recorded-head.js';

/** The longest body sent as text: Node keeps three bytes for each character until all is sent. */
const maxTextLength = 64 * 1024;
const pieceLength = 256 * 1024;

/**
 * Ends the response with a JSON body, which may be serialized already. A short body is sent as
 * text, because Node sends text, but not bytes, in one piece with the head. A long body is sent in
 * pieces of bytes, each freed once it is sent; it counts as the account's bytes in progress until
 * the client has read it.
 */
export function sendJson(res: ServerResponse, status: number, body: object | string): void {
  const json = typeof body === 'string' || Buffer.isBuffer(body) ? body : exactJson(body);
  const isLong = json.length > maxTextLength;
  const pieces = isLong ? [...bytesOf(json)] : [];
  const length = isLong
    ? pieces.reduce((sum, piece) => sum + piece.length, 0)
    : Buffer.byteLength(json);
  const recording = knownContext(res)?.request.recording;
  if (recording) {
    recordBody(recording, res, status, Buffer.from(json));
    if (res.destroyed) return;
  }
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': length,
  });
  if (!isLong) {
    // a byte string is sent as the same bytes
    if (Buffer.isBuffer(json)) res.end(json.toString('latin1'), 'latin1');
    else res.end(json);
    return;
  }
  holdAnswer(res, length);
  sendPieces(res, pieces);
}

/** Bytes in pieces with memory of their own. */
function* bytesOf(json: Buffer | string): Generator<Buffer> {
  if (typeof json === 'string')
    for (const piece of piecesOf(json, pieceLength)) yield Buffer.from(piece);
  else
    for (let from = 0; from < json.length; from += pieceLength)
      yield Buffer.from(json.subarray(from, from + pieceLength));
}

function sendPieces(res: ServerResponse, pieces: Buffer[]): void {
  for (let piece = pieces.shift(); piece; piece = pieces.shift())
    if (!res.write(piece)) {
      res.once('drain', () => sendPieces(res, pieces));
      return;
    }
  res.end();
}
