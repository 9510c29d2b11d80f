import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import { ask, wayRows, ways } from '../helpers/ways.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up) => ({ providers: { up, good: up } })));
});
afterAll(() => gateway.close());

const garbage: Step = { garbage: true };

describe('an answer that cannot be read', () => {
  it.each(wayRows)('is asked for once more, not maxRetries times, asked %s', async (_name, way) => {
    const [model, good] = [plays.newModel(), plays.newModel()];
    plays.set(model, garbage);
    const models = [`up/${model}`, `good/${good}`];
    expect(await ask(gateway, way, { models })).toMatchObject({ ended: 'whole', model: good });
    expect(plays.of(model)).toHaveLength(2);
  });

  it('twice in a row costs later requests one call each, until one can be read', async () => {
    const model = plays.newModel();
    plays.set(model, garbage, garbage, garbage, {}, garbage, {});
    const hears = async (): Promise<[status: number, calls: number]> => {
      const before = plays.of(model).length;
      const { status } = await ask(gateway, ways[1]!, { models: [`up/${model}`] });
      return [status, plays.of(model).length - before];
    };
    expect(await hears()).toEqual([502, 2]);
    expect(await hears()).toEqual([502, 1]);
    expect(await hears()).toEqual([200, 1]);
    expect(await hears()).toEqual([200, 2]);
  });

  it('is not asked for again where no retries are allowed', async () => {
    const model = plays.newModel();
    plays.set(model, garbage);
    await ask(gateway, ways[1]!, { models: [`up/${model}`], more: { maxRetries: 0 } });
    expect(plays.of(model)).toHaveLength(1);
  });

  it('counts among the retries of other failures', async () => {
    const model = plays.newModel();
    const busy: Step = { status: 503, headers: { 'retry-after-ms': '0' } };
    plays.set(model, busy, garbage, garbage, busy);
    await ask(gateway, ways[1]!, { models: [`up/${model}`], more: { maxRetries: 2 } });
    expect(plays.of(model)).toHaveLength(3);
  });
});
