// An app with its own route and authentication. The gateway answers, and serves its metrics on
// another port.
//   MODEL_URL=http://127.0.0.1:11434/v1 node metrics-only.mjs
import express from 'express';
import { createGateway } from 'signalbox';

const gateway = createGateway({
  providers: {
    local: {
      api: 'openai-compatible',
      baseUrl: process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1',
    },
  },
  // metrics name only models of the configuration or the catalogue
  models: { 'local/llama3.2': { inputPrice: 0.1, outputPrice: 0.2 } },
  log: { level: 'warn' },
});

const signedIn = (req, res, next) => {
  if (req.headers.cookie === 'session=alice') next();
  else res.status(401).json({ problem: 'sign in first' });
};

const app = express();
app.post('/chat', signedIn, gateway.complete, gateway.errorHandler);

// a separate listener that is not public
const internal = express().get('/metrics', gateway.metrics);

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
const scraped = internal.listen(process.env.METRICS_PORT ?? 9464, '127.0.0.1', () => {
  console.log(`metrics on http://127.0.0.1:${scraped.address().port}/metrics`);
});
