import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { writePublishedFolder } from '../../helpers/published-folder.js';
import { newFolder, removeFolders, runLab } from './run-lab.js';

afterEach(removeFolders);

const timeout = 900_000;

describe('npm run lab -- evaluate', () => {
  it(
    'prints all tables, writes the report and fills in the card, without configuration or database',
    { timeout },
    async () => {
      const folder = newFolder();
      const data = writePublishedFolder(join(folder, 'evaluations'), 900);
      writeFileSync(
        join(folder, 'CARD.md'),
        '# Card\n\n<!-- figures -->\nold figures\n<!-- /figures -->\n\nthe end\n',
      );
      const { code, stdout, stderr } = await runLab(
        ['evaluate', '--data', data, '--out', 'report', '--quick', '--card', 'CARD.md'],
        folder,
      );
      expect(stderr).toMatch(/^reading\n(.|\n)*1 of \d+ {2}\d+:\d\d {2}/);
      expect(code).toBe(0);
      for (const text of [
        'Goals',
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
        expect(stdout).toContain(text);
      expect(stdout).toMatch(/ of 10 goals were reached/);
      const report = JSON.parse(readFileSync(join(folder, 'report/report.json'), 'utf8'));
      expect(report.inDistribution[0].methods.router.accuracy.value).toBeGreaterThan(0.8);
      expect(report.families.map(({ family }: { family: string }) => family)).toEqual([
        'bfcl',
        'crux',
      ]);
      const card = readFileSync(join(folder, 'CARD.md'), 'utf8');
      expect(card).toMatch(
        /^# Card\n\n<!-- figures -->\n!\[.*\]\(cost-quality\.svg\)\n(.|\n)*<!-- \/figures -->\n\nthe end\n$/,
      );
      expect(card).not.toContain('old figures');
      expect(readFileSync(join(folder, 'report/report.md'), 'utf8')).toContain('## Goals');
      expect(readFileSync(join(folder, 'cost-quality.svg'), 'utf8')).toBe(
        readFileSync(join(folder, 'report/cost-quality.svg'), 'utf8'),
      );
      expect(existsSync(join(folder, 'data'))).toBe(false);
    },
  );
});

describe('npm run lab -- fit-shipped', () => {
  it(
    'fits the same bytes to the same evaluations and seed, and describes the fit in the card',
    { timeout },
    async () => {
      const folder = newFolder();
      const data = writePublishedFolder(join(folder, 'evaluations'), 300);
      writeFileSync(join(folder, 'MODEL_CARD.md'), '# Card\n<!-- fit -->\n<!-- /fit -->\n');
      const fit = async (seed: string): Promise<{ bytes: Buffer; card: string }> => {
        const { code, stdout, stderr } = await runLab(
          ['fit-shipped', '--out', '.', '--data', data, '--seed', seed],
          folder,
        );
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
      const once = await fit('1');
      const again = await fit('1');
      const other = await fit('2');
      expect(again.bytes.equals(once.bytes)).toBe(true);
      expect(again.card).toBe(once.card);
      expect(other.bytes.equals(once.bytes)).toBe(false);
      expect(once.card).toMatch(
        /\| prompts \| 300, \d+ of them different \|\n\| scores \| 3,600 \|\n\| models \| 12 \|\n\| kinds of tasks \| 2 in 2 families \|/,
      );
    },
  );
});
