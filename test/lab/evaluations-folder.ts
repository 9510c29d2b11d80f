import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const usualFolder = '../shared/routing-data';
const files = ['prompts.jsonl.gz', 'scores.csv.gz'];

/**
 * The folder of published evaluations: the one that is named, else that of ROUTING_DATA, else ../shared/routing-data.
 * @throws Error that says which file is missing where
 */
export function evaluationsFolder(command: string, named: string | undefined): string {
  const folder = resolve(named ?? (process.env['ROUTING_DATA'] || usualFolder));
  const missing = files.find((file) => !existsSync(join(folder, file)));
  if (missing !== undefined)
    throw new Error(
      `${command}: there is no ${missing} in ${folder}; name the folder of published evaluations with --data or ROUTING_DATA`,
    );
  return folder;
}
