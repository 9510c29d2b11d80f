import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeCustom, encodeCustom } from '../../src/chooser/predictor/custom-weights.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';
import { openStore } from '../../src/store/open-store.js';
import { expectConforms } from '../helpers/conforms.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { codePrompt, evaluationsCsv, factsPrompt } from '../helpers/evaluations-csv.js';
import { smallEvaluations } from '../helpers/small-evaluations.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { isWholeRun } from '../helpers/runs.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await start();
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const keys = [
  { name: 'one', key: 'sk_one' },
  { name: 'two', key: 'sk_two' },
];
const start = (config: object = {}): Promise<RunningGateway> =>
  startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    auth: { keys },
    ...config,
  });
const auth = { authorization: 'Bearer sk_one' };
const stranger = { authorization: 'Bearer sk_two' };
const all = ['up/alpha', 'up/beta', 'up/gamma'];

const created = async (running: RunningGateway = gateway): Promise<string> =>
  textAt((await post(`${running.url}/api/v1/preferences`, {}, auth)).json, 'id');
const pathOf = (id: string, running: RunningGateway = gateway): string =>
  `${running.url}/api/v1/preferences/${id}/training`;
const sent = async (
  url: string,
  body: string | FormData,
  type?: string,
  headers: Record<string, string> = auth,
): Promise<{ status: number; json: unknown }> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...(type ? { 'content-type': type } : {}) },
    body,
  });
  return { status: response.status, json: await response.json() };
};
const training = (id: string, running: RunningGateway = gateway): Promise<Reply> =>
  ask('GET', pathOf(id, running), auth);
const over = async (id: string, running: RunningGateway = gateway): Promise<unknown> => {
  await until(
    async () =>
      !['queued', 'running'].includes(textAt((await training(id, running)).json, 'state')),
  );
  return (await training(id, running)).json;
};
/** The predicted quality of the chosen model. */
const expectedOf = async (content: string, preference_id: string): Promise<number> => {
  const { json } = await post(
    `${gateway.url}/api/v1/model-select?explain=true`,
    {
      messages: [{ role: 'user', content }],
      llm_providers: all.map((name) => ({ name })),
      preference_id,
    },
    auth,
  );
  return Number(at(json, 'candidates', 0, 'quality'));
};
const chosen = async (
  content: string,
  preference_id: string,
  running: RunningGateway = gateway,
): Promise<string> =>
  textAt(
    (
      await post(
        `${running.url}/api/v1/model-select`,
        {
          messages: [{ role: 'user', content }],
          llm_providers: all.map((name) => ({ name })),
          preference_id,
        },
        auth,
      )
    ).json,
    'llm_label',
  );

describe('a preference that is trained', () => {
  it('chooses by what was evaluated, on both operations, until the training is removed', async () => {
    const id = await created();
    const begun = await sent(pathOf(id), evaluationsCsv(240), 'text/csv');
    expect(begun.status).toBe(202);
    expectConforms('training.response', begun.json);
    const ended = await over(id);
    expectConforms('training.response', ended);
    expect(ended).toMatchObject({
      state: 'done',
      progress: 1,
      error: null,
      report: { rows: 240, isUseful: true },
    });
    expect(at(ended, 'report', 'gain', 'low')).toBeGreaterThan(0.1);
    const preference = await ask('GET', `${gateway.url}/api/v1/preferences/${id}`, auth);
    expectConforms('preference.response', preference.json);
    expect(at(preference.json, 'router', 'gain')).toBeGreaterThan(0.1);
    expect([await chosen(codePrompt, id), await chosen(factsPrompt, id)]).toEqual([
      'up/alpha',
      'up/beta',
    ]);
    for (const [content, model] of [
      [codePrompt, 'alpha'],
      [factsPrompt, 'beta'],
    ]) {
      expect(
        (
          await post(
            `${gateway.url}/api/v1/completions`,
            { messages: [{ role: 'user', content }], models: all, preference_id: id },
            auth,
          )
        ).json,
      ).toMatchObject({ model });
    }
    expect((await ask('DELETE', pathOf(id), auth)).status).toBe(204);
    expect((await ask('DELETE', pathOf(id), auth)).status).toBe(404);
    expect(await chosen(codePrompt, id)).toBe(await chosen(factsPrompt, id));
    expect((await ask('GET', `${gateway.url}/api/v1/preferences/${id}`, auth)).json).toMatchObject({
      router: null,
    });
  });

  it.runIf(isWholeRun)(
    'has its levels of quality corrected where there was nothing else to gain, and says so',
    async () => {
      const id = await created();
      expect(
        (await sent(pathOf(id), evaluationsCsv(200, { isNoise: true }), 'text/csv')).status,
      ).toBe(202);
      const ended = await over(id);
      expectConforms('training.response', ended);
      expect(ended).toMatchObject({
        state: 'not_useful',
        report: {
          finding: 'no_use',
          isUseful: false,
          inUse: 'calibration',
          verdict: expect.stringMatching(
            /no gain over always calling up\/.* quality is corrected: log loss/,
          ) as string,
        },
      });
      const preference = await ask('GET', `${gateway.url}/api/v1/preferences/${id}`, auth);
      expectConforms('preference.response', preference.json);
      expect(preference.json).toMatchObject({
        router: {
          state: 'not_useful',
          inUse: 'calibration',
          trainedAt: expect.any(String) as string,
          passedOver: null,
        },
      });
      const qualities = await Promise.all(
        smallEvaluations(20, 7).prompts.map(async (content) => {
          const llm_providers = all.map((name) => ({ name }));
          const { json } = await post(
            `${gateway.url}/api/v1/model-select?explain=true`,
            { messages: [{ role: 'user', content }], llm_providers, preference_id: id },
            auth,
          );
          return [0, 1, 2].map((place) => Number(at(json, 'candidates', place, 'quality')));
        }),
      );
      // six answers in ten were good
      expect(qualities.flat().reduce((sum, one) => sum + one) / 60).toBeCloseTo(0.6, 1);
    },
  );

  it.runIf(isWholeRun)('keeps its router if later evaluations show no use of another', async () => {
    const id = await created();
    expect((await sent(pathOf(id), evaluationsCsv(240), 'text/csv')).status).toBe(202);
    await over(id);
    const level = await expectedOf(codePrompt, id);
    const before = (await ask('GET', `${gateway.url}/api/v1/preferences/${id}`, auth)).json;
    expect(
      (await sent(pathOf(id), evaluationsCsv(120, { isNoise: true }), 'text/csv')).status,
    ).toBe(202);
    expect(await over(id)).toMatchObject({
      state: 'not_useful',
      report: { inUse: 'earlier', earlierCalibration: { isBetter: false } },
    });
    expect(await expectedOf(codePrompt, id)).toBe(level);
    const after = (await ask('GET', `${gateway.url}/api/v1/preferences/${id}`, auth)).json;
    expect(at(after, 'router')).toEqual({
      ...(at(before, 'router') as object),
      state: 'not_useful',
    });
    expect([await chosen(codePrompt, id), await chosen(factsPrompt, id)]).toEqual([
      'up/alpha',
      'up/beta',
    ]);
  });

  it.runIf(isWholeRun)('keeps its router with the levels of later evaluations', async () => {
    const id = await created();
    expect((await sent(pathOf(id), evaluationsCsv(240), 'text/csv')).status).toBe(202);
    await over(id);
    const level = await expectedOf(codePrompt, id);
    const rows = smallEvaluations(120, 5).prompts.map((prompt, row) => {
      const score = Number(row % 5 === 0);
      return { prompt: `${prompt} ${row}`, scores: Object.fromEntries(all.map((n) => [n, score])) };
    });
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    expect((await sent(pathOf(id), text, 'application/x-ndjson')).status).toBe(202);
    const ended = await over(id);
    expectConforms('training.response', ended);
    expect(ended).toMatchObject({
      state: 'not_useful',
      report: { inUse: 'earlier', earlierCalibration: { isBetter: true } },
    });
    expect(await expectedOf(codePrompt, id)).toBeLessThan(level - 0.2);
    expect([await chosen(codePrompt, id), await chosen(factsPrompt, id)]).toEqual([
      'up/alpha',
      'up/beta',
    ]);
  });

  it.runIf(isWholeRun)(
    'takes rows as JSON, as lines of JSON and as a form with a file',
    async () => {
      const [, ...lines] = evaluationsCsv(60, { names: ['a', 'b', 'c'] }).split('\n');
      const rows = lines.map((_, row) => ({
        prompt: `Prompt ${row}`,
        scores: { a: row % 2, b: (row + 1) % 2 },
      }));
      const id = await created();
      expect((await sent(pathOf(id), JSON.stringify({ rows }), 'application/json')).status).toBe(
        202,
      );
      await over(id);
      expect(
        (
          await sent(
            pathOf(id),
            rows.map((row) => JSON.stringify(row)).join('\n'),
            'application/x-ndjson',
          )
        ).status,
      ).toBe(202);
      await over(id);
      const form = new FormData();
      form.set('file', new Blob([evaluationsCsv(60).replace('prompt', 'question')]), 'rows.csv');
      form.set('promptColumn', 'question');
      expect((await sent(pathOf(id), form)).status).toBe(202);
      expect(await over(id)).toMatchObject({ report: { rows: 60 } });
    },
  );

  it.runIf(isWholeRun)('is trained once at a time for each account', async () => {
    const [one, two] = [await created(), await created()];
    expect((await sent(pathOf(one), evaluationsCsv(400), 'text/csv')).status).toBe(202);
    expect(await sent(pathOf(two), evaluationsCsv(60), 'text/csv')).toMatchObject({
      status: 409,
      json: { message: 'another training of this account has not ended' },
    });
    await over(one);
  });

  it('of another account does not exist', async () => {
    const id = await created();
    expect((await sent(pathOf(id), evaluationsCsv(60), 'text/csv', stranger)).status).toBe(404);
    expect((await sent(pathOf(id), evaluationsCsv(60), 'text/csv')).status).toBe(202);
    for (const method of ['GET', 'DELETE'])
      expect((await ask(method, pathOf(id), stranger)).status).toBe(404);
    await over(id);
    expect((await ask('DELETE', `${gateway.url}/api/v1/preferences/${id}`, auth)).status).toBe(204);
    expect((await training(id)).status).toBe(404);
  });

  const rows = (line: string, header = 'prompt,a,b'): string =>
    [header, ...Array.from({ length: 60 }, (_, row) => `Prompt ${row},1,0`), line].join('\n');
  it.each([
    ['text/csv', rows('Last,x,0'), 'file: line 62: column "a": "x" is not a number'],
    ['text/csv', rows('Last,NaN,0'), 'file: line 62: column "a": "NaN" is not a number'],
    ['text/csv', rows('Last,Infinity,0'), 'file: line 62: column "a": "Infinity" is not a number'],
    ['text/csv', rows('Last,1e300,0'), 'file: line 62: column "a": "1e300" cannot be a score'],
    ['text/csv', rows('Last,1'), 'file: line 62: the row has a different number of cells'],
    ['text/csv', rows(',1,0'), 'file: line 62: the prompt is empty'],
    ['text/csv', rows('Last,1,0', 'question,a,b'), 'file: line 1: there is no column "prompt"'],
    ['text/csv', rows('Last,1,0', 'prompt,a,a'), 'file: line 1: the column "a" is there twice'],
    ['text/csv', 'prompt,a,b\nHi,1,0', 'file: at least 50 rows are needed, and there are 1'],
    [
      'text/csv',
      'prompt,a\nHi,1',
      'file: line 1: scores of at least 2 models are needed, and there is 1',
    ],
    [
      'application/x-ndjson',
      '{"prompt":"Hi","a":1,"b":0}\nnonsense',
      'file: line 2: this is not a JSON object',
    ],
    ['application/json', '{"rows":[]}', 'rows: must have at least 50 items'],
    ['application/json', '{"maximize":true}', 'body: needs `rows`, or `evaluations: true`'],
  ])('is refused for bad rows, with the line: %s %#', async (type, body, message) => {
    const reply = await sent(pathOf(await created()), body, type);
    expect(reply).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining(message) as string },
    });
  });

  it('of an unknown preference is 404 before its body is looked at', async () =>
    expect((await sent(pathOf('nothing'), 'x', 'text/plain')).status).toBe(404));

  it('is refused for a body of another kind', async () =>
    expect((await sent(pathOf(await created()), 'x', 'text/plain')).status).toBe(415));
});

describe('a trained router that is passed over', () => {
  const told = async (id: string, running: RunningGateway): Promise<unknown[]> => {
    const replies = [
      await ask('GET', `${running.url}/api/v1/preferences/${id}`, auth),
      await training(id, running),
    ];
    expectConforms('preference.response', replies[0]!.json);
    expectConforms('training.response', replies[1]!.json);
    const { json: list } = await ask('GET', `${running.url}/api/v1/preferences`, auth);
    return [
      at(replies[0]!.json, 'router', 'passedOver'),
      at(list, 'items', 0, 'router', 'passedOver'),
      at(replies[1]!.json, 'passedOver'),
    ];
  };
  const thrice = (text: unknown): unknown[] => [text, text, text];

  it.runIf(isWholeRun)('is told of so while the configuration ranks otherwise', async () => {
    const database = await databases[0]![1]();
    const prior = await start({ database: { url: database.url }, routing: { ranker: 'prior' } });
    const id = await created(prior);
    expect((await ask('GET', `${prior.url}/api/v1/preferences/${id}`, auth)).json).toMatchObject({
      router: null,
    });
    expect((await sent(pathOf(id, prior), evaluationsCsv(240), 'text/csv')).status).toBe(202);
    expect(at((await training(id, prior)).json, 'passedOver')).toBeNull();
    expect(await over(id, prior)).toMatchObject({ state: 'done' });
    expect(await told(id, prior)).toEqual(thrice('routing.ranker is not "learned"'));
    await prior.close();
    const learned = await start({ database: { url: database.url } });
    expect(await told(id, learned)).toEqual(thrice(null));
    await learned.close();
    await database.drop();
  });

  it.runIf(isWholeRun)('is told of so where it was trained on top of another router', async () => {
    const database = await databases[0]![1]();
    const running = await start({ database: { url: database.url } });
    const id = await created(running);
    expect((await sent(pathOf(id, running), evaluationsCsv(240), 'text/csv')).status).toBe(202);
    await over(id, running);
    const store = await openStore(database.url);
    const { accountId, router } = (await store.preferences.changedSince(0)).records.find(
      (one) => one.id === id,
    )!;
    const { id: trainingId } = await store.trainings.add(
      {
        id: randomUUID(),
        accountId,
        preferenceId: id,
        wishes: { format: 'csv', promptColumn: 'prompt', models: null, maximize: true, seed: 1 },
        dataset: '',
        at: Date.now(),
      },
      { owner: 'earlier', at: 1, until: 1e13 },
    );
    await store.trainingQueue.finish(
      trainingId,
      { owner: 'earlier', at: 2 },
      {
        state: 'done',
        report: null,
        error: null,
        router: {
          ...router!,
          weights: encodeCustom({ ...decodeCustom(router!.weights), router: 'an earlier one' }),
        },
      },
    );
    expect(await told(id, running)).toEqual(
      thrice('it was fitted on another router: train it again'),
    );
    await store.close();
    await running.close();
    await database.drop();
  });
});

describe('a training of an earlier version', () => {
  const interval = { value: 0.21, low: 0.15, high: 0.27 };
  const choice = { score: 0.81, gain: interval };
  /** As it was stored before levels and costs were judged. */
  const report = {
    rows: 240,
    prompts: 238,
    models: [
      { model: 'up/alpha', rows: 240, score: 0.6 },
      { model: 'up/beta', rows: 240, score: 0.55 },
    ],
    scale: { worst: 0, best: 1 },
    seed: 1,
    setting: { trust: 0.5, ridge: 100 },
    bestSingle: { model: 'up/alpha', score: 0.6 },
    choices: { router: choice, offsets: choice, fitted: choice },
    gain: interval,
    aiq: null,
    isUseful: true,
    verdict:
      'better than always calling up/alpha: +0.2100, from +0.1500 to +0.2700 with 95 % confidence',
  };

  it('is shown and used as before', async () => {
    const database = await databases[0]![1]();
    const running = await start({ database: { url: database.url } });
    const id = await created(running);
    const store = await openStore(database.url);
    const { accountId } = (await store.preferences.changedSince(0)).records.find(
      (one) => one.id === id,
    )!;
    const training = await store.trainings.add(
      {
        id: randomUUID(),
        accountId,
        preferenceId: id,
        wishes: { format: 'csv', promptColumn: 'prompt', models: null, maximize: true, seed: 1 },
        dataset: '',
        at: 1,
      },
      { owner: 'earlier', at: 1, until: 1e13 },
    );
    const wide = shippedPredictor().weights.rank + shippedPredictor().weights.denseNames.length;
    const weights = encodeCustom({
      router: shippedPredictor().weights.name,
      models: ['up/alpha', 'up/beta'],
      trust: 0,
      mean: new Float32Array(wide),
      scale: new Float32Array(wide),
      centres: new Float32Array(2),
      offsets: Float32Array.of(-1, 1),
      known: Float32Array.of(0.5, 0.5),
      spreads: Float32Array.of(0.1, 0.1),
      slopes: new Float32Array(2 * wide),
    });
    await store.trainingQueue.finish(
      training.id,
      { owner: 'earlier', at: 2 },
      { state: 'done', report, error: null, router: { weights, gain: 0.21, trainedAt: 2 } },
    );
    const shown = (await ask('GET', pathOf(id, running), auth)).json;
    expectConforms('training.response', shown);
    expect(shown).toMatchObject({ state: 'done', report, passedOver: null });
    expect(Object.keys(at(shown, 'report') as object)).toEqual(Object.keys(report));
    await until(
      async () =>
        at(
          (await ask('GET', `${running.url}/api/v1/preferences/${id}`, auth)).json,
          'router',
          'inUse',
        ) === 'router',
    );
    await until(async () => (await chosen(codePrompt, id, running)) === 'up/beta');
    await store.close();
    await running.close();
    await database.drop();
  });
});

describe('the /v2 call for a custom router', () => {
  const form = (fields: Record<string, string>, csv = evaluationsCsv(120)): FormData => {
    const made = new FormData();
    made.set('dataset_file', new Blob([csv]), 'dataset.csv');
    for (const [name, value] of Object.entries({
      language: 'english',
      prompt_column: 'prompt',
      maximize: 'true',
      ...fields,
    }))
      made.set(name, value);
    return made;
  };
  const llm_providers = JSON.stringify(
    all.slice(0, 2).map((label) => ({ provider: 'up', model: label.slice(3) })),
  );

  it.runIf(isWholeRun)(
    'makes a preference and trains it on the models that are named',
    async () => {
      const reply = await sent(`${gateway.url}/v2/pzn/trainCustomRouter`, form({ llm_providers }));
      expect(reply.status).toBe(200);
      const ended = await over(textAt(reply.json, 'preference_id'));
      expect(at(ended, 'report', 'models')).toHaveLength(2);
      const again = await sent(
        `${gateway.url}/v2/pzn/trainCustomRouter`,
        form({
          llm_providers,
          preference_id: textAt(reply.json, 'preference_id'),
          override: 'true',
        }),
      );
      expect(again).toMatchObject({
        status: 200,
        json: { preference_id: textAt(reply.json, 'preference_id') },
      });
      await over(textAt(reply.json, 'preference_id'));
    },
  );

  it.runIf(isWholeRun)('does not refuse to replace corrected levels alone', async () => {
    const preference_id = await created();
    const noise = evaluationsCsv(120, { isNoise: true });
    expect((await sent(pathOf(preference_id), noise, 'text/csv')).status).toBe(202);
    expect(await over(preference_id)).toMatchObject({ report: { inUse: 'calibration' } });
    const asked = { preference_id, override: 'false' };
    const url = `${gateway.url}/v2/pzn/trainCustomRouter`;
    expect((await sent(url, form(asked, evaluationsCsv(240)))).status).toBe(200);
    expect(await over(preference_id)).toMatchObject({ report: { inUse: 'router' } });
    expect((await sent(url, form(asked))).status).toBe(400);
  });

  it('tells what is wrong as detail, and leaves no preference behind', async () => {
    const count = async (): Promise<unknown> =>
      at(
        (await ask('GET', `${gateway.url}/api/v1/preferences?limit=100`, auth)).json,
        'items',
        'length',
      );
    const before = await count();
    expect(
      await sent(
        `${gateway.url}/v2/pzn/trainCustomRouter`,
        form({ llm_providers }, 'prompt,x,y\nHi,1,0'),
      ),
    ).toMatchObject({
      status: 422,
      json: { detail: expect.stringContaining('there is no column with the scores of') as string },
    });
    expect(
      await sent(`${gateway.url}/v2/pzn/trainCustomRouter`, form({ preference_id: 'nope' })),
    ).toMatchObject({ status: 404, json: { detail: 'preference_id: not found' } });
    expect(await count()).toEqual(before);
  });
});

describe.each(databases)('a training on %s', (_name, make) => {
  let database: TestDatabase;
  beforeAll(async () => (database = await make()));
  afterAll(() => database.drop());

  it.runIf(isWholeRun)('goes on after the process has stopped in the middle', async () => {
    const first = await start({ database: { url: database.url } });
    const id = await created(first);
    expect((await sent(pathOf(id, first), evaluationsCsv(3_000), 'text/csv')).status).toBe(202);
    await until(async () => textAt((await training(id, first)).json, 'state') === 'running');
    await first.close();
    expect(await database.text()).toContain('def rotate');
    const second = await start({ database: { url: database.url } });
    try {
      expect(await over(id, second)).toMatchObject({ state: 'done' });
      expect([await chosen(codePrompt, id, second), await chosen(factsPrompt, id, second)]).toEqual(
        ['up/alpha', 'up/beta'],
      );
    } finally {
      await second.close();
    }
  });
});
