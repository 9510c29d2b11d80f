import type { GatewayError } from '../../errors.js';
import type { Surface } from './surface.js';

const errorTypes: Record<number, string> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** An error in OpenAI's shape. */
export function openAIErrorBody(error: GatewayError): { error: object } {
  // OpenAI's name for it
  const spent = error.code === 'budget_spent' ? 'insufficient_quota' : null;
  const type =
    spent ??
    errorTypes[error.status] ??
    (error.status < 500 ? 'invalid_request_error' : 'api_error');
  const trace = error.errorTrace.length > 0 ? { errorTrace: error.errorTrace } : {};
  return {
    error: {
      message: error.message,
      type,
      param: error.field,
      code: spent ?? error.code,
      ...trace,
    },
  };
}

/** A surface of OpenAI's dialect without completions: embeddings, the model list. */
export const openAIErrors = (name: Surface['name']): Surface => ({
  name,
  invalidCode: 'bad_request',
  errorBody: openAIErrorBody,
});
