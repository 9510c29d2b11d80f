import type { Request, Response } from 'express';
import type { ClaimContext } from '../accounts/claim.js';
import { hashKey } from '../accounts/static-keys.js';
import { type Actor, type DoneAct, writeAct } from '../accounts/write-act.js';
import type { RequestCall } from '../api/endpoint.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { AccountRecord } from '../store/contracts/accounts.js';
import { findHostUser, isCallerRequired, keyOf } from './authenticate.js';
import { bodyLimits } from './bodies/body-limits.js';
import { clientAddress } from './client-address.js';
import { contextOf } from './context.js';
import {
  clearSignInCookie,
  findSignedIn,
  knownBrowserCookie,
  setKnownBrowserCookie,
  setSignInCookie,
  signInToken,
} from './sign-in-cookie.js';
import { openai } from './surfaces/openai.js';
import { readTrainingBody } from './training/training-body.js';

/** What an endpoint gets of an authenticated HTTP request whose body has been checked. */
export function requestCall(parts: GatewayParts, req: Request, res: Response): RequestCall<never> {
  const context = contextOf(parts, res);
  const { caller, snapshot } = context.request;
  return {
    parts,
    record: (done) =>
      recordFor(parts, res, actorOf(parts, req, res), { accountId: caller.accountId, ...done }),
    caller,
    snapshot,
    params: req.params,
    query: req.query,
    body: req.body as never,
    prefersCsv: () => req.accepts(['json', 'csv']) === 'csv',
    address: clientAddress(req),
    key: keyOf(req.headers),
    ownUrl: `${req.protocol}://${req.get('host') ?? 'localhost'}${req.baseUrl}`,
    needsKey: isCallerRequired(parts, snapshot),
    browser: {
      signIn: context.signIn,
      token: signInToken(req, snapshot.accounts.publicUrl),
      knownToken: knownBrowserCookie(req, snapshot.accounts.publicUrl),
      isSignedIn: async () =>
        (await findSignedIn(parts, req, context)) !== null ||
        (await findHostUser(parts, req)) !== null,
      setCookies(signIn, known) {
        setSignInCookie(req, res, signIn);
        setKnownBrowserCookie(req, res, known);
      },
      clearCookie: (publicUrl) => clearSignInCookie(req, res, publicUrl),
    },
    accounts: () => accountContextOf(parts, res),
    evaluations: () => readTrainingBody(req, bodyLimits(parts, res)),
    completion: (body) => openai.readCall(body),
  };
}

/**
 * What the account functions need, with the account rules of the request's configuration.
 * @throws GatewayError `unavailable` if the database cannot be reached
 */
async function accountContextOf(parts: GatewayParts, res: Response): Promise<ClaimContext> {
  const { store, counters } = await parts.state.opened();
  const { passwords, backgroundTasks, keys } = parts.state;
  // read now, because a closed connection has no address
  const actor = actorOf(parts, res.req, res);
  return {
    store,
    counters,
    passwords,
    backgroundTasks,
    rules: contextOf(parts, res).request.snapshot.accounts,
    now: Date.now,
    record: (done, owner) =>
      recordFor(
        parts,
        res,
        owner && actor.actorAccountId === null ? ownerAs(owner, actor) : actor,
        done,
      ),
    findKey: (key) => keys.find(hashKey(key), () => clientAddress(res.req)),
  };
}

const ownerAs = ({ id, email }: Pick<AccountRecord, 'id' | 'email'>, actor: Actor): Actor => ({
  ...actor,
  actor: email ?? id,
  actorAccountId: id,
});

/** The caller of a request, as the audit log names it. */
function actorOf(parts: GatewayParts, req: Request, res: Response): Actor {
  const { caller, isIdentified } = contextOf(parts, res).request;
  return {
    actor: caller.name,
    actorAccountId: isIdentified ? caller.accountId : null,
    actorKeyId: caller.keyId,
    address: clientAddress(req),
  };
}

/** Records an administrative act that a request asked for. Never rejects. */
function recordFor(parts: GatewayParts, res: Response, actor: Actor, done: DoneAct): Promise<void> {
  const { request } = contextOf(parts, res);
  return writeAct(
    async () => (await parts.state.opened()).store,
    actor,
    done,
    (failure) => parts.log.failure(request, failure),
  );
}
