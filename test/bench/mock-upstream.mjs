// A cheap upstream in OpenAI's dialect: its answers are prepared bytes. The model's name chooses
// the
// answer: `json` is a completion of 1.1 KB; `sse-<chunks>-<burst>-<interval µs>` is a stream of
// chunks of some 200 B, one burst in each write.
import { createServer } from 'node:net';

const envelope = '"id":"chatcmpl-000000000000000000000000","created":1700000000,"model":"mock-1"';
const usage =
  '"usage":{"prompt_tokens":60,"completion_tokens":100,"total_tokens":160,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}';
const text = 'Every signal is set before the train arrives. '.repeat(14);
const completion = `{${envelope},"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"${text}","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],${usage},"service_tier":"default"}`;
const whole = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${completion.length}\r\nx-request-id: req-0\r\n\r\n${completion}`,
);
const head =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\nx-request-id: req-0\r\n\r\n';

const words = [
  ' every',
  ' signal',
  ' is',
  ' set \\"before\\"',
  ' the',
  ' train',
  ' caf\u00e9',
  '\\n',
];
const event = (choice, more = '') =>
  `data: {${envelope},"object":"chat.completion.chunk","choices":[${choice}]${more}}\n\n`;
const chunks = words.map((word) =>
  event(`{"index":0,"delta":{"content":"${word}"},"logprobs":null,"finish_reason":null}`),
);
const last = `${event('{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}')}${event('', `,${usage}`)}data: [DONE]\n\n`;
const framed = (payload) => `${Buffer.byteLength(payload).toString(16)}\r\n${payload}\r\n`;

const streams = new Map();

/** The writes of a stream in order, and the time between them. */
function streamOf(model) {
  let stream = streams.get(model);
  if (!stream) {
    const [count, burst, intervalUs] = model.split('-').slice(1).map(Number);
    const frames = Array.from({ length: count }, (_, index) =>
      framed(chunks[index % chunks.length]),
    );
    const writes = Array.from({ length: Math.ceil(count / burst) }, (_, index) =>
      frames.slice(index * burst, (index + 1) * burst).join(''),
    );
    writes[0] = head + writes[0];
    writes[writes.length - 1] += `${framed(last)}0\r\n\r\n`;
    streams.set(
      model,
      (stream = {
        writes: writes.map((write) => Buffer.from(write)),
        intervalMs: intervalUs / 1000,
      }),
    );
  }
  return stream;
}

/** Streams whose writes are closer than a millisecond, finer than timers. */
const hurried = new Set();

function hurry() {
  const now = performance.now();
  for (const run of hurried) if (run.dueAt <= now) writeNext(run);
  if (hurried.size > 0) setImmediate(hurry);
}

function writeNext(run) {
  run.socket.write(run.writes[run.next++]);
  // never two writes at once: the reader would see one
  run.dueAt = performance.now() + run.intervalMs;
  if (run.next === run.writes.length || run.socket.destroyed) stop(run);
}

function stop(run) {
  hurried.delete(run);
  clearInterval(run.timer);
}

function startStream(socket, { writes, intervalMs }) {
  const run = { socket, writes, intervalMs, next: 0, dueAt: performance.now(), timer: null };
  writeNext(run);
  if (run.next === writes.length) return;
  if (intervalMs >= 1) run.timer = setInterval(writeNext, intervalMs, run);
  else {
    hurried.add(run);
    if (hurried.size === 1) setImmediate(hurry);
  }
}

function answer(socket, body) {
  const model = /"model":"([^"]*)"/.exec(body)?.[1] ?? 'json';
  if (model.startsWith('sse-') && body.includes('"stream":true'))
    startStream(socket, streamOf(model));
  else socket.write(whole);
}

const server = createServer({ noDelay: true }, (socket) => {
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.latin1Slice();
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length =
      end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(received.slice(0, end))?.[1] ?? 0);
    if (received.length < length) return;
    const body = received.slice(end + 4, length);
    received = received.slice(length);
    answer(socket, body);
  });
  socket.on('error', () => socket.destroy());
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 8_192 }, () =>
  process.send({ port: server.address().port }),
);
process.on('disconnect', () => process.exit());
