import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readYaml, writeYaml } from '../../config/read-yaml.js';
import { groupOf } from '../command-group.js';
import { fromLiteLLM } from './from-litellm.js';

/** Adds `signalbox import litellm <file>`. */
export function addImportCommand(program: Command): void {
  groupOf(program, 'import', "write a configuration from another gateway's")
    .command('litellm')
    .argument('<file>', "LiteLLM's config.yaml")
    .description("write a configuration from LiteLLM's, and list what it does not carry over")
    .option('--out <file>', 'write to a new file, not to standard output')
    .action((file: string, { out }: { out?: string }) => {
      const { config, notes } = fromLiteLLM(readYaml(readFileSync(file, 'utf8'), file).value);
      const text = writeYaml(config, [
        "Written from LiteLLM's configuration by `signalbox import litellm`.",
        ...notes.map((note) => `Not carried over: ${note}`),
      ]);
      for (const note of notes) process.stderr.write(`not carried over: ${note}\n`);
      if (out === undefined) process.stdout.write(text);
      // a file that exists may hold the only copy of a configuration
      else writeFileSync(out, text, { flag: 'wx' });
    });
}
