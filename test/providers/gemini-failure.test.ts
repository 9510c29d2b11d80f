import { expect, test } from 'vitest';
import type { GatewayError } from '../../src/errors.js';
import { gemini } from '../../src/providers/gemini/index.js';

const adapter = gemini.create({ name: 'gemini', api: 'gemini' });
const fail = (status: number, body: unknown, headers = {}): GatewayError =>
  adapter.readFailure(status, headers, typeof body === 'string' ? body : JSON.stringify(body));
const rpc = (code: number, message: string, status: string, details: object[] = []): object => ({
  error: { code, message, status, details },
});

test.each([
  [
    'a bad key, which is a 400',
    400,
    rpc(400, 'API key not valid. Please pass a valid API key.', 'INVALID_ARGUMENT', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
    ]),
    'provider_auth',
  ],
  [
    'an expired key, known by its words',
    400,
    rpc(400, 'API key expired. Please renew the API key.', 'INVALID_ARGUMENT'),
    'provider_auth',
  ],
  [
    'a place that Google does not serve',
    400,
    rpc(400, 'User location is not supported for the API use.', 'FAILED_PRECONDITION'),
    'provider_auth',
  ],
  [
    'a request that Google refuses',
    400,
    rpc(400, 'Unable to submit request because it has a temperature of 9.', 'INVALID_ARGUMENT'),
    'request_refused',
  ],
  [
    'a token that is refused',
    401,
    rpc(401, 'Request had invalid authentication credentials.', 'UNAUTHENTICATED'),
    'provider_auth',
  ],
  [
    'a project without the right',
    403,
    rpc(403, 'Permission denied.', 'PERMISSION_DENIED'),
    'provider_auth',
  ],
  [
    'an unknown model',
    404,
    rpc(404, 'models/x is not found for API version v1beta', 'NOT_FOUND'),
    'model_not_found',
  ],
  [
    'a call that Google gave up',
    499,
    rpc(499, 'The operation was cancelled.', 'CANCELLED'),
    'upstream_error',
  ],
  [
    "a fault of Google's",
    500,
    rpc(500, 'An internal error has occurred.', 'INTERNAL'),
    'upstream_error',
  ],
  [
    'an overloaded model',
    503,
    rpc(503, 'The model is overloaded.', 'UNAVAILABLE'),
    'upstream_overloaded',
  ],
  [
    'an error in an array',
    503,
    [rpc(503, 'The model is overloaded.', 'UNAVAILABLE')],
    'upstream_overloaded',
  ],
  ['a page of a proxy', 502, '<html>bad gateway</html>', 'upstream_error'],
  ['nothing at all', 429, '', 'rate_limited'],
])('%s', (_name, status, body, code) =>
  expect(fail(status, body)).toMatchObject({ code, upstreamStatus: status }),
);

test('the wait of RetryInfo is taken over, then that of the message, then that of the header', () => {
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' };
  expect(
    fail(
      429,
      rpc(429, 'quota. Please retry in 48.9s.', 'RESOURCE_EXHAUSTED', [
        { '@type': 'x' },
        retryInfo,
      ]),
    ),
  ).toMatchObject({ code: 'rate_limited', retryAfterMs: 37_000 });
  expect(fail(429, rpc(429, 'quota. Please retry in 0.25s.', 'RESOURCE_EXHAUSTED'))).toMatchObject({
    retryAfterMs: 250,
  });
  expect(fail(429, rpc(429, 'quota', 'RESOURCE_EXHAUSTED'), { 'retry-after': '2' })).toMatchObject({
    retryAfterMs: 2000,
  });
});

test('a message names the provider and the status, and repeats no page', () => {
  expect(fail(502, '<html>bad gateway</html>').message).toBe('gemini answered 502');
  expect(fail(400, rpc(400, 'API key not valid', 'INVALID_ARGUMENT')).message).toBe(
    'gemini answered 400: API key not valid',
  );
});
