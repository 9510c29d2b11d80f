// The load: a process of its own that is told over IPC what to ask for, and answers with what it saw. Raw sockets that are kept alive, requests
// that are bytes already: what it costs must not matter beside what is measured.
import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.mjs';

/** Idle connections by port. */
const idle = new Map();
// one for all: what is read is looked at before anything else is read
const received = Buffer.allocUnsafe(262_144);

class Connection {
  #reader = null;
  #onEnd = null;

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

  /** Sends a request; `onEnd` is told of its answer, or null where the connection was cut before it was whole. */
  send(request, onEnd, reader = new AnswerReader()) {
    this.#reader = reader;
    this.#onEnd = onEnd;
    this.socket.write(request, 'latin1');
    return reader;
  }

  #read(length) {
    if (!this.#reader?.feed(received, length)) return true;
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

function idleAt(port) {
  let connections = idle.get(port);
  if (!connections) idle.set(port, (connections = []));
  return connections;
}

const connectionTo = (port) => idleAt(port).pop() ?? new Connection(port);
const failed = (answer) => answer === null || answer.status !== 200;

/** One answer, with its body; where `patient`, asks again until there is one that says 200. */
function once({ port, request, patientMs = 0 }) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const tryIt = () => {
      const reader = new AnswerReader();
      reader.kept = [];
      connectionTo(port).send(
        request,
        (answer) => {
          if (failed(answer) && performance.now() - startedAt < patientMs) setTimeout(tryIt, 2);
          else
            resolve({
              status: answer?.status ?? 0,
              body: Buffer.concat(reader.kept).toString('utf8'),
            });
        },
        reader,
      );
    };
    tryIt();
  });
}

/** So many requests over so many connections, each asking again as soon as it is answered. */
function closed({ port, requests, count, connections }) {
  return new Promise((resolve) => {
    let sent = 0;
    let done = 0;
    let failures = 0;
    let bytes = 0;
    const next = () => {
      connectionTo(port).send(requests[sent++ % requests.length], (answer) => {
        if (failed(answer)) failures++;
        else bytes += answer.bytes;
        done++;
        if (sent < count) next();
        else if (done === count) resolve({ failures, bytes });
      });
    };
    for (let index = Math.min(connections, count); index > 0; index--) next();
  });
}

/** Calls at a time that no timer tells: sleeps for whole milliseconds, looks at the clock in every turn of the loop for the last one. */
function callAt(dueAt, call) {
  const left = dueAt - performance.now();
  if (left <= 0) call();
  else if (left > 1.2) setTimeout(callAt, Math.floor(left - 1), dueAt, call);
  else setImmediate(callAt, dueAt, call);
}

/** Requests at a fixed rate, whatever the answers do. Times in ms, from the moment at which the request was due. */
function open({ port, requests, count, perSecond }) {
  return new Promise((resolve) => {
    const firstDueAt = performance.now() + 5;
    const totals = [];
    const firsts = [];
    let failures = 0;
    let sent = 0;
    const send = () => {
      const dueAt = firstDueAt + (sent * 1_000) / perSecond;
      connectionTo(port).send(requests[sent % requests.length], (answer) => {
        if (failed(answer)) failures++;
        else {
          totals.push(performance.now() - dueAt);
          firsts.push(answer.firstAt - dueAt);
        }
        if (totals.length + failures === count) resolve({ totals, firsts, failures });
      });
      if (++sent < count) callAt(firstDueAt + (sent * 1_000) / perSecond, send);
    };
    callAt(firstDueAt, send);
  });
}

let held = [];

/** Opens streams, so many a second, and comes back when each has its first content. They go on until `release`. */
function hold({ port, requests, count, perSecond }) {
  held = [];
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const look = () => {
      const due = Math.min(count, Math.ceil(((performance.now() - startedAt) * perSecond) / 1_000));
      while (held.length < due) {
        const stream = { connection: new Connection(port), reader: null, ended: false };
        stream.reader = stream.connection.send(requests[0], () => (stream.ended = true));
        held.push(stream);
      }
      if (held.length === count && held.every(({ reader, ended }) => reader.firstAt > 0 || ended))
        resolve({});
      else setTimeout(look, 5);
    };
    look();
  });
}

/** What the held streams have had until now. */
const heldNow = () => ({
  live: held.filter(({ reader, ended }) => !ended && reader.status === 200 && reader.firstAt > 0)
    .length,
  bytes: held.reduce((sum, { reader }) => sum + reader.bytes, 0),
});

function release() {
  for (const { connection } of held) connection.socket.destroy();
  held = [];
  return {};
}

const kinds = { once, closed, open, hold, heldNow, release };

process.on('message', async ({ id, kind, ...job }) =>
  process.send({ id, result: await kinds[kind](job) }),
);
process.on('disconnect', () => process.exit());
