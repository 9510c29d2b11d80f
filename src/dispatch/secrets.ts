import { type ClientError, GatewayError } from '../errors.js';
import { redactKeys } from '../providers/failure.js';

/** Shorter values are no secrets, but words such as `none`. */
const minSecretLength = 5;
/** A message may be cut within a secret; a shorter beginning of it reveals nothing. */
const minCutLength = 4;

/**
 * The spellings in which a provider may repeat secret values: as they are, without the scheme of
 * `Authorization`, with one space for several, and escaped as in JSON and URLs.
 * @param except words that are not secret although they are values, such as the provider's name
 * @returns the longest first, so that a secret that contains another one is removed whole
 */
export function secretsOf(
  values: readonly string[],
  except: readonly string[] = [],
): readonly string[] {
  const spellings = values
    .flatMap((value) => [value.trim(), value.trim().replace(/^\S+ +(?=\S+$)/, '')])
    .flatMap((value) => [
      value,
      value.replace(/\s+/g, ' '),
      // as UTF-8, which has no halves of surrogate pairs
      encodeURIComponent(Buffer.from(value).toString()),
      JSON.stringify(value).slice(1, -1),
    ])
    .filter((value) => value.length >= minSecretLength && !except.includes(value));
  return [...new Set(spellings)].sort((one, other) => other.length - one.length);
}

/**
 * The failure without secrets in its message and fields: those given, and all that look like keys.
 * Every failure of an attempt passes here, whatever its status and the source of its message.
 */
export function withoutSecrets(error: GatewayError, secrets: readonly string[]): GatewayError {
  const message = hide(error.message, secrets);
  const clientError = hideIn(error.clientError, secrets);
  if (message === error.message && clientError === error.clientError) return error;
  const { code, status, recovery, upstreamStatus, retryAfterMs, field, errorTrace } = error;
  // without its cause, which would tell the same
  return new GatewayError(code, message, {
    status,
    recovery,
    upstreamStatus,
    retryAfterMs,
    field,
    clientError,
    errorTrace,
  });
}

function hide(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) hidden = hidden.replaceAll(secret, '[redacted]');
  return redactKeys(withoutCutSecret(hidden, secrets));
}

/** Removes the beginning of a secret at which a message was cut. */
function withoutCutSecret(text: string, secrets: readonly string[]): string {
  const end = text.endsWith('…') ? text.length - 1 : text.length;
  for (const secret of secrets)
    for (let length = Math.min(secret.length - 1, end); length >= minCutLength; length--)
      if (text.startsWith(secret.slice(0, length), end - length))
        return `${text.slice(0, end - length)}[redacted]${text.slice(end)}`;
  return text;
}

function hideIn(clientError: ClientError | null, secrets: readonly string[]): ClientError | null {
  if (clientError === null) return null;
  const { code, param, type } = clientError;
  const tells = [code, param, type].some((word) => word !== null && hide(word, secrets) !== word);
  return tells ? { code: null, param: null, type: 'invalid_request_error' } : clientError;
}
