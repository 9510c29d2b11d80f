import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import { trainCommand, type TrainOptions } from '../../src/cli/train.js';
import { openStore } from '../../src/store/open-store.js';
import type { Store } from '../../src/store/contracts/store.js';
import { evaluationsCsv } from '../helpers/evaluations-csv.js';
import { endProcesses, newFolder } from '../helpers/process.js';
import { plainTerms } from '../helpers/training-terms.js';
import { isWholeRun } from '../helpers/runs.js';

let store: Store;
let preference: string;
beforeEach(async () => {
  store = await openStore(':memory:');
  preference = (
    await store.preferences.add({
      id: randomUUID(),
      accountId: firstAccountId,
      name: 'Mine',
      settings: {},
      createdAt: 1,
    })
  ).id;
});
afterEach(async () => {
  await store.close();
  await endProcesses();
});

const run = (content: string | Buffer, wishes: Partial<TrainOptions> = {}): Promise<string> => {
  const file = join(newFolder(), 'rows.csv');
  writeFileSync(file, content);
  const options = { preference, account: undefined, promptColumn: undefined, minimize: undefined };
  return trainCommand(store, file, { ...options, ...wishes }, plainTerms);
};
const last = async (): Promise<string | undefined> =>
  (await store.trainings.latest(firstAccountId, [preference]))[0]?.state;
const router = async (): Promise<unknown> =>
  (await store.preferences.find(firstAccountId, preference))?.router;

describe('signalbox train', () => {
  it('trains the router of a preference, says what it gains, and switches it on', async () => {
    expect(await run(evaluationsCsv(240))).toMatch(
      /^240 rows, \d+ prompts, 3 models;.*\n(.*\n)*better than always calling up\/\w+: \+0\.\d+/,
    );
    expect(await last()).toBe('done');
    expect(await router()).toMatchObject({ gain: expect.any(Number) as number });
  });

  it.runIf(isWholeRun)('says what it saves, and what that rests on', async () => {
    const [, ...rows] = evaluationsCsv(300, { isNoise: true }).split('\n');
    const header = 'prompt,up/alpha,up/beta,up/gamma,up/alpha/cost,up/beta/cost,up/gamma/cost';
    const said = await run([header, ...rows.map((row) => `${row},0.002,0.003,0.004`)].join('\n'));
    expect(said).toMatch(
      /^USD for 1000 answers with tradeoff: cost: the shipped router \d\S*, the trained router \d\S*; always up\/\w+ \d\S*$/m,
    );
    expect(said).toMatch(/^log loss, levels corrected +0\.\d{4} -> 0\.\d{4} {3}-0\.\d{4} \(/m);
    expect(said).toMatch(/^mean error of the level +0\.\d{4} -> 0\.\d{4}$/m);
    expect(said).toContain(
      'The gateway knows no price of up/alpha, up/beta, up/gamma: state it, so that tradeoff: cost can weigh it.',
    );
  });

  it.runIf(isWholeRun)(
    'says what is wrong with a file before it touches what is there',
    async () => {
      await run(evaluationsCsv(240));
      const before = await router();
      await expect(run(`${evaluationsCsv(60)}\nLast,x,0,0`)).rejects.toThrow(
        /^train: line \d+: column "up\/alpha": "x" is not a number/,
      );
      await expect(
        run(Buffer.concat([Buffer.from(evaluationsCsv(60)), Buffer.from([10, 0xe9, 0x2c])])),
      ).rejects.toThrow('is not valid UTF-8');
      await expect(run(evaluationsCsv(60), { promptColumn: 'question' })).rejects.toThrow(
        'there is no column "question"',
      );
      expect([await last(), await router()]).toEqual(['done', before]);
    },
  );

  it('trains no preference of another account', async () => {
    await expect(run(evaluationsCsv(60), { preference: randomUUID() })).rejects.toThrow(
      'not found',
    );
    await expect(run(evaluationsCsv(60), { account: 'nobody@example.org' })).rejects.toThrow(
      'no account has the mail address',
    );
  });

  it.runIf(isWholeRun)('begins anew where an earlier run was cut off', async () => {
    const wishes = {
      format: 'csv',
      promptColumn: 'prompt',
      models: null,
      maximize: true,
      seed: 1,
    } as const;
    const long = Date.now() - 60_000;
    await store.trainings.add(
      {
        id: randomUUID(),
        accountId: firstAccountId,
        preferenceId: preference,
        wishes,
        dataset: 'x',
        at: long,
      },
      { owner: 'gone', at: long, until: long + 1 },
    );
    await run(evaluationsCsv(240));
    expect(await last()).toBe('done');
  });

  it.runIf(isWholeRun)('lets no name of a column move the cursor', async () => {
    expect(
      await run(evaluationsCsv(240, { names: ['a\u001b[2J', 'b\u001b[2J', 'c\u001b[2J'] })),
    ).not.toContain('\u001b');
  });
});
