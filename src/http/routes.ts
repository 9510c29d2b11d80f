import { type RequestHandler, Router } from 'express';
import type { Metrics } from '../telemetry/metrics/metrics.js';
import { compileSchema } from '../config/schema/compile-schema.js';
import { anybody } from './account-desk.js';
import { authenticate } from './authenticate.js';
import { authenticateOwner } from './authenticate-owner.js';
import { complete } from './complete.js';
import { createEmbeddings } from './embed.js';
import { errorHandler } from './error-handler.js';
import { joinConversation } from './join-conversation.js';
import type { Parts } from './parts.js';
import { passthrough, proxyKey } from './passthrough.js';
import {
  createChatConversation,
  createConversation,
  listConversations,
  listMessages,
  readConversation,
  removeConversation,
  renameConversation,
} from './resources/conversations.js';
import {
  createResetLink,
  inviteAccount,
  listAccounts,
  updateAccount,
} from './resources/accounts.js';
import { docsPage } from './resources/docs.js';
import { exportConversation } from './resources/export-conversation.js';
import { healthz, type Readiness, readyz } from './resources/health.js';
import { changeKey, createKey, listKeys, readKey, revokeKey } from './resources/keys.js';
import { metricsPage } from './resources/metrics-page.js';
import { forgetLearning, readLearning } from './resources/learning.js';
import { listModels, readModel } from './resources/models.js';
import { giveFeedback, listFeedback } from './resources/feedback.js';
import { openApi } from './resources/openapi/document.js';
import { listRequests, readRequest } from './resources/requests.js';
import { listSessions, readSession } from './resources/sessions.js';
import { readUsage } from './resources/usage.js';
import {
  changePreference,
  createPreference,
  deletePreference,
  listPreferences,
  readPreference,
} from './resources/preferences.js';
import { resetPasswordPage } from './resources/reset-password-page.js';
import {
  createUserPreference,
  deleteUserPreference,
  reportMetrics,
  sendProviders,
  updateUserPreference,
} from './resources/v2.js';
import { trainCustomRouter } from './resources/train-custom-router.js';
import { createTraining, readTraining, removeTraining } from './resources/trainings.js';
import {
  changeOwnPassword,
  completePasswordReset,
  readOwnAccount,
  requestPasswordReset,
  signInBrowser,
  signOutBrowser,
  signUpAccount,
} from './resources/sign-in.js';
import { planCall, plannedCallOf, selectModel, sendSelection } from './select-model.js';
import { modelSelect } from './surfaces/model-select.js';
import { native } from './surfaces/native.js';
import { openAIErrors } from './surfaces/openai-error.js';
import { openai } from './surfaces/openai.js';
import { proxySurface } from './surfaces/proxy.js';
import { resources } from './surfaces/resources.js';
import { asModelSelect, v2, v2Resources } from './surfaces/v2.js';
import { countRequest } from '../pipeline/limits.js';
import { named, track } from './track.js';
import { methodNotAllowed, validate } from './validate.js';

const selectPaths = [
  '/api/v1/model-select',
  '/api/v1/modelSelect',
  '/api/v1/model-router/model-select',
];
// not a named parameter: Express would decode it, and answer a wrong encoding itself
const modelPath = /^\/v1\/models\/./i;
const completionPaths = ['/api/v1/completions', '/api/v1/chat/completions'];

/** `POST /api/v1/model-select`: which model to call. */
export function modelSelectRouter(parts: Parts): Router {
  return Router()
    .post(
      selectPaths,
      track(parts, modelSelect),
      authenticate(parts, { scope: 'model-select' }),
      validate(parts, compileSchema('model-select.request')),
      countRequest(parts),
      selectModel(parts),
      sendSelection,
    )
    .all(selectPaths, track(parts, modelSelect), authenticate(parts), methodNotAllowed('POST'))
    .use(errorHandler(parts));
}

/** `/v2/…`: the dialect of public SDKs of model selection. */
export function v2Router(parts: Parts): Router {
  const authenticated = authenticate(parts, { scope: 'model-select' });
  const router = Router();
  const path = (
    method: 'post' | 'put' | 'delete',
    route: string,
    ...stages: RequestHandler[]
  ): void => {
    const tracked = track(parts, route.includes('modelSelect') ? v2 : v2Resources);
    router[method](route, tracked, authenticated, ...stages).all(
      route,
      tracked,
      authenticated,
      methodNotAllowed(method.toUpperCase()),
    );
  };
  path(
    'post',
    '/v2/modelRouter/modelSelect',
    validate(parts, compileSchema('model-select.request'), asModelSelect),
    countRequest(parts),
    selectModel(parts),
    sendProviders,
  );
  path(
    'post',
    '/v2/preferences/userPreferenceCreate',
    validate(parts, compileSchema('v2-preference.request')),
    createUserPreference(parts),
  );
  path(
    'put',
    '/v2/preferences/userPreferenceUpdate',
    validate(parts, compileSchema('v2-preference-change.request')),
    updateUserPreference(parts),
  );
  path('delete', '/v2/preferences/userPreferenceDelete/:id', deleteUserPreference(parts));
  path(
    'post',
    '/v2/report/metrics/feedback',
    validate(parts, compileSchema('v2-feedback.request')),
    reportMetrics(parts),
  );
  path(
    'post',
    '/v2/report/metrics/latency',
    validate(parts, compileSchema('v2-latency.request')),
    reportMetrics(parts),
  );
  path('post', '/v2/pzn/trainCustomRouter', trainCustomRouter(parts));
  return router.use(errorHandler(parts));
}

/** `POST /api/v1/completions`: the answer itself. */
export function completionsRouter(parts: Parts): Router {
  return Router()
    .post(
      completionPaths,
      track(parts, native),
      authenticate(parts, { scope: 'completions' }),
      validate(parts, compileSchema('completions.request')),
      joinConversation(parts),
      planCall(parts, native),
      complete(parts, native, plannedCallOf),
    )
    .all(completionPaths, track(parts, native), authenticate(parts), methodNotAllowed('POST'))
    .use(errorHandler(parts));
}

/** OpenAI's dialect: chat completions, embeddings, models. */
export function openaiRouter(parts: Parts): Router {
  const [embeddings, models] = [openAIErrors('embeddings'), openAIErrors('models')];
  return Router()
    .post(
      '/v1/chat/completions',
      track(parts, openai),
      authenticate(parts, { scope: 'completions' }),
      validate(parts, compileSchema('chat-completions.request')),
      planCall(parts, openai),
      complete(parts, openai, plannedCallOf),
    )
    .post(
      '/v1/embeddings',
      track(parts, embeddings),
      authenticate(parts, { scope: 'completions' }),
      validate(parts, compileSchema('embeddings.request')),
      createEmbeddings(parts),
    )
    .get('/v1/models', track(parts, models), authenticate(parts), listModels(parts))
    .get(modelPath, track(parts, models), authenticate(parts), readModel(parts))
    .all(
      ['/v1/chat/completions', '/v1/embeddings'],
      track(parts, openai),
      authenticate(parts),
      methodNotAllowed('POST'),
    )
    .all(
      ['/v1/models', modelPath],
      track(parts, models),
      authenticate(parts),
      methodNotAllowed('GET'),
    )
    .use(errorHandler(parts));
}

/** `/proxy/<provider>/…`: any path of a provider's own API. */
export function proxyRouter(parts: Parts): Router {
  return Router()
    .use(
      '/proxy',
      track(parts, proxySurface),
      authenticate(parts, { scope: 'completions', readKey: proxyKey }),
      ...passthrough(parts),
    )
    .use(errorHandler(parts));
}

/** What is remembered, as resources: an account's own things, for its keys and its browsers. */
export function resourcesRouter(parts: Parts): Router {
  const router = Router();
  const resource = (path: string | string[], owner: RequestHandler, methods: Methods): void =>
    addResource(router, parts, path, owner, methods);
  const administer = authenticateOwner(parts, { scope: 'admin' });
  const checked = (name: string): RequestHandler => validate(parts, compileSchema(name));
  resource('/api/v1/keys', administer, {
    get: [listKeys(parts)],
    post: [checked('key.request'), createKey(parts)],
  });
  const preference = checked('preference.request');
  resource('/api/v1/preferences', authenticateOwner(parts), {
    get: [listPreferences(parts)],
    post: [preference, createPreference(parts)],
  });
  resource('/api/v1/preferences/:id', authenticateOwner(parts), {
    get: [readPreference(parts)],
    patch: [preference, changePreference(parts)],
    put: [preference, changePreference(parts)],
    delete: [deletePreference(parts)],
  });
  for (const path of ['/api/v1/learning', '/api/v1/preferences/:id/learning'])
    resource(path, authenticateOwner(parts), {
      get: [readLearning(parts)],
      delete: [forgetLearning(parts)],
    });
  resource('/api/v1/preferences/:id/training', authenticateOwner(parts), {
    get: [readTraining(parts)],
    post: [createTraining(parts)],
    delete: [removeTraining(parts)],
  });
  resource('/api/v1/keys/:id', administer, {
    get: [readKey(parts)],
    patch: [checked('key-change.request'), changeKey(parts)],
    delete: [revokeKey(parts)],
  });
  const owner = authenticateOwner(parts, { scope: 'completions' });
  resource('/api/v1/conversations', owner, {
    get: [listConversations(parts)],
    post: [checked('conversation.request'), createConversation(parts)],
  });
  resource('/api/v1/conversations/:id', owner, {
    get: [readConversation(parts)],
    patch: [checked('conversation-change.request'), renameConversation(parts)],
    delete: [removeConversation(parts)],
  });
  resource('/api/v1/conversations/:id/messages', owner, { get: [listMessages(parts)] });
  resource('/api/v1/conversations/:id/export', owner, { get: [exportConversation(parts)] });
  resource('/api/v1/requests', administer, { get: [listRequests(parts)] });
  resource('/api/v1/requests/:id', administer, { get: [readRequest(parts)] });
  resource('/api/v1/usage', administer, { get: [readUsage(parts)] });
  const select = authenticateOwner(parts, { scope: 'model-select' });
  resource('/api/v1/sessions', select, { get: [listSessions(parts)] });
  resource('/api/v1/sessions/:session_id', select, { get: [readSession(parts)] });
  resource('/api/v1/feedback', authenticateOwner(parts), {
    get: [administer, listFeedback(parts)],
    post: [checked('feedback.request'), giveFeedback(parts)],
  });
  resource('/api/v1/chat/conversation', owner, {
    post: [checked('chat-conversation.request'), createChatConversation(parts)],
  });
  accountPaths(parts, resource);
  return router.use(errorHandler(parts));
}

/** Bytes of a body that anybody may send: it holds an address and a password. */
const smallBody = 16_384;

function accountPaths(
  parts: Parts,
  resource: (path: string, owner: RequestHandler, methods: Methods) => void,
): void {
  const [own, administer, administrator] = [
    authenticateOwner(parts),
    authenticateOwner(parts, { scope: 'admin' }),
    authenticateOwner(parts, { scope: 'admin', role: 'admin' }),
  ];
  const checked = (name: string): RequestHandler =>
    validate(parts, compileSchema(name), undefined, smallBody);
  resource('/api/v1/auth/sign-up', anybody(parts), {
    post: [checked('sign-up.request'), signUpAccount(parts)],
  });
  resource('/api/v1/auth/sign-in', anybody(parts), {
    post: [checked('sign-in.request'), signInBrowser(parts)],
  });
  resource('/api/v1/auth/sign-out', own, { post: [signOutBrowser(parts)] });
  resource('/api/v1/auth/account', own, { get: [readOwnAccount(parts)] });
  resource('/api/v1/auth/password', administer, {
    post: [checked('password-change.request'), changeOwnPassword(parts)],
  });
  resource('/api/v1/auth/password-reset', anybody(parts), {
    post: [checked('password-reset.request'), requestPasswordReset(parts)],
  });
  resource('/api/v1/auth/password-reset/complete', anybody(parts), {
    post: [checked('password-reset-complete.request'), completePasswordReset(parts)],
  });
  resource('/api/v1/accounts', administrator, {
    get: [listAccounts(parts)],
    post: [checked('account.request'), inviteAccount(parts)],
  });
  resource('/api/v1/accounts/:id', administrator, {
    patch: [checked('account-change.request'), updateAccount(parts)],
  });
  resource('/api/v1/accounts/:id/reset-link', administrator, { post: [createResetLink(parts)] });
}

type Methods = Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', RequestHandler[]>>;

/** One path: the methods that it knows, each with its stages; any other is answered 405. */
function addResource(
  router: Router,
  parts: Parts,
  path: string | string[],
  owner: RequestHandler,
  methods: Methods,
): void {
  for (const [method, stages] of Object.entries(methods))
    router[method as keyof Methods](path, track(parts, resources), owner, ...stages);
  router.all(
    path,
    track(parts, resources),
    owner,
    methodNotAllowed(Object.keys(methods).join(', ').toUpperCase()),
  );
}

/** `GET /metrics`, with a key where the configuration asks for one. */
export function metricsRouter(parts: Parts, metrics: Metrics, requireKey: () => boolean): Router {
  const authenticated = authenticate(parts, { always: true });
  return Router()
    .get(
      '/metrics',
      named,
      (req, res, next) => {
        if (requireKey()) authenticated(req, res, next);
        else next();
      },
      metricsPage(metrics),
    )
    .all('/metrics', named, methodNotAllowed('GET'))
    .use(errorHandler(parts));
}

/** What anybody may ask. */
export function publicRouter(
  parts: Parts,
  version: string,
  state: () => Promise<Readiness>,
): Router {
  const pages = {
    '/healthz': healthz,
    '/readyz': readyz(state),
    '/openapi.json': openApi(version),
    '/docs': docsPage(version),
    '/reset-password': resetPasswordPage,
  };
  const router = Router();
  for (const [path, page] of Object.entries(pages))
    router.get(path, named, page).all(path, named, methodNotAllowed('GET'));
  return router.use(errorHandler(parts));
}
