// The jobs of the load generator in which most may be refused: a closed loop and an open one, for a
// time.
import { callAt, Connection, connectionTo, failed, idleAt } from '../connections.mjs';

/**
 * A closed loop for a time, after which what is under way is given up. Counts good answers after the
 * warm-up.
 */
export function closedFor({ port, requests, warmUpSeconds, seconds, connections }) {
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

/** How many connections are opened at once: fewer than a server lets wait. */
const opened = 200;

/** Opens connections until so many are idle. */
async function openUpTo(port, count) {
  for (const all = idleAt(port); all.length < count;) {
    const more = Array.from(
      { length: Math.min(opened, count - all.length) },
      () => new Connection(port),
    );
    await Promise.all(
      more.map(
        ({ socket }) =>
          new Promise((resolve) => socket.once('connect', resolve).once('close', resolve)),
      ),
    );
    all.push(...more.filter(({ socket }) => !socket.destroyed));
  }
}

/** How long answers may take after the last request. */
const lastAnswersMs = 10_000;

/**
 * An open loop for a time, in which most may be refused with 503. Counts what is sent after the
 * warm-up; `goodput` is good answers in a second of that time. Times in ms, from the moment at which
 * a request was due: one that is due while all connections are busy waits for one.
 */
export async function offer({ port, requests, perSecond, warmUpSeconds, seconds, connections }) {
  await openUpTo(port, connections);
  return new Promise((resolve) => {
    const startAt = performance.now() + 5;
    const countedFrom = startAt + warmUpSeconds * 1_000;
    const endAt = countedFrom + seconds * 1_000;
    const between = gaps(1_000 / perSecond);
    const result = { totals: [], firsts: [], refused: 0, sent: 0 };
    /** When those were due that wait for a connection; those before `next` have one. */
    let waiting = [];
    let next = 0;
    let good = 0;
    let open = 0;
    let dueAt = startAt;
    const finish = () => {
      const { sent, totals, refused } = result;
      // what has no answer by now has failed too
      resolve({ ...result, failures: sent - totals.length - refused, goodput: good / seconds });
    };
    const giveUp = setTimeout(finish, endAt - startAt + lastAnswersMs);
    const send = (wasDueAt) => {
      const isCounted = wasDueAt >= countedFrom;
      open++;
      if (isCounted) result.sent++;
      connectionTo(port).send(requests[0], (answer) => {
        open--;
        const now = performance.now();
        if (!failed(answer) && now >= countedFrom && now < endAt) good++;
        if (isCounted && answer?.status === 503) result.refused++;
        else if (isCounted && !failed(answer)) {
          result.totals.push(now - wasDueAt);
          result.firsts.push(answer.firstAt - wasDueAt);
        }
        sendWaiting();
        if (open === 0 && dueAt >= endAt) {
          clearTimeout(giveUp);
          finish();
        }
      });
    };
    const sendWaiting = () => {
      while (next < waiting.length && open < connections) send(waiting[next++]);
      if (next < waiting.length) return;
      waiting = [];
      next = 0;
    };
    const sendDue = () => {
      for (const now = performance.now(); dueAt <= now && dueAt < endAt;) {
        waiting.push(dueAt);
        dueAt += between.next().value;
      }
      sendWaiting();
      if (dueAt < endAt) callAt(dueAt, sendDue);
    };
    callAt(dueAt, sendDue);
  });
}
