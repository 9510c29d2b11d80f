import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post } from '../helpers/sse.js';

const llm_providers = [
  { provider: 'openai', model: 'gpt-5.2' },
  { provider: 'anthropic', model: 'claude-haiku-4-5' },
  { provider: 'local', model: 'claude-haiku-99' },
  { provider: 'local', model: 'nobody-knows-this' },
  { provider: 'local', model: 'stated', attributes: { quality: 0.5 } },
];

describe('the explanation of a choice', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway({});
  });
  afterAll(() => gateway.close());

  const explained = async (
    content: string,
  ): Promise<{ json: unknown; of: (model: string) => unknown }> => {
    const { json } = await post(
      `${gateway.url}/api/v1/model-select?explain=true`,
      { messages: [{ role: 'user', content }], llm_providers },
      gateway.auth,
    );
    expectConforms('model-select.response', json);
    const candidates = listAt(json, 'candidates');
    return { json, of: (model) => candidates.find((one) => at(one, 'model') === model) };
  };
  const width = (candidate: unknown): number => {
    const [low, high] = listAt(candidate, 'interval').map(Number);
    return high! - low!;
  };

  it('says where each quality is from, between what bounds it lies, and for which kinds of task', async () => {
    const { of } = await explained('Implement a B-tree with deletion in Go, with tests.');
    expect(of('gpt-5.2')).toMatchObject({ basis: 'measured', task_kinds: ['code'] });
    expect(of('claude-haiku-99')).toMatchObject({ basis: 'family' });
    expect(of('nobody-knows-this')).toMatchObject({ basis: 'guess' });
    for (const model of ['gpt-5.2', 'claude-haiku-4-5', 'nobody-knows-this']) {
      const [low, high] = listAt(of(model), 'interval').map(Number);
      const quality = Number(at(of(model), 'quality'));
      expect(low).toBeLessThanOrEqual(quality);
      expect(high).toBeGreaterThanOrEqual(quality);
    }
    expect(width(of('nobody-knows-this'))).toBeGreaterThan(width(of('gpt-5.2')) + 0.1);
  });

  it('states one uncertainty, which the interval is made of, and the part that is the model’s own', async () => {
    const { of } = await explained('Who painted the Mona Lisa?');
    for (const model of ['gpt-5.2', 'claude-haiku-99']) {
      const whole = Number(at(of(model), 'uncertainty'));
      expect(width(of(model)) / (2 * 1.645)).toBeCloseTo(whole, 2);
      expect(Number(at(of(model), 'own_uncertainty'))).toBeLessThan(whole);
    }
  });

  it('says nothing of that about a quality that the caller states', async () => {
    const stated = (await explained('Who painted the Mona Lisa?')).of('stated');
    expect(stated).toMatchObject({ quality: 0.5, uncertainty: 0 });
    for (const name of ['basis', 'interval', 'own_uncertainty', 'task_kinds'])
      expect(stated).not.toHaveProperty(name);
  });

  it('is kept with the decision', async () => {
    const { json } = await explained('Translate "good morning" into Italian.');
    const session = await ask(
      'GET',
      `${gateway.url}/api/v1/sessions/${textAt(json, 'session_id')}`,
      gateway.auth,
    );
    expect(session.status).toBe(200);
    const kept = JSON.stringify(session.json);
    expect(kept).toContain('"basis":"measured"');
    expect(kept).toContain('"task_kinds":["translation"]');
  });

  it('says in one sentence how many candidates answer equally well', async () => {
    const { json } = await explained('hi');
    expect(textAt(json, 'reason')).toMatch(
      /^(\d of 5|all 5) candidates answer this equally well; this is the cheap(er|est whose price is known|est): /,
    );
  });
});
