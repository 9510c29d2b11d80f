import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { GatewayError, invalidField } from '../../errors.js';
import type { Validator } from '../../config/schema/compile-schema.js';
import { isLargeBody } from '../../text/json-pieces.js';
import { bodyLimits } from './body-limits.js';
import { contextOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { readJsonBody } from './read-body.js';
import { stage } from '../stage.js';
import { withDeployment } from '../surfaces/azure-paths.js';
import { isObject } from '../../text/is-object.js';
import type { Surface } from '../surfaces/surface.js';

/**
 * Reads the JSON body, checks it against its schema and sets `req.body`. A failure has the
 * surface's `invalidCode`.
 * @param adapt converts the body to the schema's form first
 * @param maxBytes a limit below `limits.maxBodyBytes`
 */
export const validate = (
  parts: GatewayParts,
  schema: Validator<unknown>,
  adapt: (body: unknown) => unknown = unchanged,
  maxBytes = Infinity,
): RequestHandler =>
  stage(async (req, res) => {
    const { request, surface } = contextOf(parts, res);
    const sent = await readJsonBody(req, bodyLimits(parts, res, maxBytes));
    const body = adapt(withDeployment(sent, req.originalUrl));
    refuseOtherModel(body, surface?.invalidCode);
    const failure = schema.firstFailure(body);
    if (failure) throw invalidField(failure.field, failure.reason, surface?.invalidCode);
    req.body = body;
    // the next stage makes another pass over the body
    if (isLargeBody(request.bodyBytes)) await nextTurn();
  });

/** Checks the body with `check` if there is one; otherwise `req.body` is an empty object. */
export function optionalBody(check: RequestHandler): RequestHandler {
  return (req, res, next) => {
    const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
    if (coding !== undefined || Number(length ?? 0) > 0) return check(req, res, next);
    req.body = {};
    next();
  };
}

const unchanged = (body: unknown): unknown => body;

/**
 * Servers written in Go, as Ollama, read `Model` as `model` and take the later one, which could name
 * a model that the key may not use.
 */
function refuseOtherModel(body: unknown, code?: Surface['invalidCode']): void {
  const isOther = (name: string): boolean => name !== 'model' && /^model$/i.test(name);
  const other = isObject(body) && Object.keys(body).find(isOther);
  if (other) throw invalidField(other, 'must be written in lower case', code);
}

/** Answers 405 for a path that has only other methods. */
export function methodNotAllowed(allowed: string): RequestHandler {
  return stage((_req, res) => {
    res.setHeader('Allow', allowed);
    throw new GatewayError('method_not_allowed', `this path accepts only ${allowed}`);
  });
}
