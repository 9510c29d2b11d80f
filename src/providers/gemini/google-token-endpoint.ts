import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { GatewayError } from '../../errors.js';
import { parseJson } from '../failure.js';

/** One question to a token endpoint: a GET, or a POST where there is a form. */
export interface TokenQuestion {
  url: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  timeoutMs: number;
}

export interface TokenAnswer {
  token: string;
  expiresInMs: number;
}

/** An answer of a token endpoint is a few hundred bytes. */
const maxAnswerLength = 64 * 1024;

/**
 * Asks for an access token.
 * @throws GatewayError `connection_failed` where nobody answers in time, `upstream_error` for a 5xx, `provider_auth` for a refusal
 */
export async function fetchToken(provider: string, question: TokenQuestion): Promise<TokenAnswer> {
  const { status, body } = await ask(question).catch((cause: unknown) => {
    throw new GatewayError(
      'connection_failed',
      `${provider} got no access token: ${new URL(question.url).host} cannot be reached`,
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

function ask({
  url,
  headers,
  form,
  timeoutMs,
}: TokenQuestion): Promise<{ status: number; body: string }> {
  const payload = form && new URLSearchParams(form).toString();
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const outgoing = send(
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
