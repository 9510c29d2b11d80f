import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const mib = 1_048_576;
/** Just below the largest body that the gateway takes by default. */
const largeBytes = 31 * mib;
const smallBytes = 2 * mib;
/** How long a request may take. */
const maxWaitMs = 120_000;
/** How long clients that hold on to their connections are watched. */
const watchMs = 15_000;
const slowReaders = 60;
const halfOpen = 200;

const chat = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Hi' }];

/** `<before>[item,item,…]<after>` of about that many bytes. */
function listOf(before, item, after, bytes) {
  const count = Math.floor((bytes - before.length - after.length) / (item.length + 1));
  return Buffer.from(`${before}[${`${item},`.repeat(count - 1)}${item}]${after}`);
}

const unknownField = (item, bytes) =>
  listOf(`{"model":"up/m","messages":${JSON.stringify(messages)},"x":`, item, '}', bytes);

function fieldNames(bytes) {
  const count = Math.floor(bytes / 16);
  const names = Array.from({ length: count }, (_, index) => `"name${index}":1`);
  return Buffer.from(
    `{"model":"up/m","messages":${JSON.stringify(messages)},"x":{${names.join(',')}}}`,
  );
}

const brackets = (bytes) =>
  Buffer.from(`{"model":"up/m","messages":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`);
const differentTexts = (bytes) =>
  Buffer.from(
    `{"model":"up/m","messages":${JSON.stringify(messages)},"x":[${Array.from({ length: Math.floor(bytes / 10) }, (_, index) => `"${1_000_000 + index}"`).join(',')}]}`,
  );
const text = (bytes, sign = 'word ') => sign.repeat(Math.floor(bytes / Buffer.byteLength(sign)));
const oneMessage = (bytes, sign) =>
  Buffer.from(
    JSON.stringify({ model: 'up/m', messages: [{ role: 'user', content: text(bytes, sign) }] }),
  );
const manyMessages = (count) =>
  Buffer.from(
    JSON.stringify({
      model: 'up/m',
      messages: Array.from({ length: count }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: 'some words',
      })),
    }),
  );
const selection = (content, candidates) =>
  Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }], llm_providers: candidates }));
const candidates = (count) =>
  Array.from({ length: count }, (_, index) => ({ provider: 'openai', model: `model-${index}` }));

const boundary = 'boundary';
const form = (parts) =>
  Buffer.from(
    `${`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n`.repeat(parts)}--${boundary}--\r\n`,
  );

const json = { 'content-type': 'application/json' };

/** Sends a request and reads its answer. @returns its status, or what happened instead */
function send({ port, key }, path, body, headers = json) {
  return new Promise((resolve) => {
    const request = httpRequest(
      {
        port,
        host: '127.0.0.1',
        path,
        method: 'POST',
        agent: false,
        timeout: maxWaitMs,
        headers: { authorization: `Bearer ${key}`, 'content-length': body.length, ...headers },
      },
      (response) => {
        response.resume();
        response.once('close', () => resolve(String(response.statusCode)));
      },
    );
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', ({ code, message }) => resolve(code ?? message));
    request.end(body);
  });
}

const single = (path, body, headers) => ({
  prepare: () => {
    const bytes = body();
    return (gateway) => send(gateway, path, bytes, headers);
  },
});

/** Opens connections that write and never read. @returns how many the gateway has closed by then */
async function hold({ port }, count, bytes, options) {
  let closed = 0;
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1', ...options });
    socket.on('error', () => undefined);
    socket.once('close', () => closed++);
    if (!options.allowHalfOpen) socket.pause();
    else socket.resume();
    socket.write(bytes);
    return socket;
  });
  await wait(watchMs);
  return { sockets, closed: () => closed };
}

const longAnswer = (key) => {
  const body = JSON.stringify({ model: 'long/m', messages });
  return `POST ${chat} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

/** The gateway's own limits are set so that the row need not take minutes. */
const held = (count, bytesOf, options) => ({
  limits: { headersTimeoutMs: 2_000, requestTimeoutMs: 4_000, clientIdleMs: 5_000 },
  prepare: () => async (gateway) => {
    const before = gateway.descriptors();
    const { sockets } = await hold(gateway, count, bytesOf(gateway.key), options);
    const left = Math.max(0, gateway.descriptors() - before);
    for (const socket of sockets) socket.destroy();
    return `${left} of ${count} left`;
  },
});

/**
 * Requests that try to stop a gateway. `prepare` makes the bodies, and returns what sends them and
 * resolves with what came of it.
 */
export const attacks = [
  {
    name: 'objects-2m',
    what: 'empty objects, 2 MB',
    ...single(chat, () => unknownField('{}', smallBytes)),
  },
  {
    name: 'names-2m',
    what: 'different field names, 2 MB',
    ...single(chat, () => fieldNames(smallBytes)),
  },
  {
    name: 'texts-2m',
    what: 'different short texts, 2 MB',
    ...single(chat, () => differentTexts(smallBytes)),
  },
  {
    name: 'numbers-2m',
    what: 'numbers, 2 MB',
    ...single(chat, () => unknownField('7', smallBytes)),
  },
  {
    name: 'messages-2m',
    what: '40,000 messages, 2 MB',
    ...single(chat, () => manyMessages(40_000)),
  },
  {
    name: 'message-2m',
    what: 'one message of 2 MB',
    ...single(chat, () => oneMessage(smallBytes)),
  },
  {
    name: 'objects',
    what: 'empty objects, 31 MB',
    ...single(chat, () => unknownField('{}', largeBytes)),
  },
  { name: 'brackets', what: 'nested lists, 31 MB', ...single(chat, () => brackets(largeBytes)) },
  {
    name: 'names',
    what: 'different field names, 31 MB',
    ...single(chat, () => fieldNames(largeBytes)),
  },
  {
    name: 'embeddings',
    what: 'embeddings of 8 million lists',
    ...single('/v1/embeddings', () => listOf('{"model":"up/m","input":', '[1]', '}', largeBytes)),
  },
  {
    name: 'form',
    what: 'a training form of 400,000 parts',
    ...single('/api/v1/preferences/none/training', () => form(400_000), {
      'content-type': `multipart/form-data; boundary=${boundary}`,
    }),
  },
  { name: 'message', what: 'one message of 31 MB', ...single(chat, () => oneMessage(largeBytes)) },
  {
    name: 'message-wide',
    what: 'one message of 31 MB in Chinese',
    ...single(chat, () => oneMessage(largeBytes, '模型')),
  },
  { name: 'messages', what: '100,000 messages', ...single(chat, () => manyMessages(100_000)) },
  {
    name: 'candidates',
    what: 'selection among 200,000 candidates',
    ...single('/api/v1/model-select', () => selection('Hi', candidates(200_000))),
  },
  {
    name: 'selection',
    what: 'selection for a message of 31 MB',
    ...single('/api/v1/model-select', () => selection(text(largeBytes), candidates(40))),
  },
  {
    name: 'two-bodies',
    what: 'two bodies of 31 MB of empty objects at once, heap of 1 GB',
    heapMb: 1_024,
    prepare: () => {
      const bytes = unknownField('{}', largeBytes);
      return async (gateway) =>
        (await Promise.all([send(gateway, chat, bytes), send(gateway, chat, bytes)])).join(', ');
    },
  },
  {
    name: 'slow-readers',
    what: `${slowReaders} clients that do not read answers of 5 MB, after ${watchMs / 1_000} s`,
    ...held(slowReaders, longAnswer, {}),
  },
  {
    name: 'half-open',
    what: `${halfOpen} connections that send half a header and ignore their end, after ${watchMs / 1_000} s`,
    ...held(halfOpen, () => 'POST / HTTP/1.1\r\nHost: x\r\n', { allowHalfOpen: true }),
  },
];
