// The whole gateway, mounted in an Express app (4 or 5) under a prefix.
//   SIGNALBOX_API_KEY=sk_mine MODEL_URL=http://127.0.0.1:11434/v1 node mount-express.mjs
import express from 'express';
import { createGateway } from 'signalbox';

const gateway = createGateway({
  // an empty or absent variable stops the start: nobody gets in without a key
  auth: { keys: [{ name: 'me', key: '${SIGNALBOX_API_KEY}' }] },
  providers: {
    local: {
      api: 'openai-compatible',
      baseUrl: process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1',
    },
  },
  // a mounted gateway logs nothing unless asked
  log: { level: 'info' },
});

const app = express();
app.use(express.json()); // the app's own body parser may run before the gateway
app.use('/ai', gateway.router);
app.get('/', (_req, res) => res.send('This is the app itself.'));

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
  console.log("  POST /ai/v1/chat/completions     OpenAI's dialect");
  console.log('  POST /ai/api/v1/completions      the native one');
  console.log('  POST /ai/api/v1/model-select     only the choice');
  console.log("  *    /ai/proxy/local/…           the provider's own API");
  console.log('  GET  /ai/metrics                 for Prometheus');
});

process.on('SIGTERM', async () => {
  server.close();
  await gateway.close(); // waits for the calls in flight
  console.log('stopped');
});
