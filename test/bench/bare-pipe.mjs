// The yardstick: the least that a proxy on Node can do. Node's http server and undici's dispatch;
// nothing is parsed or changed.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const pool = new Pool(process.env.UPSTREAM, {
  connections: null,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
});

function pipe(res) {
  return {
    onRequestStart() {},
    onResponseStart(_controller, status, headers) {
      const length = headers['content-length'];
      res.writeHead(
        status,
        length === undefined
          ? { 'content-type': headers['content-type'] }
          : { 'content-type': headers['content-type'], 'content-length': length },
      );
    },
    onResponseData: (_controller, bytes) => res.write(bytes),
    onResponseEnd: () => res.end(),
    onResponseError: () => res.destroy(),
  };
}

const server = createServer({ keepAliveTimeout: 75_000, highWaterMark: 65_536 }, (req, res) => {
  const pieces = [];
  req.on('data', (piece) => pieces.push(piece));
  req.on('end', () => {
    const body = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    pool.dispatch(
      {
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      },
      pipe(res),
    );
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 8_192 }, () =>
  process.send({ port: server.address().port }),
);
process.on('disconnect', () => process.exit());
