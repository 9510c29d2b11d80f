import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { frontierModels } from '../lab/model-pools.js';
import { smallEvaluations } from './small-evaluations.js';
import { createRandomStream } from '../lab/random.js';

const chances = { code: [0.95, 0.35, 0.6], facts: [0.35, 0.95, 0.6] } as const;

/**
 * Writes a folder in the format of published evaluations: prompts of two kinds from two sources,
 * and twelve models of three sorts. All of it is made up.
 * @returns the folder
 */
export function writePublishedFolder(folder: string, rows: number, seed = 1): string {
  const { prompts, tasks } = smallEvaluations(rows, seed);
  const random = createRandomStream(seed + 50);
  const places = new Map<string, number>();
  const ids = prompts.map((_, row) => `made-up:${row}`);
  const lines = prompts.map((prompt, row) => {
    places.set(prompt, places.get(prompt) ?? row);
    const source = tasks[row] === 0 ? 'ze_crux' : 'bfcl';
    return JSON.stringify({
      prompt_id: ids[row],
      source,
      category: source,
      prompt,
      dup_group: `group ${places.get(prompt)}`,
      input_tokens_est: Math.round(prompt.length / 4),
    });
  });
  const scores = ids.flatMap((id, row) =>
    frontierModels.map((model, at) => {
      const chance = chances[tasks[row] === 0 ? 'code' : 'facts'][at % 3]!;
      return `${id},${model},${random.next() < chance ? 1 : 0},,${tasks[row] === 0 ? 200 : 40},`;
    }),
  );
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'prompts.jsonl.gz'), gzipSync(`${lines.join('\n')}\n`));
  writeFileSync(
    join(folder, 'scores.csv.gz'),
    gzipSync(`prompt_id,model,score,input_tokens,output_tokens,cost\n${scores.join('\n')}\n`),
  );
  return folder;
}
