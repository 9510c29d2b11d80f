import { describe, expect, it } from 'vitest';
import { withPlainContent } from '../../../src/http/surfaces/plain-content.js';
import { dialects } from '../../../src/providers/index.js';
import { type Acceptance, refusals, sentOf } from './acceptance.js';
import { adapterOf } from './adapters.js';
import { type Conversation, conversations } from './conversations.js';
import { acceptances } from './models/index.js';

/** Sends a conversation to each of the provider's models. @returns what is wrong with it */
async function problemsOf(
  api: string,
  acceptance: Acceptance,
  { request, keeps }: Conversation,
): Promise<string[]> {
  const before = JSON.stringify(request);
  const problems: string[] = [];
  for (const model of acceptance.models)
    try {
      const call = { request: withPlainContent(request), model, stream: true };
      const sent = sentOf(await adapterOf(api).buildRequest(call, 'k'), model);
      const lost = keeps.filter((kept) => !sent.text.includes(kept)).map((kept) => `lost: ${kept}`);
      problems.push(...[...refusals(acceptance, sent), ...lost].map((one) => `${model}: ${one}`));
    } catch (error) {
      problems.push(`${model}: not sent: ${(error as Error).message}`);
    }
  if (JSON.stringify(request) !== before) problems.push('the request was changed');
  return problems;
}

describe('every dialect', () => {
  it('has a model of what it accepts', () => {
    expect([...acceptances.keys()].sort()).toEqual([...dialects.keys()].sort());
  });
});

describe.each([...acceptances])('%s accepts, as it is sent,', (api, acceptance) => {
  it.each(conversations)('$name', async (conversation) => {
    const problems = await problemsOf(api, acceptance, conversation);
    if (acceptance.open?.includes(conversation.name)) expect(problems).not.toEqual([]);
    else expect(problems).toEqual([]);
  });
});
