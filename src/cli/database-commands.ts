import type { Command } from 'commander';
import { trainingTermsOf } from '../gateway.js';
import { groupOf, onStore, withConfig } from './command-group.js';
import { trainCommand, type TrainOptions } from './train.js';
import type { Store } from '../store/contracts/store.js';

/** Adds `signalbox db …` and `signalbox train`. */
export function addDatabaseCommands(program: Command): void {
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
