// A provider that throws request bodies away. Its answer is short, or of 5 MB below `/long`.
import { createServer } from 'node:http';

const longBytes = 5 * 1_048_576;
const completion = (content) =>
  Buffer.from(
    JSON.stringify({
      id: 'chatcmpl-0',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'mock',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
    }),
  );
const short = completion('Yes.');
const long = completion('x'.repeat(longBytes));

const server = createServer((req, res) => {
  req.resume().once('end', () => {
    const body = req.url.startsWith('/long') ? long : short;
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    res.end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
