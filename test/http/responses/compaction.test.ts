import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openaiResponses } from '../../../src/providers/openai-responses/index.js';
import { at, listAt, textAt } from '../../helpers/json.js';
import {
  everyModel,
  finalOf,
  otherModels,
  outputOf,
  ownModel,
  type ResponsesWorld,
  startResponses,
  typesOf,
} from '../../helpers/responses.js';
import { post } from '../../helpers/sse.js';

let world: ResponsesWorld;
beforeAll(async () => {
  world = await startResponses();
});
afterAll(() => world.close());
beforeEach(() => {
  world.upstream.script([]);
  world.upstream.requests.length = 0;
});

const conversation = [
  { role: 'user', content: 'Build the bridge' },
  { role: 'assistant', content: [{ type: 'output_text', text: 'Half of it stands' }] },
];
const trigger = { type: 'compaction_trigger' };
const tools = [{ type: 'function', name: 'f', parameters: {} }];

describe.each(everyModel)('a summary by %s', (model) => {
  it('is exactly one sealed item, which a later request unfolds', async () => {
    world.upstream.script([{ text: ['Bridge: ', 'half "done" é'] }]);
    const input = [...conversation, trigger];
    const streamed = await world.stream({ model, input, tools, store: false });
    expect(typesOf(streamed)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ]);
    const output = outputOf(finalOf(streamed));
    expect(output).toEqual([
      {
        id: expect.stringMatching(/^cmp_/),
        type: 'compaction',
        encrypted_content: expect.any(String),
      },
    ]);
    expect(textAt(output[0], 'encrypted_content')).not.toContain('Bridge');
    const asked = JSON.stringify(world.sent());
    expect(asked).toContain('Build the bridge');
    expect(asked).toContain('detailed summary of');
    expect(at(world.sent(), 'tools')).toBeUndefined();

    for (const other of [model, otherModels[0]]) {
      world.upstream.script([]);
      await world.ask({ model: other, input: [...output, { role: 'user', content: 'Go on' }] });
      const sent = JSON.stringify(world.sent());
      expect(sent).toContain('Bridge: half \\"done\\" é');
      expect(sent).not.toContain('compaction');
    }
  });
});

describe('a summary', () => {
  it('can be asked for by its own path', async () => {
    world.upstream.script([{ text: ['Short'] }]);
    const url = `${world.url}/v1/responses/compact`;
    const { status, json } = await post(url, { model: ownModel, input: conversation }, world.auth);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      object: 'response.compaction',
      output: [{ type: 'compaction' }],
      usage: { input_tokens: 10 },
    });
  });

  it('that another maker sealed goes to providers of its dialect only', async () => {
    const item = { type: 'compaction', encrypted_content: 'gAAAA' };
    expect(await world.ask({ input: [item] })).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('`input: compaction`') } },
    });
    await world.ask({ model: ownModel, input: [item] });
    expect(listAt(world.sent(), 'input')).toEqual([item]);
  });

  it("is OpenAI's own at OpenAI", () => {
    const takes = (baseUrl: string): boolean | undefined =>
      openaiResponses
        .create({ name: 'o', api: 'openai-responses', baseUrl })
        .takes?.({ input: [trigger] });
    expect(takes('https://api.openai.com/v1')).toBe(true);
    expect(takes('https://r.openai.azure.com/openai/v1')).toBe(true);
    expect(takes('https://api.x.ai/v1')).toBe(false);
    expect(takes('https://openai.com.example/v1')).toBe(false);
  });
});
