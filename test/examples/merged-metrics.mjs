// An app with a metrics page of its own, on which the gateway's metrics stand too.
//   MODEL_URL=http://127.0.0.1:11434/v1 node merged-metrics.mjs
import express from 'express';
import { Counter, Registry } from 'prom-client';
import { createGateway } from 'signalbox';

const registry = new Registry();
const visits = new Counter({ name: 'visits_total', help: 'Visits.', registers: [registry] });

const gateway = createGateway(
  {
    providers: {
      local: {
        api: 'openai-compatible',
        baseUrl: process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1',
      },
    },
    models: { 'local/llama3.2': { inputPrice: 0.1, outputPrice: 0.2 } },
  },
  // the app's logger too: the gateway writes nothing by itself
  { registry, logger: console },
);

const app = express();
app.post('/chat', gateway.complete);
app.get('/', (_req, res) => {
  visits.inc();
  res.send('Welcome.');
});
app.get('/metrics', async (_req, res) => {
  res.type(registry.contentType).send(await registry.metrics());
});
app.use(gateway.errorHandler);

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
