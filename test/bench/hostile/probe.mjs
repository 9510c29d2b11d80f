// Another client of the gateway: asks for /healthz again and again, and tells how long it waited at
// most.
import { connect } from 'node:net';

const pauseMs = 2;
const request = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

let longestMs = 0;
let askedAt = 0;
let socket = null;
let isOver = true;

function ask() {
  if (isOver) return;
  askedAt = performance.now();
  socket.write(request);
}

function note() {
  longestMs = Math.max(longestMs, performance.now() - askedAt);
}

function open(port) {
  socket = connect(port, '127.0.0.1');
  socket.once('connect', ask);
  socket.on('data', () => {
    note();
    setTimeout(ask, pauseMs);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    if (isOver) return;
    note();
    setTimeout(() => open(port), pauseMs);
  });
}

process.on('message', ({ id, kind, port }) => {
  if (kind === 'begin') {
    longestMs = 0;
    isOver = false;
    open(port);
  } else {
    // an answer that is still missing counts as well
    note();
    isOver = true;
    socket.destroy();
  }
  process.send({ id, result: { longestMs } });
});
process.on('disconnect', () => process.exit());
