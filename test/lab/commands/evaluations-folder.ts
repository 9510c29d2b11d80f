import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const defaultFolder = '../shared/routing-data';
const requiredFiles = ['prompts.jsonl.gz', 'scores.csv.gz'];

/**
 * The folder of published evaluations: the named one, else ROUTING_DATA, else
 * `../shared/routing-data`.
 * @param command the command that asks, for the message
 * @throws Error that says which file is missing from which folder
 */
export function evaluationsFolder(command: string, named: string | undefined): string {
  const folder = resolve(named ?? (process.env['ROUTING_DATA'] || defaultFolder));
  const missing = requiredFiles.find((file) => !existsSync(join(folder, file)));
  if (missing !== undefined)
    throw new Error(
      `${command}: ${folder} has no ${missing}; name the folder of published evaluations with --data or ROUTING_DATA`,
    );
  return folder;
}
