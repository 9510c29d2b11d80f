import { type GatewayError, statusTitle } from '../../errors.js';

/** The native error body: `{error, message}`, and `errorTrace` if attempts were made. */
export function nativeErrorBody(error: GatewayError): object {
  return {
    error: statusTitle(error.status),
    message: error.message,
    ...(error.errorTrace.length > 0 ? { errorTrace: error.errorTrace } : {}),
  };
}
