import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { at, listAt, textAt } from '../../helpers/json.js';
import {
  everyModel,
  finalOf,
  outputOf,
  ownModel,
  type ResponsesWorld,
  startResponses,
  textOf,
} from '../../helpers/responses.js';

/** What an unmodified Codex sent, with placeholders for its texts. */
const folder = new URL('../../fixtures/agent-traffic/', import.meta.url);
const files = readdirSync(folder).filter((file) => /^codex-.*\.json$/.test(file));
const bodyOf = (file: string): Record<string, unknown> =>
  at(JSON.parse(readFileSync(new URL(file, folder), 'utf8')), 'body') as Record<string, unknown>;

let world: ResponsesWorld;
beforeAll(async () => {
  world = await startResponses();
});
afterAll(() => world.close());
beforeEach(() => {
  world.upstream.requests.length = 0;
});

/** Name and namespace of each tool that Codex itself runs. */
function toolsOf(body: unknown): { namespace?: string; name: string; type: string }[] {
  const sent = [
    ...listAt(body, 'tools'),
    ...listAt(body, 'input').flatMap((i) => listAt(i, 'tools')),
  ];
  return sent
    .flatMap((tool) =>
      at(tool, 'type') === 'namespace'
        ? listAt(tool, 'tools').map((one) => ({ one, namespace: textAt(tool, 'name') }))
        : [{ one: tool }],
    )
    .map(({ one, ...group }) => ({
      ...group,
      name: textAt(one, 'name'),
      type: textAt(one, 'type'),
    }))
    .filter(({ type }) => type === 'function' || type === 'custom');
}

describe.each(files)('%s', (file) => {
  const body = bodyOf(file);
  const tools = toolsOf(body);
  const isCompaction = file.includes('remote-compaction');

  it.each(everyModel)('is answered by %s', async (model) => {
    const [first, last] = [tools[0], tools.at(-1)];
    const called = [first, last].flatMap((tool) => (tool ? [tool] : []));
    const flat = ({ namespace, name }: { namespace?: string; name: string }): string =>
      namespace && model !== ownModel ? `${namespace}__${name}` : name;
    world.upstream.script([
      {
        text: ['Done'],
        toolCalls: isCompaction
          ? []
          : called.map((tool, i) => ({
              id: `call_${i}`,
              name: flat(tool),
              arguments: tool.type === 'custom' ? { input: 'run' } : { a: 1 },
            })),
      },
    ]);
    const streamed = await world.stream({ ...body, model });
    expect(streamed.status).toBe(200);
    const response = finalOf(streamed);
    expect(response).toMatchObject({ status: 'completed', usage: { input_tokens: 10 } });
    if (isCompaction) {
      expect(outputOf(response)).toMatchObject([{ type: 'compaction' }]);
      return;
    }
    expect(textOf(response)).toBe('Done');
    const calls = outputOf(response).filter((item) => /_call$/.test(textAt(item, 'type')));
    expect(calls.map((call) => at(call, 'name'))).toEqual(called.map(({ name }) => name));
    if (model !== ownModel)
      expect(calls).toMatchObject(
        called.map(({ name, namespace, type }) => ({
          type: type === 'custom' ? 'custom_tool_call' : 'function_call',
          name,
          ...(namespace ? { namespace } : {}),
        })),
      );
  });

  it('travels whole to a provider of its dialect', async () => {
    if (isCompaction) return;
    world.upstream.script([]);
    await world.stream({ ...body, model: ownModel });
    expect(world.sent()).toEqual({ ...body, model: 'gpt-test' });
  });

  it.each(everyModel.filter((model) => model !== ownModel))(
    'gives %s every tool and text, and nothing of what Codex notes down for itself',
    async (model) => {
      world.upstream.script([]);
      await world.stream({ ...body, model });
      const sent = JSON.stringify(world.sent());
      if (!isCompaction) for (const { name } of tools) expect(sent).toContain(name);
      for (const item of listAt(body, 'input'))
        for (const part of listAt(item, 'content'))
          if (at(item, 'type') === 'message')
            expect(sent).toContain(JSON.stringify(at(part, 'text')));
      for (const secret of ['client_metadata', 'x-codex', 'installation', 'ZW5j'])
        expect(sent).not.toContain(secret);
    },
  );
});
