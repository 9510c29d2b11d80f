import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { writePublishedFolder } from '../../helpers/published-folder.js';
import { newFolder, removeFolders, runLab } from './run-lab.js';

afterEach(removeFolders);

const oneLine = (message: string): string => `${message}\n`;

// each run transpiles the sources, which takes long on a busy machine
const timeout = 120_000;

describe('npm run lab', { timeout }, () => {
  it('explains its commands with --help', async () => {
    const { code, stdout, stderr } = await runLab(['--help'], newFolder());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const text of ['evaluate', 'fit-shipped', '--data DIR', 'ROUTING_DATA'])
      expect(stdout).toContain(text);
  });

  it.each([[[]], [['conduct']], [['toString']]])(
    'names the commands when the arguments are %j',
    async (args) => {
      const { code, stdout, stderr } = await runLab(args, newFolder());
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`the laboratory has no command ${JSON.stringify(args[0] ?? '')}`);
      expect(stderr).toContain('npm run lab -- evaluate');
    },
  );

  it.each([
    [['evaluate', '--seed', '1'], 'evaluate: unknown option --seed'],
    [['evaluate', 'file.csv'], 'evaluate: unexpected argument "file.csv"'],
    [['fit-shipped', '--quick'], 'fit-shipped: unknown option --quick'],
    [['fit-shipped'], 'fit-shipped: --out DIR is required'],
    [
      ['fit-shipped', '--out', 'x', '--seed', 'two'],
      'fit-shipped: --seed must be a whole number of at most nine digits',
    ],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await runLab(args, newFolder());
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: oneLine(message) });
  });
});

describe('npm run lab -- evaluate', { timeout }, () => {
  it('says where it looked if the evaluations are missing', async () => {
    const { code, stdout, stderr } = await runLab(['evaluate'], newFolder(), {
      ROUTING_DATA: 'nowhere',
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^evaluate: \S*nowhere has no prompts\.jsonl\.gz; name the folder of published evaluations with --data or ROUTING_DATA\n$/,
    );
  });

  it('names the folder that it cannot read', async () => {
    const folder = newFolder();
    for (const file of ['prompts.jsonl.gz', 'scores.csv.gz'])
      writeFileSync(join(folder, file), 'not zipped');
    const { code, stdout, stderr } = await runLab(['evaluate', '--data', '.'], folder);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^reading\ncannot read the published evaluations in .*: incorrect header check\n$/,
    );
  });

  it('fails before it begins if the card does not exist', async () => {
    const folder = newFolder();
    const data = writePublishedFolder(join(folder, 'evaluations'), 20);
    const { code, stderr } = await runLab(
      ['evaluate', '--data', data, '--card', 'CARD.md'],
      folder,
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^evaluate: the card \S*CARD\.md does not exist\n$/);
  });
});

describe('npm run lab -- fit-shipped', { timeout }, () => {
  it('fails before it begins if the folder has no card', async () => {
    const folder = newFolder();
    const data = writePublishedFolder(join(folder, 'evaluations'), 20);
    const { code, stderr } = await runLab(
      ['fit-shipped', '--out', 'nowhere', '--data', data],
      folder,
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: oneLine('fit-shipped: nowhere has no MODEL_CARD.md'),
    });
  });
});
