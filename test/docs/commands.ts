import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.js';

/** The commands of the command line with their arguments, options and meaning, a row each. */
export function commandRows(): string[][] {
  return leavesOf(createProgram()).map(({ path, command }) => [
    `\`${[...path, ...command.registeredArguments.map((one) => argument(one.name(), one.required))].join(' ')}\``,
    sentence(command.description()),
    command.options
      .filter(({ hidden }) => !hidden)
      .map(({ flags, description }) => `\`${flags}\`: ${description}`)
      .join('; ') || '–',
  ]);
}

const argument = (name: string, isRequired: boolean): string =>
  isRequired ? `<${name}>` : `[${name}]`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

interface Leaf {
  readonly path: readonly string[];
  readonly command: Command;
}

/** Commands without commands of their own; hidden ones are left out, as in the help. */
function leavesOf(group: Command, path: readonly string[] = []): Leaf[] {
  const shown = group.createHelp().visibleCommands(group);
  const inner = shown.filter((command) => command.name() !== 'help');
  const here = [...path, group.name()];
  if (inner.length === 0) return [{ path: here, command: group }];
  return inner.flatMap((command) => leavesOf(command, here));
}
