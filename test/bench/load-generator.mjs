// The load generator: a process that gets jobs over IPC and answers with what it measured. It keeps
// raw sockets alive and sends requests that are bytes already, so that its own cost stays small.
import { AnswerReader } from './answer-reader.mjs';
import { callAt, Connection, connectionTo, failed } from './connections.mjs';
import { closedFor, offer } from './overload/offered-load.mjs';

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
