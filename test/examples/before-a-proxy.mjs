// The gateway chooses the model, and http-proxy-middleware sends the request on.
//   MODEL_URL=http://127.0.0.1:11434/v1 node before-a-proxy.mjs
import express from 'express';
import { createProxyMiddleware, fixRequestBody } from 'http-proxy-middleware';
import { createGateway, planOf } from 'signalbox';

const gateway = createGateway({
  models: {
    'local/large': { inputPrice: 5, outputPrice: 10, quality: 0.9 },
    'local/small': { inputPrice: 1, outputPrice: 2, quality: 0.885 },
  },
  providers: { local: { api: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1' } },
});

/** Puts the chosen model into the body. */
const useThePlan = (req, res, next) => {
  const { models, tradeoff, ...body } = req.body;
  req.body = { ...body, model: planOf(res).candidates[0].model };
  next();
};

const proxy = createProxyMiddleware({
  target: process.env.MODEL_URL ?? 'http://127.0.0.1:11434/v1',
  changeOrigin: true,
  // the stage has read the body: without this the proxy would wait for it for ever
  on: { proxyReq: fixRequestBody },
});

const app = express();
app.post('/chat/completions', gateway.selectModel, useThePlan, proxy);
app.use(gateway.errorHandler);

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
