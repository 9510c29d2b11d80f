import { createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GatewayError } from '../../errors.js';
import { parseJson } from '../json.js';
import { isObject } from '../../text/is-object.js';
import { askEndpoint, CachedCredentials } from '../ambient-credentials.js';

/** A source of access tokens; caches one until shortly before it expires. */
export interface AccessTokenSource {
  /** True if a credentials file is configured; false if the machine's own credentials are used. */
  readonly configured: boolean;
  /**
   * @throws GatewayError `provider_auth` if there are no credentials or they are refused,
   *   `connection_failed` where the token endpoint does not answer
   */
  token(): Promise<string>;
  /** Drops the cached token, because Google refused it. */
  forget(): void;
}

export interface GoogleCredentialOptions {
  /** The configured provider's name, for messages. */
  provider: string;
  /**
   * Path of a JSON file: a service account's key, or a user's (`gcloud auth application-default
   * login`). Absent: GOOGLE_APPLICATION_CREDENTIALS.
   */
  credentialsFile?: string | undefined;
  env?: Readonly<Record<string, string | undefined>>;
  /** ms since 1970 */
  now?: () => number;
}

interface KeyFile {
  type?: string;
  client_email?: string;
  private_key?: string;
  private_key_id?: string;
  token_uri?: string;
  client_id?: string;
  client_secret?: string;
  refresh_token?: string;
}

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const defaultTokenUrl = 'https://oauth2.googleapis.com/token';
/** A token that expires within this time is not used: the call must arrive while it is valid. */
const minValidMs = 30_000;

/**
 * Makes a source for the given credentials; reads and requests nothing before the first `token()`.
 */
export function googleCredentials({
  provider,
  credentialsFile,
  env = process.env,
  now = Date.now,
}: GoogleCredentialOptions): AccessTokenSource {
  const file = credentialsFile ?? (env['GOOGLE_APPLICATION_CREDENTIALS'] || undefined);
  const read = async (): Promise<{ token: string; expiresAtMs: number }> => {
    const asked = file === undefined ? fromMetadata(provider, env) : fromFile(file, provider, now);
    const { token, expiresInMs } = await asked;
    return { token, expiresAtMs: now() + expiresInMs };
  };
  const tokens = new CachedCredentials(read, now, { minValidMs, pauseMs: 0 });
  return {
    configured: file !== undefined,
    token: async () => (await tokens.get()).token,
    forget: () => tokens.forget(),
  };
}

async function fromMetadata(
  provider: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<TokenAnswer> {
  const host = env['GCE_METADATA_HOST'] || 'metadata.google.internal';
  try {
    return await fetchToken(provider, {
      url: `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`,
      headers: { 'metadata-flavor': 'Google' },
      timeoutMs: 3000,
    });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'connection_failed') throw error;
    throw new GatewayError(
      'provider_auth',
      `${provider} has no Google credentials: set credentialsFile or GOOGLE_APPLICATION_CREDENTIALS (this machine has no metadata server)`,
      { cause: error },
    );
  }
}

async function fromFile(file: string, provider: string, now: () => number): Promise<TokenAnswer> {
  const key = await readKeyFile(file, provider);
  const url = key.token_uri ?? defaultTokenUrl;
  const form = formOf(key, url, now(), provider);
  return fetchToken(provider, { url, form, timeoutMs: 10_000 });
}

async function readKeyFile(file: string, provider: string): Promise<KeyFile> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw unusable(provider, `the credentials file ${file} cannot be read`, cause);
  });
  const key = parseJson(text);
  if (isObject(key)) return key;
  throw unusable(provider, `the credentials file ${file} is not JSON`);
}

function formOf(
  key: KeyFile,
  audience: string,
  nowMs: number,
  provider: string,
): Record<string, string> {
  if (key.type === 'authorized_user' && key.refresh_token) {
    return {
      grant_type: 'refresh_token',
      refresh_token: key.refresh_token,
      client_id: key.client_id ?? '',
      client_secret: key.client_secret ?? '',
    };
  }
  if (!key.client_email || !key.private_key) {
    const what = `credentials of type ${key.type ?? 'unknown'} are not supported`;
    throw unusable(provider, `${what}; use a service account's key file`);
  }
  const claims = {
    iss: key.client_email,
    scope,
    aud: audience,
    iat: Math.floor(nowMs / 1000),
    exp: Math.floor(nowMs / 1000) + 3600,
  };
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: signedJwt(claims, key, provider),
  };
}

function signedJwt(claims: object, key: KeyFile, provider: string): string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const unsigned = `${encoded({ alg: 'RS256', typ: 'JWT', ...(key.private_key_id ? { kid: key.private_key_id } : {}) })}.${encoded(claims)}`;
  try {
    return `${unsigned}.${createSign('RSA-SHA256')
      .update(unsigned)
      .sign(key.private_key ?? '', 'base64url')}`;
  } catch (cause) {
    throw unusable(provider, 'the private key in the credentials file cannot be used', cause);
  }
}

const unusable = (provider: string, what: string, cause?: unknown): GatewayError =>
  new GatewayError('provider_auth', `${provider}: ${what}`, { cause });

/** A request to a token endpoint: a POST where it has a form, else a GET. */
interface TokenRequest {
  url: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  timeoutMs: number;
}

/** An access token, and how long it is valid. */
interface TokenAnswer {
  token: string;
  expiresInMs: number;
}

/**
 * Requests an access token.
 * @throws GatewayError `connection_failed` if the endpoint does not answer in time,
 *   `upstream_error` for a 5xx, `provider_auth` for a refusal
 */
async function fetchToken(provider: string, request: TokenRequest): Promise<TokenAnswer> {
  const { url, form, timeoutMs } = request;
  const { status, body } = await askEndpoint(url, {
    method: form ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...request.headers,
    },
    body: form && new URLSearchParams(form).toString(),
    timeoutMs,
  }).catch((cause: unknown) => {
    const message = `${provider} got no access token: ${new URL(url).host} cannot be reached`;
    throw new GatewayError('connection_failed', message, { cause });
  });
  const read = parseJson(body);
  const { access_token: token, expires_in: seconds, ...answer } = isObject(read) ? read : {};
  if (status === 200 && typeof token === 'string')
    return { token, expiresInMs: (Number(seconds) || 0) * 1000 };
  const reason = [answer['error'], answer['error_description']]
    .filter((word) => typeof word === 'string')
    .join(': ');
  throw new GatewayError(
    status >= 500 ? 'upstream_error' : 'provider_auth',
    `${provider} got no access token: the token endpoint answered ${status}${reason ? `: ${reason}` : ''}`,
    { upstreamStatus: status },
  );
}
