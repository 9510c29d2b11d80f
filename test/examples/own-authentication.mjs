// An app with its own sign-in, and its own calls of its models: the gateway only chooses the model,
// and learns from what the app reports.
//   MODEL_URL=http://127.0.0.1:11434/v1 node own-authentication.mjs
import express from 'express';
import { createGateway, planOf } from 'signalbox';

const modelUrl = process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1';
const gateway = createGateway({
  providers: { local: { api: 'openai-compatible', baseUrl: modelUrl } },
  models: {
    'local/large': { inputPrice: 5, outputPrice: 10, quality: 0.9 },
    'local/small': { inputPrice: 1, outputPrice: 2, quality: 0.8 },
  },
});

const signedIn = (req, res, next) => {
  if (req.headers.cookie === 'session=alice') next();
  else res.status(401).json({ problem: 'sign in first' });
};

const app = express();
app.post('/chat', signedIn, gateway.selectModel, async (req, res) => {
  const plan = planOf(res);
  const [{ model, label }] = plan.candidates;
  const startedAt = performance.now();
  try {
    const reply = await fetch(`${modelUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: req.body.messages }),
    });
    if (!reply.ok) throw new Error(`the model answered ${reply.status}`);
    const { choices, usage } = await reply.json();
    plan.report({ ok: true, latencyMs: performance.now() - startedAt, usage });
    res.json({ model: label, answer: choices[0].message.content });
  } catch (error) {
    plan.report({ ok: false, latencyMs: performance.now() - startedAt, error });
    res.status(502).json({ problem: 'the model did not answer' });
  }
});
app.get('/metrics', gateway.metrics);
app.use(gateway.errorHandler);

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
