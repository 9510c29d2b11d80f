import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import { ask, wayRows } from '../helpers/ways.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up) => ({
    limits: { maxRetries: 0 },
    // the wait for a failure's body is two seconds, or this where it is shorter
    providers: { up: { ...up, timeouts: { idleMs: 100 } }, good: up },
  })));
});
afterAll(() => gateway.close());

describe('a failure whose body does not end', () => {
  const rows = (['silent', 'dripping'] as const).flatMap((unended) =>
    wayRows.map(([name, way]) => [unended, name, way] as const),
  );
  it.each(rows)('is what its status says (%s; asked %s)', async (unended, _name, way) => {
    const [failing, good] = [plays.newModel(), plays.newModel()];
    const step: Step = { status: 500, body: { error: { message: 'disk on fire' } }, unended };
    plays.set(failing, step);
    const heard = await ask(gateway, way, { models: [`up/${failing}`, `good/${good}`] });
    expect(heard).toMatchObject({ status: 200, ended: 'whole', text: 'Hello' });
    const alone = await ask(gateway, way, { models: [`up/${failing}`] });
    expect(alone).toMatchObject({ status: 502, ended: 'refused' });
    expect(alone.errorTrace).toMatchObject([{ status: 500 }]);
  });

  it('is tried again, like other failures', async () => {
    const model = plays.newModel();
    plays.set(model, { status: 503, unended: 'silent' }, {});
    const [, [, whole] = []] = wayRows;
    const heard = await ask(gateway, whole!, { models: [`up/${model}`], more: { maxRetries: 1 } });
    expect(heard).toMatchObject({ status: 200, text: 'Hello' });
    expect(plays.of(model)).toHaveLength(2);
  });
});
