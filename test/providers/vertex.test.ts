import { describe, expect, test } from 'vitest';
import type { ProviderSettings, UpstreamRequest } from '../../src/providers/adapter.js';
import type { AccessTokenSource } from '../../src/providers/gemini/google-credentials.js';
import { createVertex, vertex } from '../../src/providers/gemini/vertex.js';

const settings: ProviderSettings = {
  name: 'vertex',
  api: 'vertex',
  project: 'my-project',
  region: 'us-central1',
};
const call = {
  request: {
    messages: [
      {
        role: 'assistant',
        tool_calls: [
          { id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{}' } },
        ],
      },
    ],
  },
  model: 'gemini-2.5-flash',
  stream: false,
};

class FixedTokens implements AccessTokenSource {
  forgotten = 0;
  constructor(readonly configured: boolean) {}
  token(): Promise<string> {
    return Promise.resolve('ya29.token');
  }
  forget(): void {
    this.forgotten++;
  }
}

async function requestOf(
  changes: Partial<ProviderSettings> = {},
  model = call.model,
  apiKey: string | null = null,
  configured = true,
  stream = false,
): Promise<UpstreamRequest> {
  return createVertex({ ...settings, ...changes }, new FixedTokens(configured)).buildRequest(
    { ...call, model, stream },
    apiKey,
  );
}

describe('where a request goes', () => {
  test('to the region and the project, with an access token', async () => {
    const request = await requestOf();
    expect(request.url).toBe(
      'https://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/us-central1/publishers/google/models/gemini-2.5-flash:generateContent',
    );
    expect(request.headers).toEqual({
      'content-type': 'application/json',
      authorization: 'Bearer ya29.token',
    });
  });

  test.each([
    [
      'the multi-region eu has a host of another kind',
      { region: 'eu' },
      'm',
      'https://aiplatform.eu.rep.googleapis.com/v1/projects/my-project/locations/eu/publishers/google/models/m:generateContent',
    ],
    [
      'the global region has no name of its own',
      { region: 'global' },
      'm',
      'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers/google/models/m:generateContent',
    ],
    [
      'a configured base URL replaces the root',
      { baseUrl: 'http://127.0.0.1:1/v1' },
      'm',
      'http://127.0.0.1:1/v1/projects/my-project/locations/us-central1/publishers/google/models/m:generateContent',
    ],
    [
      'a tuned model is an endpoint',
      { deployments: { mine: 'endpoints/42' } },
      'mine',
      'https://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/us-central1/endpoints/42:generateContent',
    ],
    [
      'a full name is used unchanged',
      {},
      'projects/my-project/locations/l/endpoints/7',
      'https://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/l/endpoints/7:generateContent',
    ],
    [
      'a model of another project is called where the configuration names it',
      { deployments: { theirs: 'projects/o/locations/l/endpoints/7' } },
      'theirs',
      'https://us-central1-aiplatform.googleapis.com/v1/projects/o/locations/l/endpoints/7:generateContent',
    ],
  ])('%s', async (_name, changes, model, url) =>
    expect((await requestOf(changes, model)).url).toBe(url),
  );

  test.each([
    'projects/o/locations/l/endpoints/7',
    'projects/my-project-2/locations/l/endpoints/7',
    'projects/',
    'projects/my-project%2f..%2fo/locations/l/endpoints/7',
  ])('a client cannot choose another project: %s', async (model) => {
    for (const apiKey of [null, 'AIza-key'])
      await expect(requestOf({}, model, apiKey, apiKey === null)).rejects.toMatchObject({
        code: 'request_refused',
        status: 422,
        field: 'model',
        message: 'vertex calls models of its own project only; others need an entry in deployments',
      });
    const { embeddings } = createVertex(settings, new FixedTokens(true));
    expect(() => embeddings?.buildRequest({ input: 'x' }, model, null)).toThrow('own project');
  });

  test('a stream is requested as server-sent events', async () => {
    expect((await requestOf({}, 'm', null, true, true)).url).toMatch(
      /models\/m:streamGenerateContent\?alt=sse$/,
    );
  });

  test('an API key is used in express mode, but not where credentials are configured', async () => {
    const express = await requestOf({}, 'm', 'AIza-key', false);
    expect(express).toMatchObject({
      url: 'https://aiplatform.googleapis.com/v1/publishers/google/models/m:generateContent',
      headers: { 'x-goog-api-key': 'AIza-key' },
    });
    expect(express.headers).not.toHaveProperty('authorization');
    expect((await requestOf({}, 'm', 'AIza-key', true)).headers).not.toHaveProperty(
      'x-goog-api-key',
    );
  });

  test('ids of tool calls are not sent', async () => {
    expect(
      JSON.parse((await requestOf()).body as string).contents[1].parts[0].functionCall,
    ).toEqual({ name: 'f', args: {} });
  });
});

test.each(['project', 'region'] as const)(
  'a configuration without a %s stops the start with a clear message',
  (field) => {
    expect(() => vertex.create({ ...settings, [field]: '' })).toThrow(
      expect.objectContaining({
        code: 'internal',
        message: expect.stringContaining(`needs a ${field}`),
      }),
    );
  },
);

test('a refused token is dropped, other failures keep it', () => {
  const tokens = new FixedTokens(true);
  const adapter = createVertex(settings, tokens);
  expect(adapter.readFailure(403, {}, '').code).toBe('provider_auth');
  expect(tokens.forgotten).toBe(0);
  expect(
    adapter.readFailure(
      401,
      {},
      '{"error":{"code":401,"message":"invalid authentication credentials","status":"UNAUTHENTICATED"}}',
    ).code,
  ).toBe('provider_auth');
  expect(tokens.forgotten).toBe(1);
});
