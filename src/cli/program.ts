import { Command } from 'commander';
import { version } from '../version.js';
import { addAccountCommands } from './accounts.js';
import { addLearningCommands } from './learning.js';
import { addConversationCommands } from './conversations.js';
import { groupOf, onStore, unknownCommand, withConfig } from './command-group.js';
import { addKeyCommands } from './keys.js';
import { addPriceCommands } from './prices.js';
import { addReportCommands } from './reports.js';
import { doctor } from './doctor.js';
import { addImportCommand } from './import/from-litellm.js';
import { addMcpCommand } from './mcp/mcp-command.js';
import type { GlobalOptions } from './existing-store.js';
import { check, start, type StartOptions } from './serve/start.js';
import { trainingTermsOf } from '../gateway.js';
import { trainCommand, type TrainOptions } from './train.js';
import type { Store } from '../store/contracts/store.js';

const examples = `
Examples:
  signalbox --config /etc/signalbox/signalbox.yaml
  signalbox keys create --name shop --day-budget 5
  signalbox requests --failed --limit 10
  signalbox usage --by provider --from 2027-01-01 --csv > usage.csv
  signalbox doctor

In a clone, signalbox is "node dist/cli/main.js"; with npm, "npx signalbox".

Environment:
  PORT, HOST, SIGNALBOX_CONFIG, SIGNALBOX_DATA_DIR, SIGNALBOX_API_KEY,
  SIGNALBOX_DATABASE_URL and SIGNALBOX_REDIS_URL override the configuration.

Exit codes:
  0  success
  1  the command failed, was not understood, or found problems`;

/** All commands. Each prints to standard output; a failure is thrown. */
export function createProgram(): Command {
  const program = new Command('signalbox')
    .description('A gateway for language models.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help; also after a command')
    .option('-c, --config <file>', 'the configuration file')
    .option('--data-dir <folder>', 'the data folder, as SIGNALBOX_DATA_DIR')
    .addHelpText('after', examples)
    .exitOverride();
  program
    .command('start', { isDefault: true })
    .description('start the gateway (the default)')
    .option('--workers <number>', 'processes that serve, one for each core', countOfWorkers)
    .allowExcessArguments()
    .action(async (_options: unknown, command: Command) => {
      const [first] = command.args;
      // only where no command is named are the words taken for one
      if (first !== undefined && program.args[0] === 'start')
        throw new Error(`start takes no arguments; unexpected: ${JSON.stringify(first)}`);
      if (first !== undefined) throw unknownCommand(program, command.args);
      await start(command.optsWithGlobals<StartOptions>());
    });
  addCheck(program);
  addKeyCommands(program);
  addAccountCommands(program);
  addConversationCommands(program);
  addLearningCommands(program);
  addPriceCommands(program);
  addReportCommands(program);
  program
    .command('doctor')
    .description('check configuration, data folder, database, Redis, providers and clock')
    .action(async (_options: unknown, command: Command) => {
      const { text, isHealthy } = await doctor(command.optsWithGlobals<GlobalOptions>());
      process.stdout.write(text);
      if (!isHealthy) process.exitCode = 1;
    });
  addImportCommand(program);
  addMcpCommand(program);
  addDatabaseCommands(program);
  inherit(program);
  return program;
}

const maxWorkers = 64;

function countOfWorkers(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= maxWorkers) return count;
  throw new Error(`--workers takes a number from 1 to ${maxWorkers}, not ${JSON.stringify(text)}`);
}

function addCheck(program: Command): void {
  const print = (_options: unknown, command: Command): void => {
    const lines = check(command.optsWithGlobals<GlobalOptions>());
    process.stdout.write(`${lines.join('\n')}\n`);
  };
  const description = 'check the configuration and exit';
  program.command('check').description(description).action(print);
  groupOf(program, 'config', 'check the configuration', { hidden: true })
    .command('check')
    .description(description)
    .action(print);
}

/** As it is typed: `signalbox keys create`; `start` is what `signalbox` alone does. */
const nameOf = (command: Command): string =>
  command.parent === null || command.name() === 'start'
    ? 'signalbox'
    : `${nameOf(command.parent)} ${command.name()}`;

/** Every command fails alike, by an error that `main` prints, and shows the global options. */
function inherit(command: Command): void {
  command
    .configureHelp({ showGlobalOptions: true, helpWidth: 80 })
    .configureOutput({ outputError: () => undefined })
    .exitOverride((error) => {
      error.message += `; see ${nameOf(command)} --help`;
      throw error;
    });
  // `start` and groups name the command that was probably meant
  if (command.commands.length === 0 && command.name() !== 'start')
    command.allowExcessArguments(false);
  for (const inner of command.commands) inherit(inner);
}

function addDatabaseCommands(program: Command): void {
  program
    .command('train <file>')
    .description("train a preference's own router from evaluations: CSV or JSON Lines")
    .requiredOption('--preference <id>', 'the preference')
    .option('--account <mail>', 'whose preference; default: the first account')
    .option('--prompt-column <name>', 'the column with the prompts', 'prompt')
    .option('--minimize', 'the lowest score is the best')
    .action(
      withConfig((store, config, file: string, options: TrainOptions) =>
        trainCommand(store, file, options, trainingTermsOf(config, process.env)),
      ),
    );
  const database = groupOf(program, 'db', 'migrate and back up the database');
  database
    .command('migrate')
    .description('migrate the database, as every start does')
    .action(onStore(migrateCommand));
  database
    .command('backup <file>')
    .description('copy the embedded database while it is in use')
    .action(onStore(backupCommand));
}

/** `signalbox db migrate`: reports success, because opening the database has migrated it. */
async function migrateCommand(store: Store): Promise<string> {
  await store.ping();
  return `the ${store.kind === 'libsql' ? 'embedded' : 'PostgreSQL'} database is up to date\n`;
}

/** `signalbox db backup <file>`. @throws Error if the file exists already */
async function backupCommand(store: Store, file: string): Promise<string> {
  await store.backup(file);
  return `the database was copied to ${file}\n`;
}
