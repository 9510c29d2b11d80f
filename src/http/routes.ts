import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RequestHandler, Router } from 'express';
import type { Metrics } from '../telemetry/metrics/metrics.js';
import { compileSchema } from '../config/schema/compile-schema.js';
import { allowReaders, authenticate } from './authenticate.js';
import { complete } from './complete.js';
import { doTask, embeddings, rerank } from './surfaces/tasks.js';
import { embedding, reranking } from '../pipeline/run-model-task.js';
import { dashboardRouter, tryItScript } from './dashboard/dashboard.js';
import { errorHandler } from './error-handler.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { serveMcp } from './mcp/mcp-route.js';
import { metered } from './passthrough/metered.js';
import { proxyKey } from './passthrough/headers.js';
import { passthrough } from './passthrough/passthrough.js';
import { docsPage } from './pages/docs/docs-page.js';
import { healthz, readyz } from './pages/health.js';
import type { Readiness } from '../pipeline/engine/engine.js';
import { metricsPage } from './pages/metrics-page.js';
import { countTokens } from './surfaces/messages/count-tokens.js';
import { asMessages, asPlain } from './surfaces/foreign-words.js';
import { messagesErrors } from './surfaces/messages/errors.js';
import { stripAzurePrefix } from './surfaces/azure-paths.js';
import { stripMessagesPrefix } from './surfaces/messages/paths.js';
import { listModels, modelListSurface } from './surfaces/model-list.js';
import { openApi } from './openapi/document.js';
import { resetPasswordPage } from './pages/reset-password-page.js';
import { countRequestStage, selectStage, sendProviders, sendSelection } from './select-model.js';
import { resumeRoutes } from './resume/resume-stream.js';
import { redirectToSingleSlashes } from './single-slashes.js';
import { refuseUpgrades, unknownOpenAIPath } from './not-found.js';
import { completionSurfaces, pathsOf } from './surfaces/completion-surfaces.js';
import { mcp } from './surfaces/mcp.js';
import { modelSelect } from './surfaces/model-select.js';
import { openAIErrors } from './surfaces/openai-error.js';
import { proxySurface } from './surfaces/proxy.js';
import { responseRoutes } from './surfaces/responses/stored-routes.js';
import type { CompletionSurface } from './surfaces/surface.js';
import { asModelSelect, v2, v2Resources } from './surfaces/v2.js';
import { track, untracked } from './track.js';
import { waitForSlot } from './wait-for-slot.js';
import { methodNotAllowed, validate } from './bodies/validate.js';
import { warnUnknown } from './bodies/warn-unknown.js';
import { getCompletionOptions } from '../api/completion-options.js';
import { endpoints } from '../api/endpoints.js';
import { v2Endpoints } from '../api/v2.js';
import { ifWebAccounts, mountEndpoints } from './mount-endpoints.js';

const selectPaths = [
  '/api/v1/model-select',
  '/api/v1/modelSelect',
  '/api/v1/model-router/model-select',
];
/** The routes of tasks beside completions; rerankers have two paths, of Jina's API and Cohere's. */
const tasks = [
  { paths: ['/v1/embeddings'], surface: embeddings, schema: 'embeddings.request', task: embedding },
  {
    paths: ['/v1/rerank', '/v2/rerank'],
    surface: rerank,
    schema: 'rerank.request',
    task: reranking,
  },
];

// not a named parameter: Express would decode it and answer invalid encodings itself
const modelPaths = ['/v1/models', /^\/v1\/models\/./i];
const countPath = '/v1/messages/count_tokens';

/** `POST /api/v1/model-select`: which model to call. */
const modelSelectRouter = (parts: GatewayParts): Router =>
  Router()
    .post(
      selectPaths,
      track(parts, modelSelect),
      authenticate(parts, { scope: 'model-select', browsers: true }),
      validate(parts, compileSchema('model-select.request')),
      warnUnknown(parts, 'model-select.request'),
      countRequestStage(parts),
      selectStage(parts),
      sendSelection,
    )
    .all(selectPaths, track(parts, modelSelect), authenticate(parts), methodNotAllowed('POST'))
    .use(redirectToSingleSlashes)
    .use(errorHandler(parts));

/** `/v2/…`: the dialect of public SDKs of model selection. */
function v2Router(parts: GatewayParts): Router {
  const path = '/v2/modelRouter/modelSelect';
  const authenticated = authenticate(parts, { scope: 'model-select' });
  const router = Router()
    .post(
      path,
      track(parts, v2),
      authenticated,
      validate(parts, compileSchema('model-select.request'), asModelSelect),
      countRequestStage(parts),
      selectStage(parts),
      sendProviders,
    )
    .all(path, track(parts, v2), authenticated, methodNotAllowed('POST'));
  mountEndpoints(router, parts, v2Endpoints, { surface: v2Resources, access: () => authenticated });
  return router.use(redirectToSingleSlashes).use(errorHandler(parts));
}

/** Adds the completion surfaces of a router: the answer itself. */
function withCompletions(
  parts: GatewayParts,
  name: CompletionSurface['router'],
  router = Router(),
): Router {
  for (const surface of completionSurfaces) {
    if (surface.router !== name) continue;
    const { schema, requests, adapt, showsWarnings = false } = surface;
    const request = `${schema}.request`;
    const paths = pathsOf(surface);
    router
      .post(
        paths,
        track(parts, surface, true),
        authenticate(parts, { scope: 'completions', browsers: true }),
        waitForSlot(parts),
        validate(parts, requests?.() ?? compileSchema(request), adapt),
        ...(showsWarnings ? [warnUnknown(parts, request)] : []),
        complete(parts, surface),
      )
      .all(paths, track(parts, surface), authenticate(parts), methodNotAllowed('POST'));
  }
  return router;
}

/** `POST /api/v1/completions`: native completions. */
const completionsRouter = (parts: GatewayParts): Router =>
  withCompletions(parts, 'completions')
    .use(resumeRoutes(parts), redirectToSingleSlashes)
    .use(errorHandler(parts));

/** OpenAI's dialect: chat completions, embeddings, models; and all else of `/v1`. */
function openaiRouter(parts: GatewayParts): Router {
  const models = modelListSurface;
  const counting = messagesErrors('models');
  const reader = authenticate(parts, { browsers: true });
  const router = Router()
    .use(stripMessagesPrefix, stripAzurePrefix)
    .use('/v1/responses', refuseUpgrades(parts, openAIErrors('other')));
  for (const { paths, surface, schema, task } of tasks)
    router
      .post(
        paths,
        track(parts, surface, true),
        authenticate(parts, { scope: 'completions' }),
        waitForSlot(parts),
        validate(parts, compileSchema(schema), asPlain),
        doTask(parts, task),
      )
      .all(paths, track(parts, surface), authenticate(parts), methodNotAllowed('POST'));
  return withCompletions(parts, 'openai', router)
    .use(responseRoutes(parts))
    .post(
      countPath,
      track(parts, counting),
      authenticate(parts, { scope: 'completions', browsers: true }),
      validate(parts, compileSchema('messages.request'), asMessages),
      countTokens(parts),
    )
    .all(countPath, track(parts, counting), authenticate(parts), methodNotAllowed('POST'))
    .get(modelPaths, track(parts, models), reader, listModels(parts))
    .all(modelPaths, track(parts, models), authenticate(parts), methodNotAllowed('GET'))
    .use(redirectToSingleSlashes, unknownOpenAIPath(parts))
    .use(errorHandler(parts));
}

/** `/proxy/<provider>/…`: any path of a provider's own API. */
function proxyRouter(parts: GatewayParts): Router {
  const access = { scope: 'completions', readKey: proxyKey } as const;
  return Router()
    .use(redirectToSingleSlashes)
    .use('/proxy', refuseUpgrades(parts, proxySurface, access))
    .use(
      '/proxy',
      track(parts, proxySurface, true),
      authenticate(parts, access),
      waitForSlot(parts),
      metered(parts),
      ...passthrough(parts),
    )
    .use(errorHandler(parts));
}

/** `POST /mcp`: the gateway's tools for MCP clients, which need no session. */
const mcpRouter = (parts: GatewayParts): Router =>
  Router()
    .post('/mcp', track(parts, mcp), authenticate(parts), serveMcp(parts))
    .all('/mcp', track(parts, mcp), authenticate(parts), methodNotAllowed('POST'))
    .use(redirectToSingleSlashes)
    .use(errorHandler(parts));

/** The resources of an account, for its API keys and its signed-in browsers. */
function resourcesRouter(parts: GatewayParts): Router {
  const router = Router();
  mountEndpoints(router, parts, [...endpoints, getCompletionOptions]);
  return router.use(errorHandler(parts));
}

/** `GET /metrics`, which needs a key if the configuration says so. */
function metricsRouter(parts: GatewayParts, metrics: Metrics, requireKey: () => boolean): Router {
  const authenticated = authenticate(parts, { always: true });
  return Router()
    .get(
      '/metrics',
      untracked(parts),
      (req, res, next) => {
        if (requireKey()) authenticated(req, res, next);
        else next();
      },
      metricsPage(metrics),
    )
    .all('/metrics', untracked(parts), methodNotAllowed('GET'))
    .use(errorHandler(parts));
}

/** Pages without a key: health, API documentation, password reset. */
function publicRouter(
  parts: GatewayParts,
  version: string,
  state: () => Promise<Readiness>,
): Router {
  const publicUrl = (): string | null => parts.current().accounts.publicUrl;
  const pages = {
    '/healthz': healthz,
    '/readyz': readyz(parts, state),
    '/openapi.json': openApi(version, publicUrl),
  };
  // monitoring reaches these by names of its own
  const health = ['/healthz', '/readyz'];
  const router = Router();
  const add = (path: string, page: RequestHandler, ...first: RequestHandler[]): Router => {
    const access = health.includes(path) ? [] : [allowReaders(parts)];
    return router
      .get(path, ...first, untracked(parts), ...access, page)
      .all(path, ...first, untracked(parts), ...access, methodNotAllowed('GET'));
  };
  for (const [path, page] of Object.entries(pages)) add(path, page);
  add('/docs/try-it.js', tryItScript());
  const docs = docsPage(version, publicUrl);
  add('/docs', docs);
  add('/docs/:group', docs);
  add('/reset-password', resetPasswordPage, ifWebAccounts(parts));
  return router.use(errorHandler(parts));
}

/**
 * A router for an Express app, and for servers without Express: `(req, res, next)` of plain `http`,
 * Connect and frameworks that take their handlers.
 */
export type SurfaceRouter = Router &
  ((req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void);

/** The routers of a gateway, one for each surface. */
export interface Routers {
  readonly modelSelect: SurfaceRouter;
  readonly completions: SurfaceRouter;
  readonly openai: SurfaceRouter;
  readonly proxy: SurfaceRouter;
  readonly mcp: SurfaceRouter;
  readonly metrics: SurfaceRouter;
  readonly health: SurfaceRouter;
  readonly resources: SurfaceRouter;
  readonly v2: SurfaceRouter;
  readonly dashboard: SurfaceRouter;
}

/** What the routers need besides the parts of the pipeline. */
export interface RouterOptions {
  readonly metrics: Metrics;
  readonly metricsRequireKey: () => boolean;
  readonly hasDashboard: () => boolean;
  readonly version: string;
  readonly readiness: () => Promise<Readiness>;
}

/** Creates the routers of a gateway. */
export function createRouters(parts: GatewayParts, options: RouterOptions): Routers {
  const routers: Record<keyof Routers, Router> = {
    modelSelect: modelSelectRouter(parts),
    completions: completionsRouter(parts),
    openai: openaiRouter(parts),
    proxy: proxyRouter(parts),
    mcp: mcpRouter(parts),
    resources: resourcesRouter(parts),
    metrics: metricsRouter(parts, options.metrics, options.metricsRequireKey),
    health: publicRouter(parts, options.version, options.readiness),
    v2: v2Router(parts),
    dashboard: dashboardRouter(parts, options.hasDashboard),
  };
  return routers as Routers;
}
