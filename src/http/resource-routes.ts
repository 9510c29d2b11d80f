import { type RequestHandler, Router } from 'express';
import { compileSchema } from '../config/schema/compile-schema.js';
import { ifWebAccounts } from './account-context.js';
import { allowAnonymous } from './allow-anonymous.js';
import { authenticateOwner } from './authenticate-owner.js';
import { errorHandler } from './error-handler.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
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
import { readConfiguration, runConnectionTest } from './resources/configuration.js';
import { downloadAccount, removeAccount } from './resources/whole-account.js';
import { listActs } from './resources/audit.js';
import { readAuthStatus } from './resources/auth-status.js';
import { showCompletionOptions } from './resources/completion-options.js';
import { exportConversation } from './resources/export-conversation.js';
import { keyEndpoints } from '../api/keys.js';
import { mountEndpoints } from './mount-endpoints.js';
import { forgetLearning, readLearning } from './resources/learning.js';
import {
  changeEvaluation,
  createEvaluation,
  listEvaluations,
  readEvaluation,
  removeEvaluation,
} from './resources/evaluations.js';
import { giveFeedback, listFeedback } from './resources/feedback.js';
import { listDescribedModels } from './resources/model-list.js';
import { listProviders, readProvider } from './resources/providers.js';
import { runProviderTest } from './resources/test-provider.js';
import { listRequests, readRequest, readRequestHistogram } from './resources/requests.js';
import { listSessions, readSession } from './resources/sessions.js';
import { setShadowing, showSavings, showShadowing } from './resources/savings.js';
import { readUsage, readUsageSeries } from './resources/usage.js';
import {
  changePreference,
  createPreference,
  deletePreference,
  listPreferences,
  readPreference,
  tryPreference,
} from './resources/preferences.js';
import { createTraining, readTraining, removeTraining } from './resources/trainings.js';
import {
  changeOwnPassword,
  claimFirstAccount,
  completePasswordReset,
  readOwnAccount,
  requestPasswordReset,
  signInBrowser,
  signOutBrowser,
  signUpAccount,
} from './resources/sign-in.js';
import { countRequestStage } from './select-model.js';
import { resources } from './surfaces/resources.js';
import { track } from './track.js';
import { methodNotAllowed, optionalBody, validate } from './validate.js';

/** Adds one path: the stage that checks access (`owner`), and the stages of each method. */
type AddPath = (path: string, owner: RequestHandler, methods: Methods) => void;

/** The resources of an account, for its API keys and its signed-in browsers. */
export function resourcesRouter(parts: GatewayParts): Router {
  const router = Router();
  const resource: AddPath = (path, owner, methods) =>
    addResource(router, path, [track(parts, resources), owner], methods);
  const countedResource: AddPath = (path, owner, methods) =>
    resource(path, owner, withCountedWrites(parts, path, methods));
  const webResource: AddPath = (path, owner, methods) =>
    addResource(router, path, [ifWebAccounts(parts), track(parts, resources), owner], methods);
  mountEndpoints(router, parts, keyEndpoints);
  preferencePaths(parts, countedResource);
  evaluationPaths(parts, countedResource);
  conversationPaths(parts, countedResource);
  providerPaths(parts, resource);
  requestLogPaths(parts, countedResource);
  webAccountPaths(parts, webResource);
  accountPaths(parts, resource);
  return router.use(errorHandler(parts));
}

const checked = (parts: GatewayParts, name: string): RequestHandler =>
  validate(parts, compileSchema(name));

function preferencePaths(parts: GatewayParts, resource: AddPath): void {
  const preference = checked(parts, 'preference.request');
  resource('/api/v1/preferences', authenticateOwner(parts), {
    get: [listPreferences(parts)],
    post: [preference, createPreference(parts)],
  });
  // before the path with an id, which would match it too
  resource('/api/v1/preferences/preview', authenticateOwner(parts), {
    post: [checked(parts, 'preference-preview.request'), tryPreference(parts)],
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
}

/** Evaluations show what was asked, as the request log does. */
function evaluationPaths(parts: GatewayParts, resource: AddPath): void {
  const administer = authenticateOwner(parts, { scope: 'admin' });
  resource('/api/v1/evaluations', administer, {
    get: [listEvaluations(parts)],
    post: [checked(parts, 'evaluation.request'), createEvaluation(parts)],
  });
  resource('/api/v1/evaluations/:id', administer, {
    get: [readEvaluation(parts)],
    patch: [checked(parts, 'evaluation-change.request'), changeEvaluation(parts)],
    delete: [removeEvaluation(parts)],
  });
}

/** Conversations, and what their completions may ask for. */
function conversationPaths(parts: GatewayParts, resource: AddPath): void {
  const owner = authenticateOwner(parts, { scope: 'completions' });
  resource('/api/v1/conversations', owner, {
    get: [listConversations(parts)],
    post: [checked(parts, 'conversation.request'), createConversation(parts)],
  });
  resource('/api/v1/conversations/:id', owner, {
    get: [readConversation(parts)],
    patch: [checked(parts, 'conversation-change.request'), renameConversation(parts)],
    delete: [removeConversation(parts)],
  });
  resource('/api/v1/conversations/:id/messages', owner, { get: [listMessages(parts)] });
  resource('/api/v1/conversations/:id/export', owner, { get: [exportConversation(parts)] });
  resource('/api/v1/completion-options', owner, { get: [showCompletionOptions(parts)] });
  resource('/api/v1/chat/conversation', owner, {
    post: [checked(parts, 'chat-conversation.request'), createChatConversation(parts)],
  });
}

/** The models and the providers. A test counts as the request that it makes. */
function providerPaths(parts: GatewayParts, resource: AddPath): void {
  const anyone = authenticateOwner(parts);
  const administrator = authenticateOwner(parts, { scope: 'admin', role: 'admin' });
  resource('/api/v1/models', anyone, { get: [listDescribedModels(parts)] });
  resource('/api/v1/providers', anyone, { get: [listProviders(parts)] });
  resource('/api/v1/providers/:name', anyone, { get: [readProvider(parts)] });
  resource('/api/v1/providers/:name/test', administrator, {
    post: [optionalBody(checked(parts, 'provider-test.request')), runProviderTest(parts)],
  });
}

/** The request log, usage, sessions and feedback. */
function requestLogPaths(parts: GatewayParts, resource: AddPath): void {
  const administer = authenticateOwner(parts, { scope: 'admin' });
  resource('/api/v1/requests', administer, { get: [listRequests(parts)] });
  resource('/api/v1/requests/histogram', administer, { get: [readRequestHistogram(parts)] });
  resource('/api/v1/requests/:id', administer, { get: [readRequest(parts)] });
  resource('/api/v1/usage', administer, { get: [readUsage(parts)] });
  resource('/api/v1/usage/series', administer, { get: [readUsageSeries(parts)] });
  resource('/api/v1/savings', administer, { get: [showSavings(parts)] });
  resource('/api/v1/savings/shadowing', administer, {
    get: [showShadowing(parts)],
    put: [checked(parts, 'shadowing.request'), setShadowing(parts)],
  });
  const select = authenticateOwner(parts, { scope: 'model-select' });
  resource('/api/v1/sessions', select, { get: [listSessions(parts)] });
  resource('/api/v1/sessions/:session_id', select, { get: [readSession(parts)] });
  resource('/api/v1/feedback', authenticateOwner(parts), {
    get: [administer, listFeedback(parts)],
    post: [checked(parts, 'feedback.request'), giveFeedback(parts)],
  });
}

/** For routes without a key, whose bodies hold only a mail address and a password. */
const maxSmallBodyBytes = 16_384;

const smallBody = (parts: GatewayParts, name: string): RequestHandler =>
  validate(parts, compileSchema(name), undefined, maxSmallBodyBytes);

/** Sign-up, claim, sign-in and passwords, for people with browsers. */
function webAccountPaths(parts: GatewayParts, resource: AddPath): void {
  const open: Record<string, [schema: string, handler: RequestHandler]> = {
    '/api/v1/auth/sign-up': ['sign-up.request', signUpAccount(parts)],
    '/api/v1/auth/claim': ['claim.request', claimFirstAccount(parts)],
    '/api/v1/auth/sign-in': ['sign-in.request', signInBrowser(parts)],
    '/api/v1/auth/password-reset': ['password-reset.request', requestPasswordReset(parts)],
    '/api/v1/auth/password-reset/complete': [
      'password-reset-complete.request',
      completePasswordReset(parts),
    ],
  };
  for (const [path, [schema, handler]] of Object.entries(open))
    resource(path, allowAnonymous(parts), { post: [smallBody(parts, schema), handler] });
  resource('/api/v1/auth/sign-out', authenticateOwner(parts), {
    post: [optionalBody(smallBody(parts, 'sign-out.request')), signOutBrowser(parts)],
  });
  resource('/api/v1/auth/password', authenticateOwner(parts, { scope: 'admin' }), {
    post: [smallBody(parts, 'password-change.request'), changeOwnPassword(parts)],
  });
}

function accountPaths(parts: GatewayParts, resource: AddPath): void {
  const administrator = authenticateOwner(parts, { scope: 'admin', role: 'admin' });
  resource('/api/v1/auth/status', allowAnonymous(parts), { get: [readAuthStatus(parts)] });
  resource('/api/v1/auth/account', authenticateOwner(parts), { get: [readOwnAccount(parts)] });
  resource('/api/v1/accounts', administrator, {
    get: [listAccounts(parts)],
    post: [smallBody(parts, 'account.request'), inviteAccount(parts)],
  });
  const owner = authenticateOwner(parts, { scope: 'admin' });
  resource('/api/v1/accounts/:id', owner, {
    patch: [administrator, smallBody(parts, 'account-change.request'), updateAccount(parts)],
    delete: [optionalBody(smallBody(parts, 'account-deletion.request')), removeAccount(parts)],
  });
  resource('/api/v1/accounts/:id/export', owner, { get: [downloadAccount(parts)] });
  resource('/api/v1/audit', owner, { get: [listActs(parts)] });
  resource('/api/v1/accounts/:id/reset-link', administrator, { post: [createResetLink(parts)] });
  resource('/api/v1/configuration', administrator, { get: [readConfiguration(parts)] });
  resource('/api/v1/configuration/tests', administrator, {
    post: [smallBody(parts, 'connection-test.request'), runConnectionTest(parts)],
  });
}

type Methods = Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', RequestHandler[]>>;

/**
 * The methods of a path whose writes count as requests of their caller. A revocation does not: a key
 * that leaked can be revoked while its thief uses up the account's requests.
 */
function withCountedWrites(parts: GatewayParts, path: string, methods: Methods): Methods {
  const count = countRequestStage(parts);
  return Object.fromEntries(
    Object.entries(methods).map(([method, stages]) => [
      method,
      isCounted(method, path) ? [count, ...stages] : stages,
    ]),
  );
}

const isCounted = (method: string, path: string): boolean =>
  method !== 'get' && !(method === 'delete' && path === '/api/v1/keys/:id');

/**
 * Adds one path with the stages of each method after the first stages of all; any other method is
 * answered 405.
 */
function addResource(
  router: Router,
  path: string,
  first: readonly RequestHandler[],
  methods: Methods,
): void {
  for (const [method, stages] of Object.entries(methods))
    router[method as keyof Methods](path, ...first, ...stages);
  router.all(path, ...first, methodNotAllowed(Object.keys(methods).join(', ').toUpperCase()));
}
