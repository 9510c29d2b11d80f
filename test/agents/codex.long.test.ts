import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, numberAt, tryJson } from '../helpers/json.js';
import { type AgentRun, installAgent, runCodex, type Target } from './agents.js';
import {
  apis,
  attemptsEach,
  death,
  expectDone,
  expectLogged,
  isToDying,
  type Scene,
  setScene,
} from './scene.js';
import { allSteps, asksForSummary, stepCount, stepsIn, turnUsage } from './scripted-model.js';

const installed = await installAgent('codex');

let scene: Scene | undefined;
beforeEach(({ skip }) => {
  if ('missing' in installed) skip(installed.missing);
});
afterEach(() => scene?.close());

const run = (desk: Scene['desk'], target: Target, builtIn = false): Promise<AgentRun> =>
  runCodex('program' in installed ? installed.program : '', desk, target, builtIn);

describe('Codex, unmodified,', () => {
  it('does a task of twenty tool turns through the pass-through of its provider', async () => {
    const set = (scene = await setScene({}));
    expectDone(await run(set.desk, set.target('m', '/proxy/openai-responses')), set);
    expect(set.upstream.requests).toHaveLength(stepCount + 1);
    expect(stepsIn(set.upstream.requests.at(-1)!)).toEqual(allSteps);
  });

  it('has its provider compact through the pass-through, after one refused upgrade', async () => {
    const set = (scene = await setScene({ fills: true }));
    expectDone(await run(set.desk, set.target('gpt-5.5', '/proxy/openai-responses'), true), set);
    expect(set.upgrades).toEqual([426]);
    expect(set.upstream.requests).toHaveLength(stepCount + 2);
    expect(set.upstream.requests.filter(asksForSummary)).toHaveLength(1);
  });

  it.each(apis)('does a task of twenty tool turns before %s', async (api) => {
    const set = (scene = await setScene({}));
    const agent = await run(set.desk, set.target(`${api}/m`));
    expectDone(agent, set);
    await expectLogged(set, api);
    const { requests } = set.upstream;
    expect(requests).toHaveLength(stepCount + 1);
    expect(stepsIn(requests.at(-1)!)).toEqual(allSteps);
    const usage = at(tryJson(agent.stdout.trim().split('\n').at(-1) ?? ''), 'usage');
    expect({
      prompt: numberAt(usage, 'input_tokens'),
      cached: numberAt(usage, 'cached_input_tokens'),
      completion: numberAt(usage, 'output_tokens'),
    }).toEqual({
      prompt: requests.length * turnUsage.prompt,
      cached: requests.length * turnUsage.cached,
      completion: requests.length * turnUsage.completion,
    });
  });

  it('is forwarded where a provider of two APIs serves its model by Responses', async () => {
    const set = (scene = await setScene({ aliases: { 'gpt-6.2-sol': 'openai/gpt-6.2-sol' } }));
    expectDone(await run(set.desk, set.target('gpt-6.2-sol')), set);
    const { requests } = set.upstream;
    expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(['/v1/responses']));
    expect(requests).toHaveLength(stepCount + 1);
    expect(stepsIn(requests.at(-1)!)).toEqual(allSteps);
    // what only that API takes
    expect(JSON.stringify(requests[0]?.body)).toContain('"additional_tools"');
  });

  const itself = apis.flatMap((api) => [
    ['compacts itself', 'm', api] as const,
    ['compacts itself and calls one custom tool', 'gpt-6.2-sol', api] as const,
  ]);
  const byGateway = apis.map((api) => ['has the gateway compact', 'gpt-5.5', api] as const);
  it.each([...itself, ...byGateway])(
    '%s as %s in the middle of a task before %s',
    async (what, model, api) => {
      const set = (scene = await setScene({ fills: true, aliases: { [model]: `${api}/m` } }));
      const builtIn = what === 'has the gateway compact';
      expectDone(await run(set.desk, set.target(model), builtIn), set);
      await expectLogged(set, api);
      const { requests } = set.upstream;
      expect(requests).toHaveLength(stepCount + 2);
      expect(requests.filter(asksForSummary)).toHaveLength(1);
      expect(stepsIn(requests.at(-1)!)).toEqual(allSteps.slice(10));
      expect(set.upgrades).toEqual(builtIn ? [426] : []);
    },
  );

  it.each([
    ['openai-responses', 'anthropic'],
    ['openai-compatible', 'openai-responses'],
    ['gemini', 'bedrock'],
  ] as const)('goes on before %s → %s, when the first dies in the middle', async (api, spare) => {
    const set = (scene = await setScene({
      aliases: { team: ['dying/m', `${spare}/m`] },
      dies: { api, after: 10, steps: death },
    }));
    expectDone(await run(set.desk, set.target('team')), set);
    expect(new Set(set.statuses)).toEqual(new Set([200]));
    expect(stepsIn(set.upstream.requests.at(-1)!)).toEqual(allSteps);
    const toDying = set.upstream.requests.filter(isToDying).length;
    expect(toDying).toBeGreaterThan(10);
    // the agent repeats the turn whose answer broke off
    expect(set.statuses).toHaveLength(stepCount + 2);
    expect(toDying).toBeLessThanOrEqual(10 + (stepCount + 2 - 10) * attemptsEach);
  });

  it('asks at most six times where its only provider is dead', async () => {
    const set = (scene = await setScene({
      dies: { api: 'openai-responses', after: 0, steps: [{ status: 503 }] },
    }));
    expect((await run(set.desk, set.target('dying/m'))).code).not.toBe(0);
    expect(set.statuses.length).toBeLessThanOrEqual(6);
    expect(set.upstream.requests.length).toBeLessThanOrEqual(set.statuses.length * attemptsEach);
  });
});
