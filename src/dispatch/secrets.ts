import { type ClientError, GatewayError } from '../errors.js';
import { redactKeys } from '../providers/failure.js';
import { asciiJson, unicodeEscape } from '../text/json-values.js';

/** Shorter values are no secrets, but words such as `none`. */
const minSecretLength = 5;
/** A message may be cut within a secret; a shorter beginning of it reveals nothing. */
const minCutLength = 4;

/**
 * The spellings in which a server may repeat secret values: as they are, without the scheme of
 * `Authorization`, with one space for several, escaped as in JSON, URLs and HTML, and in base64.
 * @param except words that are not secret although they are values, such as the provider's name
 * @returns the longest first, so that a secret that contains another one is removed whole
 */
export function secretsOf(
  values: readonly string[],
  except: readonly string[] = [],
): readonly string[] {
  const spellings = values
    .map((value) => value.trim())
    .flatMap((value) => [value, value.replace(/^\S+ +(?=\S+$)/, ''), ...basicOf(value)])
    .flatMap(spellingsOf)
    .filter((value) => value.length >= minSecretLength && !except.includes(value));
  return [...new Set(spellings)].sort((one, other) => other.length - one.length);
}

/** What stands in the base64 of a header of HTTP's basic authentication: all of it, the password. */
function basicOf(value: string): string[] {
  const [, code] = /^basic +(\S+)$/i.exec(value) ?? [];
  const pair = Buffer.from(code ?? '', 'base64').toString();
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}

function spellingsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  // as UTF-8, which has no halves of surrogate pairs
  const inUrl = encodeURIComponent(bytes.toString());
  const inJson = JSON.stringify(value).slice(1, -1);
  return [
    value,
    value.replace(/\s+/g, ' '),
    inUrl,
    inUrl.replace(/%../g, (code) => code.toLowerCase()),
    encodeURIComponent(inUrl),
    inJson,
    // as PHP writes it, Python, and Go
    inJson.replaceAll('/', '\\/'),
    asciiJson(inJson),
    inJson.replace(/[<>&]/g, unicodeEscape),
    ...['&#39;', '&#x27;'].map((quote) => inHtml(value, quote)),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ];
}

const inHtml = (value: string, quote: string): string =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", quote);

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

const hide = (message: string, secrets: readonly string[]): string =>
  redactKeys(hideSecrets(message, secrets, messageEnd));

/** Where a message may be cut: it does not always say so. */
export const messageEnd = /…?$/;

/** The text without the secrets, also where it was cut within one, at `cut`. */
export function hideSecrets(text: string, secrets: readonly string[], cut: RegExp): string {
  let hidden = text;
  for (const secret of secrets) hidden = hidden.replaceAll(secret, '[redacted]');
  const end = hidden.search(cut);
  return end < 0 ? hidden : withoutCutSecret(hidden.slice(0, end), secrets) + hidden.slice(end);
}

/** Removes the beginning of a secret at which a text was cut. */
function withoutCutSecret(text: string, secrets: readonly string[]): string {
  const last = text.slice(-minCutLength);
  if (last.length < minCutLength) return text;
  for (const secret of secrets.filter((one) => one.includes(last)))
    for (let length = secret.length - 1; length >= minCutLength; length--)
      if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}[redacted]`;
  return text;
}

function hideIn(clientError: ClientError | null, secrets: readonly string[]): ClientError | null {
  if (clientError === null) return null;
  const { code, param, type } = clientError;
  const tells = [code, param, type].some((word) => word !== null && hide(word, secrets) !== word);
  return tells ? { code: null, param: null, type: 'invalid_request_error' } : clientError;
}
