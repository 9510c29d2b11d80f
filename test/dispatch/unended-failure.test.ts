import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { type Plays, scriptByModel } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { ask, wayRows } from '../helpers/ways.js';

let upstream: Upstream;
let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  upstream = await startUpstream();
  plays = scriptByModel(upstream);
  const provider = { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` };
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    // the wait for a failure's body is two seconds, or this where it is shorter
    providers: { up: { ...provider, timeouts: { idleMs: 100 } }, good: provider },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

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
