// The load generator's connections, and when it sends.
import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.mjs';

/** Idle connections by port. */
const idle = new Map();
// one buffer for all: each read is handled before the next one
const received = Buffer.allocUnsafe(262_144);

/** A connection that is kept alive, for one request at a time. */
export class Connection {
  #reader = null;
  #onEnd = null;
  /** False: only the first bytes of an answer. */
  reads = true;

  constructor(port) {
    this.port = port;
    this.socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: received, callback: (length) => this.#read(length) },
    });
    // an error is followed by a close
    this.socket.on('error', () => undefined);
    this.socket.once('close', () => this.#closed());
  }

  /**
   * Sends a request. `onEnd` gets the answer, or null if the connection was cut before its end.
   */
  send(request, onEnd, reader = new AnswerReader()) {
    this.#reader = reader;
    this.#onEnd = onEnd;
    this.socket.write(request, 'latin1');
    return reader;
  }

  #read(length) {
    if (!this.#reader?.feed(received, length)) return this.reads || !(this.#reader?.firstAt > 0);
    const reader = this.#reader;
    this.#reader = null;
    idleAt(this.port).push(this);
    this.#onEnd(reader);
    return true;
  }

  #closed() {
    const others = idleAt(this.port);
    if (others.includes(this)) others.splice(others.indexOf(this), 1);
    if (this.#reader) {
      this.#reader = null;
      this.#onEnd(null);
    }
  }
}

export function idleAt(port) {
  let connections = idle.get(port);
  if (!connections) idle.set(port, (connections = []));
  return connections;
}

export const connectionTo = (port) => idleAt(port).pop() ?? new Connection(port);
export const failed = (answer) => answer === null || answer.status !== 200;

/**
 * Calls at a time finer than timers: sleeps for whole milliseconds, then polls the clock in every
 * turn of the loop.
 */
export function callAt(dueAt, call) {
  const left = dueAt - performance.now();
  if (left <= 0) call();
  else if (left > 1.2) setTimeout(callAt, Math.floor(left - 1), dueAt, call);
  else setImmediate(callAt, dueAt, call);
}
