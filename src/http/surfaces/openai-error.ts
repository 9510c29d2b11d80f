import type { ErrorCode, GatewayError } from '../../errors.js';
import type { Surface } from './surface.js';

const errorTypes: Record<number, string> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** OpenAI's names for failures of the gateway's own, which its clients branch on. */
const clientCodes: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'invalid_api_key',
  too_many_requests: 'rate_limit_exceeded',
  rate_limited: 'rate_limit_exceeded',
  budget_spent: 'insufficient_quota',
};

const maxMessageLength = 500;

/** An error in OpenAI's shape, in OpenAI's vocabulary as far as it has a word for it. */
export function openAIErrorBody(error: GatewayError): {
  error: { readonly message: string; readonly code: string; readonly [field: string]: unknown };
} {
  const { clientError, field, errorTrace } = error;
  const code = clientError?.code ?? clientCodes[error.code] ?? error.code;
  return {
    error: {
      message: messageOf(error, code),
      type: clientError?.type ?? typeOf(error),
      param: clientError?.param ?? field,
      code,
      ...(errorTrace.length > 0 ? { errorTrace } : {}),
    },
  };
}

function typeOf({ code, status }: GatewayError): string {
  if (code === 'budget_spent') return 'insufficient_quota';
  return errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/**
 * Some clients look for the code of the length limit in the text of an error alone
 * (langchain-openai, as openai-python 3 prints no body), so that the message has to name it.
 */
function messageOf({ message }: GatewayError, code: string): string {
  if (code !== 'context_length_exceeded' || message.includes(code)) return message;
  const suffix = ` (${code})`;
  return message.slice(0, maxMessageLength - suffix.length) + suffix;
}

/** A surface of OpenAI's dialect, which answers with its errors. */
export const openAIErrors = (label: Surface['label']): Surface => ({
  label,
  invalidCode: 'bad_request',
  errorBody: openAIErrorBody,
});
