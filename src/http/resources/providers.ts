import type { RequestHandler, Response } from 'express';
import type { Caller } from '../../accounts/caller.js';
import type { LastFailure, ProviderHealth } from '../../dispatch/provider-health.js';
import { GatewayError } from '../../errors.js';
import {
  type DescribedProvider,
  describeProviders,
} from '../../api/providers/describe-provider.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { idOf, isoOf, isoOrNull } from '../../api/page-request.js';
import { refuseUnknown } from '../../api/query.js';
import { callerOf, contextOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** `GET /api/v1/providers`: the configured providers; addresses, keys and health for administrators. */
export function listProviders(parts: GatewayParts): RequestHandler {
  return answer((req, res) => {
    refuseUnknown(req, []);
    const items = describedTo(parts, res);
    sendJson(res, 200, { object: 'list', items: items.map(shownTo(res)), next: null });
  });
}

/** `GET /api/v1/providers/{name}`. */
export function readProvider(parts: GatewayParts): RequestHandler {
  return answer((req, res) => {
    const name = idOf(req, 'name');
    const found = describedTo(parts, res).find((provider) => provider.name === name);
    if (!found) throw providerNotFound();
    sendJson(res, 200, shownTo(res)(found));
  });
}

/** The error for a name that no configured provider has. */
export const providerNotFound = (): GatewayError =>
  new GatewayError('not_found', 'there is no provider of this name');

function describedTo(parts: GatewayParts, res: Response): DescribedProvider[] {
  const { snapshot, caller } = contextOf(parts, res).request;
  return describeProviders(snapshot, parts.state, caller.models);
}

const isAdministrator = ({ role, scopes }: Caller): boolean =>
  role === 'admin' && scopes.includes('admin');

const shownTo =
  (res: Response) =>
  ({ details, ...provider }: DescribedProvider): object => ({
    object: 'provider',
    ...provider,
    details: isAdministrator(callerOf(res)) ? shownDetails(details) : null,
  });

function shownDetails({ baseUrl, keys, cooldowns, health }: DescribedProvider['details']): object {
  const now = Date.now();
  return {
    baseUrl,
    keys,
    cooldowns: cooldowns.map(({ leftMs, why }) => ({ until: isoOf(now + leftMs), why })),
    health: health && shownHealth(health),
  };
}

function shownHealth(health: ProviderHealth): object {
  const { lastSuccessAt, lastFailure, lastModelError, ...counts } = health;
  return {
    ...counts,
    lastSuccessAt: isoOrNull(lastSuccessAt),
    lastFailure: lastFailure && shownFailure(lastFailure),
    lastModelError: lastModelError && shownFailure(lastModelError),
  };
}

const shownFailure = ({ at, ...failure }: LastFailure): object => ({ at: isoOf(at), ...failure });
