import { type Command, type CommandOptions, InvalidArgumentError } from 'commander';
import { closestName } from '../config/closest.js';
import type { Config } from '../config/config.js';
import type { Store } from '../store/contracts/store.js';
import { configOf, type GlobalOptions, withStore } from './existing-store.js';

/** A group of commands, such as `keys`: alone it shows its help. */
export const groupOf = (
  program: Command,
  name: string,
  description: string,
  options: CommandOptions = {},
): Command =>
  program
    .command(name, options)
    .description(description)
    .allowExcessArguments()
    .action((_options: unknown, group: Command) => {
      if (group.args.length > 0) throw unknownCommand(group, [name, ...group.args]);
      group.outputHelp();
    });

/** The error for a command that does not exist, with the one that was probably meant. */
export function unknownCommand(group: Command, words: readonly string[]): Error {
  const visible = group.createHelp().visibleCommands(group);
  const known = visible.map((command) => command.name()).filter((name) => name !== 'help');
  const meant = closestName(words.at(group.parent ? 1 : 0) ?? '', known);
  const hint =
    meant === null ? `the commands are: ${known.join(', ')}` : `did you mean "${meant}"?`;
  return new Error(`unknown command ${JSON.stringify(words.join(' '))}; ${hint}`);
}

/**
 * The action of a command: runs on the configuration's database, with the command's arguments and
 * then its options, and prints what that returns.
 */
export const onStore = <Given extends unknown[]>(
  run: (store: Store, ...given: Given) => Promise<string>,
): ((this: Command, ...given: Given) => Promise<void>) =>
  withConfig((store, _config, ...given: Given) => run(store, ...given));

/** As `onStore`, for a command that also reads the configuration. */
export function withConfig<Given extends unknown[]>(
  run: (store: Store, config: Config, ...given: Given) => Promise<string>,
): (this: Command, ...given: Given) => Promise<void> {
  return async function (...given) {
    const config = configOf(this.optsWithGlobals<GlobalOptions>());
    process.stdout.write(await withStore(config, (store) => run(store, config, ...given)));
  };
}

/** Reads the value of an option. @throws InvalidArgumentError unless it is a number of at least 1 */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(text);
}

/** The time that an option names, in ms since 1970. @throws Error unless it is of this form */
export function timeOf(option: string, text: string, form = 'a date such as 2027-01-31'): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Error(`${option}: must be ${form}`);
  return at;
}
