// Your own candidates and request format: the gateway chooses among models it does not call.
//   node own-candidates.mjs
import express from 'express';
import { createGateway, planOf } from 'signalbox';

const gateway = createGateway();

// price in USD per million tokens, latency in seconds to the first token, quality from 0 to 1
const candidates = [
  {
    label: 'careful',
    provider: null,
    model: 'in-house-70b',
    price: { input: 4, output: 12 },
    latency: 1.2,
    attributes: { quality: 0.9, context_length: 128_000 },
  },
  {
    label: 'quick',
    provider: null,
    model: 'in-house-8b',
    price: { input: 0.2, output: 0.4 },
    latency: 0.2,
    attributes: { quality: 0.87, context_length: 8_000, tools: false },
  },
];
const answers = {
  careful: (question) => `A long and careful answer to: ${question}`,
  quick: (question) => `A quick answer to: ${question}`,
};

const choose = gateway.selectModelWith({
  candidates,
  from: ({ body, query }) => ({
    messages: [{ role: 'user', content: body.question }],
    tools: body.functions ?? [],
    tradeoff: query.hurry === undefined ? null : 'latency',
  }),
});

const app = express();
app.post('/ask', express.json(), choose, (req, res) => {
  const [{ label, why }] = planOf(res).candidates;
  res.json({ label, because: why.reason, answer: answers[label](req.body.question) });
});

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
