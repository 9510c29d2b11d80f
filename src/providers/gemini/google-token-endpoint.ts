import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { GatewayError } from '../../errors.js';
import { parseJson } from '../json.js';

/** A request to a token endpoint: a POST where it has a form, else a GET. */
export interface TokenRequest {
  url: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  timeoutMs: number;
}

/** An access token, and how long it is valid. */
export interface TokenAnswer {
  token: string;
  expiresInMs: number;
}

/** In bytes; real answers are a few hundred. */
const maxAnswerLength = 64 * 1024;

/**
 * Requests an access token.
 * @throws GatewayError `connection_failed` if the endpoint does not answer in time,
 *   `upstream_error` for a 5xx, `provider_auth` for a refusal
 */
export async function fetchToken(provider: string, request: TokenRequest): Promise<TokenAnswer> {
  const { status, body } = await send(request).catch((cause: unknown) => {
    throw new GatewayError(
      'connection_failed',
      `${provider} got no access token: ${new URL(request.url).host} cannot be reached`,
      { cause },
    );
  });
  const answer = (parseJson(body) ?? {}) as {
    access_token?: unknown;
    expires_in?: unknown;
    error?: unknown;
    error_description?: unknown;
  };
  if (status === 200 && typeof answer.access_token === 'string') {
    return { token: answer.access_token, expiresInMs: (Number(answer.expires_in) || 0) * 1000 };
  }
  const reason = [answer.error, answer.error_description]
    .filter((word) => typeof word === 'string')
    .join(': ');
  throw new GatewayError(
    status >= 500 ? 'upstream_error' : 'provider_auth',
    `${provider} got no access token: the token endpoint answered ${status}${reason ? `: ${reason}` : ''}`,
    { upstreamStatus: status },
  );
}

function send({
  url,
  headers,
  form,
  timeoutMs,
}: TokenRequest): Promise<{ status: number; body: string }> {
  const payload = form && new URLSearchParams(form).toString();
  const requestFrom = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const outgoing = requestFrom(
      url,
      {
        method: payload === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(payload === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (incoming) => {
        const pieces: Buffer[] = [];
        let length = 0;
        incoming.on('data', (piece: Buffer) => {
          length += piece.length;
          if (length > maxAnswerLength) incoming.destroy(new Error('the answer is too long'));
          else pieces.push(piece);
        });
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(pieces).toString() }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
