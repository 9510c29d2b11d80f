import type { RequestHandler } from 'express';
import { GatewayError, invalidField } from '../errors.js';
import type { Validator } from '../config/schema/compile-schema.js';
import { contextOf } from './context.js';
import type { Parts } from '../pipeline/parts.js';
import { readJsonBody } from './read-body.js';
import { stage } from './stage.js';

/**
 * Reads the body and checks it against its schema; the code of a failure is the surface's. `req.body` is then what the schema says.
 * @param adapt brings the body into the schema's form first
 * @param maxBytes bounds the body more closely than the configuration does
 */
export function validate(
  parts: Parts,
  schema: Validator<unknown>,
  adapt: (body: unknown) => unknown = asItIs,
  maxBytes = Infinity,
): RequestHandler {
  return stage(async (req, res) => {
    const { request, surface } = contextOf(parts, res);
    const limit = Math.min(maxBytes, request.snapshot.limits.maxBodyBytes);
    const body = adapt(await readJsonBody(req, limit));
    const failure = schema.firstFailure(body);
    if (failure) throw invalidField(failure.field, failure.reason, surface?.invalidCode);
    req.body = body;
  });
}

const asItIs = (body: unknown): unknown => body;

/** For a path that exists under another method. */
export function methodNotAllowed(allowed: string): RequestHandler {
  return stage((_req, res) => {
    res.setHeader('Allow', allowed);
    throw new GatewayError('method_not_allowed', `this path takes ${allowed}`);
  });
}
