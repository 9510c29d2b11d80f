import { describe, expect, it } from 'vitest';
import { pathParameters, requestOf } from '../../src/dashboard/reference/call.js';

const filled = { parameters: new Map<string, string>(), query: '', body: null };

describe('a call from the API reference', () => {
  it('has its parameters in the path, which they cannot leave', () => {
    expect(pathParameters('/proxy/{provider}/{path}')).toEqual(['provider', 'path']);
    const parameters = new Map([['id', 'a/../b?c']]);
    const path = '/api/v1/keys/{id}';
    expect(requestOf({ method: 'GET', path }, '/ai', { ...filled, parameters }).url).toBe(
      '/ai/api/v1/keys/a%2F..%2Fb%3Fc',
    );
  });

  it('has the query as it was typed, and JSON as its body', () => {
    const call = { method: 'POST', path: '/v1/x' };
    expect(requestOf(call, '', { ...filled, query: ' ?limit=2 ', body: '{"a":1}' })).toEqual({
      url: '/v1/x?limit=2',
      init: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
    });
    expect(requestOf({ ...call, method: 'DELETE' }, '', filled).init).toEqual({
      method: 'DELETE',
      headers: {},
    });
  });
});
