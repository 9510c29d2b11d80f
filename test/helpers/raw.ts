import { connect, type Socket } from 'node:net';
import { tryJson } from './json.js';

export interface RawReply {
  /** 0 if no status line arrived. */
  status: number;
  /** With lower-case names; of repeated headers the last. */
  headers: Record<string, string>;
  text: string;
  json: unknown;
}

/** A raw TCP connection. */
export interface RawConnection {
  socket: Socket;
  /** The bytes received so far. */
  received: () => string;
  /** Resolves when the peer has closed, or the deadline has passed: then it rejects. */
  closed: Promise<void>;
}

/** Opens a connection to a port of 127.0.0.1. Fails `closed` after `deadlineMs`. */
export function openRaw(port: number, deadlineMs = 5_000): RawConnection {
  const pieces: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (piece) => pieces.push(piece));
  const closed = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(
          `the connection was still open after ${deadlineMs} ms; received: ${Buffer.concat(pieces).toString('latin1').slice(0, 200)}`,
        ),
      );
    }, deadlineMs);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // a reset is a way to close
    socket.on('error', () => undefined);
  });
  closed.catch(() => undefined);
  return { socket, received: () => Buffer.concat(pieces).toString('utf8'), closed };
}

/** Parses one answer from the received bytes. */
export function parseReply(received: string): RawReply {
  const end = received.indexOf('\r\n\r\n');
  const [first = '', ...lines] = received.slice(0, end === -1 ? undefined : end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const text = end === -1 ? '' : received.slice(end + 4);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0),
    headers,
    text,
    json: tryJson(text),
  };
}

/** Sends raw bytes and waits until the peer closes; send `Connection: close` where it would not. */
export async function sendRaw(
  port: number,
  bytes: string | Buffer,
  deadlineMs?: number,
): Promise<RawReply> {
  const connection = openRaw(port, deadlineMs);
  connection.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await connection.closed;
  return parseReply(connection.received());
}
