import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, numberAt, tryJson } from '../helpers/json.js';
import { type AgentRun, installAgent, runClaudeCode, type Target } from './agents.js';
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

const installed = await installAgent('claude-code');

let scene: Scene | undefined;
beforeEach(({ skip }) => {
  if ('missing' in installed) skip(installed.missing);
});
afterEach(() => scene?.close());

const run = (desk: Scene['desk'], target: Target, ...more: string[]): Promise<AgentRun> =>
  runClaudeCode('program' in installed ? installed.program : '', desk, target, more);

describe('Claude Code, unmodified,', () => {
  it('does a task of twenty tool turns through the pass-through of its provider', async () => {
    const set = (scene = await setScene({}));
    expectDone(await run(set.desk, set.target('m', '/proxy/anthropic')), set);
    expect(set.upstream.requests).toHaveLength(stepCount + 1);
    expect(stepsIn(set.upstream.requests.at(-1)!)).toEqual(allSteps);
  });

  it.each(apis)('does a task of twenty tool turns before %s', async (api) => {
    const set = (scene = await setScene({}));
    const agent = await run(set.desk, set.target(`${api}/m`));
    expectDone(agent, set);
    await expectLogged(set, api);
    const { requests } = set.upstream;
    expect(requests).toHaveLength(stepCount + 1);
    expect(stepsIn(requests.at(-1)!)).toEqual(allSteps);
    const usage = at(tryJson(agent.stdout), 'usage');
    const cached = numberAt(usage, 'cache_read_input_tokens');
    expect({
      prompt: numberAt(usage, 'input_tokens') + cached,
      cached,
      completion: numberAt(usage, 'output_tokens'),
    }).toEqual({
      prompt: requests.length * turnUsage.prompt,
      cached: requests.length * turnUsage.cached,
      completion: requests.length * turnUsage.completion,
    });
  });

  it.each(apis)('compacts in the middle before %s, under a name that it knows', async (api) => {
    const set = (scene = await setScene({
      fills: true,
      aliases: { 'claude-sonnet-4-5': `${api}/m` },
    }));
    expectDone(
      await run(set.desk, set.target('claude-sonnet-4-5'), '--autocompact', '100000'),
      set,
    );
    await expectLogged(set, api);
    const { requests } = set.upstream;
    expect(requests).toHaveLength(stepCount + 2);
    expect(requests.filter(asksForSummary)).toHaveLength(1);
    // the last turn before the summary is kept as it is
    expect(stepsIn(requests.at(-1)!)).toEqual(allSteps.slice(9));
  });

  it.each([
    ['anthropic', 'openai-compatible'],
    ['openai-compatible', 'anthropic'],
    ['bedrock', 'gemini'],
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

  it('asks once where its only provider is dead', async () => {
    const set = (scene = await setScene({
      dies: { api: 'anthropic', after: 0, steps: [{ status: 503 }] },
    }));
    expect((await run(set.desk, set.target('dying/m'))).code).not.toBe(0);
    expect(set.statuses).toEqual([529]);
    expect(set.upstream.requests).toHaveLength(attemptsEach);
  });
});
