import type { RequestHandler } from 'express';
import { isObject } from '../../text/is-object.js';

const operations = '(?:chat/completions|completions|embeddings|responses|models)';
/** With a deployment, as in Azure's older API, or without one. */
const azurePath = new RegExp(`^/openai(?:/deployments/.+?|/v1)?(?=/${operations}(?:[/?]|$))`, 'i');
const deployment = new RegExp(`/openai/deployments/(.+?)/${operations}(?:[/?]|$)`, 'i');

/** Has a request at a path of Azure's go on as one of OpenAI's, for clients that know only Azure. */
export const stripAzurePrefix: RequestHandler = (req, _res, next) => {
  const [prefix] = azurePath.exec(req.url) ?? [];
  if (prefix !== undefined) req.url = `/v1${req.url.slice(prefix.length)}`;
  next();
};

/** A body with the model that a path of Azure's names as its deployment; the same one elsewhere. */
export function withDeployment(body: unknown, url: string): unknown {
  const [, encoded] = deployment.exec(url) ?? [];
  if (encoded === undefined || !isObject(body)) return body;
  return { ...body, model: decodeURIComponent(encoded) };
}
