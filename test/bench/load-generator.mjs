// The load generator: a process that gets jobs over IPC and answers with what it measured. It keeps
// raw sockets alive and sends requests that are bytes already, so that its own cost stays small.
import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.mjs';

/** Idle connections by port. */
const idle = new Map();
// one buffer for all: each read is handled before the next one
const received = Buffer.allocUnsafe(262_144);

class Connection {
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

function idleAt(port) {
  let connections = idle.get(port);
  if (!connections) idle.set(port, (connections = []));
  return connections;
}

const connectionTo = (port) => idleAt(port).pop() ?? new Connection(port);
const failed = (answer) => answer === null || answer.status !== 200;

/** One answer with its body; asks again for `patientMs` until the status is 200. */
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

/**
 * A closed loop: each connection sends the next request as soon as it has its answer. Gives the times
 * of answers in ms.
 */
function closed({ port, requests, count, connections }) {
  return new Promise((resolve) => {
    let sent = 0;
    let done = 0;
    let failures = 0;
    let bytes = 0;
    const totals = [];
    const next = () => {
      const sentAt = performance.now();
      connectionTo(port).send(requests[sent++ % requests.length], (answer) => {
        if (failed(answer)) failures++;
        else bytes += answer.bytes;
        totals.push(performance.now() - sentAt);
        done++;
        if (sent < count) next();
        else if (done === count) resolve({ failures, bytes, totals });
      });
    };
    for (let index = Math.min(connections, count); index > 0; index--) next();
  });
}

/**
 * Calls at a time finer than timers: sleeps for whole milliseconds, then polls the clock in every
 * turn of the loop.
 */
function callAt(dueAt, call) {
  const left = dueAt - performance.now();
  if (left <= 0) call();
  else if (left > 1.2) setTimeout(callAt, Math.floor(left - 1), dueAt, call);
  else setImmediate(callAt, dueAt, call);
}

/**
 * An open loop: requests at a fixed rate. Times in ms, from the moment at which the request was
 * due.
 */
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

/**
 * A closed loop for a time, after which what is under way is given up. Counts good answers after the
 * warm-up.
 */
function closedFor({ port, requests, warmUpSeconds, seconds, connections }) {
  return new Promise((resolve) => {
    let done = 0;
    let isOver = false;
    const countedFrom = performance.now() + warmUpSeconds * 1_000;
    const open = new Set();
    const next = () => {
      if (isOver) return;
      const connection = connectionTo(port);
      open.add(connection);
      connection.send(requests[0], (answer) => {
        open.delete(connection);
        if (isOver) return;
        if (!failed(answer) && performance.now() >= countedFrom) done++;
        // what was refused is not sent again at once
        if (failed(answer)) setTimeout(next, 100);
        else next();
      });
    };
    for (let index = 0; index < connections; index++) next();
    setTimeout(
      () => {
        isOver = true;
        for (const { socket } of open) socket.destroy();
        resolve({ done });
      },
      (warmUpSeconds + seconds) * 1_000,
    );
  });
}

/** Times between requests that come by themselves: exponential, the same in each run. */
function* gaps(meanMs) {
  for (let seed = 1; ;) {
    seed = (seed * 48_271) % 2_147_483_647;
    yield -meanMs * Math.log(seed / 2_147_483_647);
  }
}

/** How long answers may take after the last request. */
const lastAnswersMs = 20_000;

/**
 * An open loop for a time, in which most may be refused with 503. Counts what is sent after the
 * warm-up; `goodput` is good answers in a second of that time. Times in ms, from the moment at which
 * a request was due.
 */
function offer({ port, requests, perSecond, warmUpSeconds, seconds }) {
  return new Promise((resolve) => {
    const startAt = performance.now() + 5;
    const countedFrom = startAt + warmUpSeconds * 1_000;
    const endAt = countedFrom + seconds * 1_000;
    const between = gaps(1_000 / perSecond);
    const result = { totals: [], firsts: [], refused: 0, failures: 0, sent: 0, goodput: 0 };
    let good = 0;
    let open = 0;
    let dueAt = startAt;
    const finish = () => resolve({ ...result, goodput: good / seconds });
    const giveUp = setTimeout(finish, endAt - startAt + lastAnswersMs);
    const send = () => {
      const wasDueAt = dueAt;
      const isCounted = wasDueAt >= countedFrom;
      open++;
      if (isCounted) result.sent++;
      connectionTo(port).send(requests[0], (answer) => {
        open--;
        const now = performance.now();
        if (!failed(answer) && now >= countedFrom && now < endAt) good++;
        if (isCounted && answer?.status === 503) result.refused++;
        else if (isCounted && failed(answer)) result.failures++;
        else if (isCounted) {
          result.totals.push(now - wasDueAt);
          result.firsts.push(answer.firstAt - wasDueAt);
        }
        if (open === 0 && dueAt >= endAt) {
          clearTimeout(giveUp);
          finish();
        }
      });
    };
    const sendDue = () => {
      for (const now = performance.now(); dueAt <= now && dueAt < endAt;) {
        send();
        dueAt += between.next().value;
      }
      if (dueAt < endAt) callAt(dueAt, sendDue);
    };
    callAt(dueAt, sendDue);
  });
}

let held = [];

/**
 * Opens streams at a fixed rate and resolves when each has its first content. They stay open until
 * `release`. `unread`: after their first bytes nothing more of them is read.
 */
function hold({ port, requests, count, perSecond, unread = false }) {
  held = [];
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const look = () => {
      const due = Math.min(count, Math.ceil(((performance.now() - startedAt) * perSecond) / 1_000));
      while (held.length < due) {
        const stream = { connection: new Connection(port), reader: null, ended: false };
        stream.connection.reads = !unread;
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

/** How many held streams are alive, and the bytes they have received. */
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

const kinds = { once, closed, closedFor, open, offer, hold, heldNow, release };

process.on('message', async ({ id, kind, ...job }) =>
  process.send({ id, result: await kinds[kind](job) }),
);
process.on('disconnect', () => process.exit());
