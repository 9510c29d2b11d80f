import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { endProcesses, newFolder, runToEnd } from '../../helpers/process.js';
import { writePublishedFolder } from '../../helpers/published-folder.js';

afterEach(endProcesses);

describe('signalbox evaluate', () => {
  it(
    'prints one whole table, writes the report and fills in the card, without configuration or database',
    { timeout: 120_000 },
    async () => {
      const folder = newFolder();
      const data = writePublishedFolder(join(folder, 'evaluations'), 900);
      writeFileSync(
        join(folder, 'CARD.md'),
        '# Card\n\n<!-- figures -->\nold figures\n<!-- /figures -->\n\nthe end\n',
      );
      const { code, stdout, stderr } = await runToEnd({
        args: ['evaluate', '--data', data, '--out', 'report', '--quick', '--card', 'CARD.md'],
        folder,
      });
      expect(stderr).toMatch(/^reading\n(.|\n)*1 of \d+ {2}\d+:\d\d {2}/);
      expect(code).toBe(0);
      for (const told of [
        'What was reached',
        'frontier-12, in distribution: quality',
        'zero router, hindsight',
        'nearest neighbours',
        'oracle',
        'A whole family held out',
        'crux (1 source)',
        'bfcl (1 source)',
        'Learning curve',
        'Online',
        'paraphrase',
      ])
        expect(stdout).toContain(told);
      expect(stdout).toMatch(/ of 10 goals were reached/);
      const report = JSON.parse(readFileSync(join(folder, 'report/report.json'), 'utf8'));
      expect(report.inDistribution[0].ways.router.accuracy.value).toBeGreaterThan(0.8);
      expect(report.families.map(({ family }: { family: string }) => family)).toEqual([
        'bfcl',
        'crux',
      ]);
      const card = readFileSync(join(folder, 'CARD.md'), 'utf8');
      expect(card).toMatch(
        /^# Card\n\n<!-- figures -->\n!\[.*\]\(cost-quality\.svg\)\n(.|\n)*<!-- \/figures -->\n\nthe end\n$/,
      );
      expect(card).not.toContain('old figures');
      expect(readFileSync(join(folder, 'report/report.md'), 'utf8')).toContain(
        '## What was reached',
      );
      expect(readFileSync(join(folder, 'cost-quality.svg'), 'utf8')).toBe(
        readFileSync(join(folder, 'report/cost-quality.svg'), 'utf8'),
      );
      expect(existsSync(join(folder, 'data'))).toBe(false);
    },
  );

  it('says where it looked where the evaluations are not there', async () => {
    const folder = newFolder();
    const { code, stdout, stderr } = await runToEnd({
      args: ['evaluate'],
      folder,
      env: { ROUTING_DATA: 'nowhere' },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^evaluate: there is no prompts\.jsonl\.gz in .*nowhere; name the folder of published evaluations with --data or ROUTING_DATA\n$/,
    );
  });

  it('says which folder it cannot read', async () => {
    const folder = newFolder();
    for (const file of ['prompts.jsonl.gz', 'scores.csv.gz'])
      writeFileSync(join(folder, file), 'not zipped');
    const { code, stdout, stderr } = await runToEnd({ args: ['evaluate', '--data', '.'], folder });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^reading\nthe published evaluations in .* cannot be read: incorrect header check\n$/,
    );
  });

  it('says so before it begins where the card is not there', async () => {
    const folder = newFolder();
    const { code, stderr } = await runToEnd({
      args: [
        'evaluate',
        '--data',
        writePublishedFolder(join(folder, 'evaluations'), 20),
        '--card',
        'CARD.md',
      ],
      folder,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^evaluate: there is no card .*CARD\.md\n$/);
  });
});

describe('signalbox train --shipped', () => {
  const card = '# Card\n<!-- fit -->\n<!-- /fit -->\n';

  it(
    'fits the same bytes to the same evaluations and seed, and says in the card what they were',
    { timeout: 120_000 },
    async () => {
      const folder = newFolder();
      const data = writePublishedFolder(join(folder, 'evaluations'), 300);
      writeFileSync(join(folder, 'MODEL_CARD.md'), card);
      const fit = async (seed: string): Promise<{ bytes: Buffer; card: string }> => {
        const { code, stdout, stderr } = await runToEnd({
          args: ['train', '--shipped', '.', '--data', data, '--seed', seed],
          folder,
        });
        expect(stderr).toContain('100 %');
        expect(stdout).toMatch(
          /^router\.bin: router [0-9a-f]{12}, \d+ bytes, sha256 [0-9a-f]{64}\n$/,
        );
        expect(code).toBe(0);
        return {
          bytes: readFileSync(join(folder, 'router.bin')),
          card: readFileSync(join(folder, 'MODEL_CARD.md'), 'utf8'),
        };
      };
      const once = await fit('1'),
        again = await fit('1'),
        other = await fit('2');
      expect(again.bytes.equals(once.bytes)).toBe(true);
      expect(again.card).toBe(once.card);
      expect(other.bytes.equals(once.bytes)).toBe(false);
      expect(once.card).toMatch(
        /\| prompts \| 300, \d+ of them different \|\n\| scores \| 3,600 \|\n\| models \| 12 \|\n\| kinds of tasks \| 2 in 2 families \|/,
      );
    },
  );

  it.each([
    [['--preference', 'x'], 'train: --preference does not go with --shipped'],
    [['file.csv'], 'train: --shipped takes no file'],
    [['--seed', 'two'], 'train: --seed is a whole number of at most nine digits'],
    [[], 'train: there is no MODEL_CARD.md in nowhere'],
  ])('refuses %j', async (args, message) => {
    const folder = newFolder();
    const data = writePublishedFolder(join(folder, 'evaluations'), 20);
    const { code, stderr } = await runToEnd({
      args: ['train', '--shipped', 'nowhere', '--data', data, ...args],
      folder,
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${message}\n` });
  });

  it('does not take its options for the training of a preference', async () => {
    const { code, stderr } = await runToEnd({
      args: ['train', 'file.csv', '--preference', 'x', '--data', '.'],
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'train: --data does not go without --shipped\n',
    });
  });
});
