// Two gateways in one process: each with its own keys, providers, limits and metrics.
//   MODEL_URL=http://127.0.0.1:11434/v1 node two-gateways.mjs
import express from 'express';
import { createGateway } from 'signalbox';

const baseUrl = process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1';

const gatewayFor = (team, limits) =>
  createGateway({
    auth: {
      keys: [
        {
          name: team,
          key: process.env[`${team.toUpperCase()}_KEY`] ?? `sk_${team}`,
          models: ['local/*'],
        },
      ],
    },
    providers: { local: { api: 'openai-compatible', baseUrl } },
    limits,
    metrics: { prefix: `${team}_` },
    log: { level: 'warn' },
  });

const research = gatewayFor('research', { maxRetries: 5 });
const support = gatewayFor('support', { maxRetries: 1, totalTimeoutMs: 30_000 });

const app = express();
app.use('/research', research.router);
app.use('/support', support.router);
app.use((req, res) => res.status(404).json({ problem: `there is nothing at ${req.path}` }));

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

process.on('SIGTERM', async () => {
  server.close();
  await Promise.all([research.close(), support.close()]);
  console.log('stopped');
});
