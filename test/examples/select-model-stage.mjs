// One stage of the gateway in your own route: it chooses the model, your handler calls it.
//   node select-model-stage.mjs
import express from 'express';
import { createGateway, GatewayError, planOf } from 'signalbox';

const gateway = createGateway({
  models: {
    'openai/gpt-large': { inputPrice: 5, outputPrice: 20, quality: 0.9 },
    'openai/gpt-small': { inputPrice: 0.5, outputPrice: 2, quality: 0.88, tools: false },
  },
});

const app = express();

// the body: { messages, models: ["openai/gpt-large", …] or llm_providers: […], tradeoff?, tools? }
app.post('/chat', gateway.selectModel, (_req, res) => {
  const { id, candidates, excluded } = planOf(res);
  const [best, ...others] = candidates;
  // your own client would now call best.provider with best.model, and the others if that fails
  res.json({
    plan: id,
    model: best.label,
    because: best.why.reason,
    otherwise: others.map(({ label }) => label),
    excluded: excluded.map(({ candidate, reason }) => `${candidate.label}: ${reason}`),
  });
});

// a stage does not answer errors: it passes them to next(), each with a status and a code
app.use((error, _req, res, next) => {
  if (error instanceof GatewayError)
    res.status(error.status).json({ code: error.code, problem: error.message });
  else next(error);
});

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
