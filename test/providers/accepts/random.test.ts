import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withPlainContent } from '../../../src/http/surfaces/plain-content.js';
import { refusals, sentOf } from './acceptance.js';
import { adapterOf } from './adapters.js';
import { acceptances } from './models/index.js';
import { randomRequest } from './random-conversations.js';

const runs = { numRuns: 150 };

describe.each([...acceptances])('a random conversation for %s', (api, acceptance) => {
  const adapter = adapterOf(api);

  it.each(acceptance.models)('is one that %s accepts, and stays as it was', async (model) => {
    await fc.assert(
      fc.asyncProperty(randomRequest, async (request) => {
        const before = JSON.stringify(request);
        const call = { request: withPlainContent(request), model, stream: true };
        const sent = sentOf(await adapter.buildRequest(call, 'k'), model);
        expect(refusals(acceptance, sent)).toEqual([]);
        expect(JSON.stringify(request)).toBe(before);
      }),
      runs,
    );
  });
});
