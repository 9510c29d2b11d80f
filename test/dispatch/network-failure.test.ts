import { describe, expect, it } from 'vitest';
import { networkFailure } from '../../src/dispatch/network-failure.js';
import { GatewayError } from '../../src/errors.js';

const coded = (code: string): Error => Object.assign(new Error('x'), { code });

describe('a call that failed on the network', () => {
  it.each([
    [
      'an unknown host',
      coded('ENOTFOUND'),
      'connection_failed',
      'up could not be reached: its host name does not exist (ENOTFOUND)',
    ],
    [
      'a reset',
      coded('ECONNRESET'),
      'connection_failed',
      'up could not be reached: the connection was reset (ECONNRESET)',
    ],
    [
      'a certificate',
      coded('DEPTH_ZERO_SELF_SIGNED_CERT'),
      'connection_failed',
      'up could not be reached: its certificate was not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)',
    ],
    [
      'something without a code',
      new Error('x'),
      'connection_failed',
      'up could not be reached: the connection failed',
    ],
    [
      'a failed fetch, which is a TypeError with a cause',
      new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }),
      'connection_failed',
      'up could not be reached: the connection failed',
    ],
    [
      'a header that cannot be sent, which is a TypeError with a code',
      Object.assign(new TypeError('x'), { code: 'ERR_INVALID_CHAR' }),
      'connection_failed',
      'up could not be reached: the connection failed (ERR_INVALID_CHAR)',
    ],
    [
      'a request that makes its adapter throw',
      new TypeError('x is not a function'),
      'request_refused',
      'up was not called: the request could not be translated into its format',
    ],
    [
      'a request that is nested too deeply for its adapter',
      new RangeError('Maximum call stack size exceeded'),
      'request_refused',
      'up was not called: the request could not be translated into its format',
    ],
    [
      'a model whose name cannot be part of a URL',
      new URIError('URI malformed'),
      'request_refused',
      'up was not called: the request could not be translated into its format',
    ],
  ])('because of %s has the right code and message', (_what, error, code, message) => {
    expect(networkFailure('up', error)).toMatchObject({ code, message, cause: error });
  });

  it("keeps an adapter's own error", () => {
    const error = new GatewayError('provider_auth', 'no key');
    expect(networkFailure('up', error)).toBe(error);
  });
});
