// A cheap upstream in the dialect of the path (OpenAI's chat, Anthropic's Messages, OpenAI's
// Responses): its answers are prepared bytes. The model's name chooses the answer: `json` is a completion of 1.1 KB; `vector` is an embedding of 1,536 numbers; `sse-<chunks>-<burst>-<interval µs>` is a stream of
// chunks of some 200 B, one burst in each write.
import { createServer } from 'node:net';

const envelope = '"id":"chatcmpl-000000000000000000000000","created":1700000000,"model":"mock-1"';
const usage =
  '"usage":{"prompt_tokens":60,"completion_tokens":100,"total_tokens":160,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}';
const text = 'Every signal is set before the train arrives. '.repeat(14);
const completion = `{${envelope},"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"${text}","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],${usage},"service_tier":"default"}`;
const message = `{"id":"msg_0","type":"message","role":"assistant","model":"mock-1","content":[{"type":"text","text":"${text}"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":60,"output_tokens":100}}`;
const responseHead = '"id":"resp_0","object":"response","created_at":1700000000,"model":"mock-1"';
const responseUsage =
  '"usage":{"input_tokens":60,"output_tokens":100,"total_tokens":160,"input_tokens_details":{"cached_tokens":0},"output_tokens_details":{"reasoning_tokens":0}}';
const outputItem = (content, status) =>
  `{"id":"msg_0","type":"message","role":"assistant","status":"${status}","content":[${content}]}`;
const outputPart = (said) =>
  `{"type":"output_text","text":"${said}","annotations":[],"logprobs":[]}`;
const response = `{${responseHead},"status":"completed","output":[${outputItem(outputPart(text), 'completed')}],${responseUsage}}`;
const wholeOf = (body) =>
  Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nx-request-id: req-0\r\n\r\n${body}`,
  );
const numbers = Array.from({ length: 1_536 }, (_, at) => (Math.sin(at) / 40).toFixed(9));
const vector = wholeOf(
  `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[${numbers}]}],"model":"mock-1","usage":{"prompt_tokens":60,"total_tokens":60}}`,
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
const done = `${event('{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}')}${event('', `,${usage}`)}data: [DONE]\n\n`;
const named = (json) => `event: ${/"type":"([^"]*)"/.exec(json)[1]}\ndata: ${json}\n\n`;
const inItem = '"item_id":"msg_0","output_index":0,"content_index":0';

/** A dialect: its whole answer, and of a stream the beginning, the chunk of a number and the end. */
const dialects = {
  chat: {
    whole: wholeOf(completion),
    first: '',
    chunk: (index) => chunks[index % chunks.length],
    last: done,
  },
  messages: {
    whole: wholeOf(message),
    first: [
      '{"type":"message_start","message":{"id":"msg_0","type":"message","role":"assistant","model":"mock-1","content":[],"stop_reason":null,"usage":{"input_tokens":60,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
    ]
      .map(named)
      .join(''),
    chunk: (index) =>
      named(
        `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${words[index % words.length]}"}}`,
      ),
    last: [
      '{"type":"content_block_stop","index":0}',
      '{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":100}}',
      '{"type":"message_stop"}',
    ]
      .map(named)
      .join(''),
  },
  responses: {
    whole: wholeOf(response),
    first: [
      `{"type":"response.created","response":{${responseHead},"status":"in_progress","output":[]},"sequence_number":0}`,
      `{"type":"response.output_item.added","output_index":0,"item":${outputItem('', 'in_progress')},"sequence_number":1}`,
      `{"type":"response.content_part.added",${inItem},"part":${outputPart('')},"sequence_number":2}`,
    ]
      .map(named)
      .join(''),
    chunk: (index) =>
      named(
        `{"type":"response.output_text.delta",${inItem},"delta":"${words[index % words.length]}","logprobs":[],"sequence_number":${index + 3},"obfuscation":"0123456789"}`,
      ),
    last: [
      `{"type":"response.output_text.done",${inItem},"text":"${text}","logprobs":[],"sequence_number":1000}`,
      `{"type":"response.content_part.done",${inItem},"part":${outputPart(text)},"sequence_number":1001}`,
      `{"type":"response.output_item.done","output_index":0,"item":${outputItem(outputPart(text), 'completed')},"sequence_number":1002}`,
      `{"type":"response.completed","response":${response},"sequence_number":1003}`,
    ]
      .map(named)
      .join(''),
  },
};
const dialectOf = (head) => {
  const [, path = ''] = head.split(' ', 2);
  const name = /\/(messages|responses)/.exec(path)?.[1] ?? 'chat';
  return dialects[name];
};

const framed = (payload) => `${Buffer.byteLength(payload).toString(16)}\r\n${payload}\r\n`;

const streams = new Map();

/** The writes of a stream in order, and the time between them. */
function streamOf(dialect, model) {
  const key = `${Object.values(dialects).indexOf(dialect)} ${model}`;
  let stream = streams.get(key);
  if (!stream) {
    const [count, burst, intervalUs] = model.split('-').slice(1).map(Number);
    const frames = Array.from({ length: count }, (_, index) => framed(dialect.chunk(index)));
    const writes = Array.from({ length: Math.ceil(count / burst) }, (_, index) =>
      frames.slice(index * burst, (index + 1) * burst).join(''),
    );
    writes[0] = head + (dialect.first === '' ? '' : framed(dialect.first)) + writes[0];
    writes[writes.length - 1] += `${framed(dialect.last)}0\r\n\r\n`;
    streams.set(
      key,
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

function answer(socket, dialect, body) {
  const model = /"model":"([^"]*)"/.exec(body)?.[1] ?? 'json';
  if (model.startsWith('sse-') && body.includes('"stream":true'))
    startStream(socket, streamOf(dialect, model));
  else socket.write(model === 'vector' ? vector : dialect.whole);
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
    const dialect = dialectOf(received);
    const body = received.slice(end + 4, length);
    received = received.slice(length);
    answer(socket, dialect, body);
  });
  socket.on('error', () => socket.destroy());
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 8_192 }, () =>
  process.send({ port: server.address().port }),
);
process.on('disconnect', () => process.exit());
