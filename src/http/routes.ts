import { Router } from 'express';
import type { Metrics } from '../metrics.js';
import { compileSchema } from '../schema.js';
import { authenticate } from './authenticate.js';
import { complete } from './complete.js';
import { createEmbeddings } from './embed.js';
import { errorHandler } from './error-handler.js';
import type { Parts } from './parts.js';
import { passthrough, proxyKey } from './passthrough.js';
import { docsPage } from './resources/docs.js';
import { healthz, readyz } from './resources/health.js';
import { metricsPage } from './resources/metrics-page.js';
import { listModels, readModel } from './resources/models.js';
import { openApi } from './resources/openapi.js';
import { planCall, plannedCallOf, selectModel, sendSelection } from './select-model.js';
import { modelSelect } from './surfaces/model-select.js';
import { native } from './surfaces/native.js';
import { openAIErrors } from './surfaces/openai-error.js';
import { openai } from './surfaces/openai.js';
import { proxySurface } from './surfaces/proxy.js';
import { named, track } from './track.js';
import { methodNotAllowed, validate } from './validate.js';

const selectPaths = ['/api/v1/model-select', '/api/v1/modelSelect', '/api/v1/model-router/model-select'];
// not a named parameter: Express would decode it, and answer a wrong encoding itself
const modelPath = /^\/v1\/models\/./i;
const completionPaths = ['/api/v1/completions', '/api/v1/chat/completions'];

/** `POST /api/v1/model-select`: which model to call. */
export function modelSelectRouter(parts: Parts): Router {
  return Router()
    .post(selectPaths, track(parts, modelSelect), authenticate(parts), validate(parts, compileSchema('model-select.request')), selectModel(parts), sendSelection(parts))
    .all(selectPaths, track(parts, modelSelect), authenticate(parts), methodNotAllowed('POST'))
    .use(errorHandler(parts));
}

/** `POST /api/v1/completions`: the answer itself. */
export function completionsRouter(parts: Parts): Router {
  return Router()
    .post(completionPaths, track(parts, native), authenticate(parts), validate(parts, compileSchema('completions.request')), planCall(parts, native), complete(parts, native, plannedCallOf))
    .all(completionPaths, track(parts, native), authenticate(parts), methodNotAllowed('POST'))
    .use(errorHandler(parts));
}

/** OpenAI's dialect: chat completions, embeddings, models. */
export function openaiRouter(parts: Parts): Router {
  const [embeddings, models] = [openAIErrors('embeddings'), openAIErrors('models')];
  return Router()
    .post('/v1/chat/completions', track(parts, openai), authenticate(parts), validate(parts, compileSchema('chat-completions.request')), planCall(parts, openai), complete(parts, openai, plannedCallOf))
    .post('/v1/embeddings', track(parts, embeddings), authenticate(parts), validate(parts, compileSchema('embeddings.request')), createEmbeddings(parts))
    .get('/v1/models', track(parts, models), authenticate(parts), listModels(parts))
    .get(modelPath, track(parts, models), authenticate(parts), readModel(parts))
    .all(['/v1/chat/completions', '/v1/embeddings'], track(parts, openai), authenticate(parts), methodNotAllowed('POST'))
    .all(['/v1/models', modelPath], track(parts, models), authenticate(parts), methodNotAllowed('GET'))
    .use(errorHandler(parts));
}

/** `/proxy/<provider>/…`: any path of a provider's own API. */
export function proxyRouter(parts: Parts): Router {
  return Router().use('/proxy', track(parts, proxySurface), authenticate(parts, { readKey: proxyKey }), ...passthrough(parts)).use(errorHandler(parts));
}

/** `GET /metrics`, with a key where the configuration asks for one. */
export function metricsRouter(parts: Parts, metrics: Metrics, requireKey: () => boolean): Router {
  const authenticated = authenticate(parts, { always: true });
  return Router()
    .get('/metrics', named, (req, res, next) => {
      if (requireKey()) authenticated(req, res, next);
      else next();
    }, metricsPage(metrics))
    .all('/metrics', named, methodNotAllowed('GET'))
    .use(errorHandler(parts));
}

/** What anybody may ask. */
export function publicRouter(parts: Parts, version: string, state: () => { stopping: boolean; providers: readonly string[] }): Router {
  const pages = { '/healthz': healthz, '/readyz': readyz(state), '/openapi.json': openApi(version), '/docs': docsPage(version) };
  const router = Router();
  for (const [path, page] of Object.entries(pages)) router.get(path, named, page).all(path, named, methodNotAllowed('GET'));
  return router.use(errorHandler(parts));
}
