import { expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { startGateway } from '../helpers/gateway.js';
import { ask } from '../helpers/sse.js';

const functions = [{ name: 'look', url: 'http://127.0.0.1:9/look' }];

it('tells a caller what its completions may ask for, and no toolkit that it may not use', async () => {
  const gateway = await startGateway({
    auth: {
      keys: [
        { name: 'some', key: 'sk_some_0123456789', toolkits: ['files*'] },
        { name: 'none', key: 'sk_none_0123456789' },
      ],
    },
    limits: { maxBodyBytes: 5_000_000 },
    search: { engines: [{ name: 'paid', type: 'brave', apiKey: 'x', pricePerThousand: 5 }] },
    toolkits: {
      files: { type: 'functions', functions },
      mail: { type: 'functions', functions },
    },
  });
  try {
    const optionsOf = async (key: string): Promise<unknown> =>
      (
        await ask('GET', `${gateway.url}/api/v1/completion-options`, {
          authorization: `Bearer ${key}`,
        })
      ).json;
    const some = await optionsOf('sk_some_0123456789');
    expectConforms('completion-options.response', some);
    expect(some).toMatchObject({
      maxBodyBytes: 5_000_000,
      search: { engines: [{ name: 'paid', pricePerThousandUsd: 5 }] },
      toolkits: ['files'],
    });
    expect(await optionsOf('sk_none_0123456789')).toMatchObject({ toolkits: [] });
  } finally {
    await gateway.close();
  }
});

it('tells that research needs a search engine', async () => {
  const gateway = await startGateway();
  try {
    const { json } = await ask('GET', `${gateway.url}/api/v1/completion-options`, gateway.auth);
    expect(json).toMatchObject({ research: null, search: { engines: [] } });
  } finally {
    await gateway.close();
  }
});
