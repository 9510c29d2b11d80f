// An MCP server over standard input and output that misbehaves as its first argument says.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

const [behaviour = '', file = ''] = process.argv.slice(2);
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const note = (text) => file && appendFileSync(file, `${text}\n`);
const object = { type: 'object', properties: { text: { type: 'string' } } };
const tool = (name, inputSchema = object) => ({ name, description: name, inputSchema });
let tools = [tool('echo')];

note(`started ${process.pid}`);
if (behaviour === 'exits') process.exit(1);
if (behaviour === 'deaf') {
  process.stdin.pause();
  setInterval(() => undefined, 1_000);
}
if (behaviour === 'stubborn') {
  process.on('SIGTERM', () => note('SIGTERM'));
  setInterval(() => undefined, 1_000);
}
if (behaviour === 'chatty') console.error('x'.repeat(2_000) + '\nsecond line with sk_env_secret');
if (behaviour === 'garbage') process.stdout.write('Starting…\n{"jsonrpc":\n[]\n{"a":1}\n\u0000\n');

async function flood(text) {
  for (;;)
    if (!process.stdout.write(text)) await new Promise((go) => process.stdout.once('drain', go));
}

const behaviours = {
  dies: () => process.exit(3),
  slow: () => wait(60_000),
  // answers once its file says so
  patient: async (id) => {
    while (!readFileSync(file, 'utf8').includes('go')) await wait(10);
    send({ id, result: { content: [{ type: 'text', text: 'late' }] } });
  },
  huge: async (id) => send({ id, result: { content: [{ type: 'text', text: 'x'.repeat(3e6) }] } }),
  endless: () => flood('x'.repeat(65_536)),
  floods: () =>
    flood(
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'y'.repeat(1_000) } })}\n`,
    ),
  odd: (id) => send({ id, result: { content: 'no list', structuredContent: { a: 1 } } }),
  refuses: (id) => send({ id, error: { code: -32603, message: 'no, said sk_env_secret' } }),
};

const answers = {
  initialize: ({ id, params }) =>
    behaviour === 'mute'
      ? undefined
      : behaviour === 'unwilling'
        ? send({ id, error: { code: -32000, message: 'not today' } })
        : send({
            id,
            result: {
              protocolVersion: params.protocolVersion,
              capabilities: { tools: { listChanged: true } },
              serverInfo: { name: 'scripted', version: '1' },
            },
          }),
  'tools/list': ({ id }) => {
    note('listed');
    if (behaviour === 'schemas')
      tools = [
        tool('echo'),
        tool('list', { type: 'array' }),
        tool('typed', { type: 'object', properties: { a: { type: 'text' } } }),
        tool('referring', { properties: { a: { $ref: '#/nowhere' } } }),
        tool('deep', JSON.parse('{"properties":{"a":'.repeat(40) + '{}' + '}}'.repeat(40))),
        tool('large', { type: 'object', properties: { a: { enum: ['x'.repeat(40_000)] } } }),
        { name: 'none' },
        { inputSchema: object },
        'no tool',
        tool('echo'),
      ];
    if (behaviour === 'pages')
      return send({ id, result: { tools, nextCursor: String(Math.random()) } });
    return send({ id, result: behaviour === 'listless' ? { tools: 'none' } : { tools } });
  },
  'tools/call': async ({ id, params }) => {
    note(`called ${params.name}`);
    if (params.name === 'more') return undefined;
    const act = behaviours[behaviour];
    if (act) return act(id);
    if (behaviour === 'changes') {
      tools = [...tools, tool('more')];
      send({ method: 'notifications/tools/list_changed' });
    }
    return send({ id, result: { content: [{ type: 'text', text: params.arguments.text ?? '' }] } });
  },
  'notifications/cancelled': () => note('cancelled'),
};

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const message = JSON.parse(line);
  if (behaviour === 'deaf') return;
  void answers[message.method]?.(message);
});
lines.on('close', () => {
  note('input ended');
  if (behaviour !== 'stubborn') process.exit(0);
});
