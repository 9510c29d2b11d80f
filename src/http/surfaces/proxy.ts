import type { IncomingHttpHeaders } from 'node:http';
import { sdkErrorBody } from '../../providers/passthrough-headers.js';
import { openAIErrorBody } from './openai-error.js';
import type { Surface } from './surface.js';

/**
 * Pass-through: the gateway's own errors have the shape that the client's SDK reads, the provider's
 * are forwarded.
 * @param headers of the request
 */
export function proxySurface(headers: IncomingHttpHeaders): Surface {
  const errorBody = sdkErrorBody(headers);
  return {
    label: 'proxy',
    invalidCode: 'bad_request',
    // SDKs of dialects that send no header of their own (Cohere, Mistral) read `message`
    errorBody: (error) =>
      errorBody?.(error.status, error.message) ?? {
        ...openAIErrorBody(error),
        message: error.message,
      },
  };
}
