import type { Command } from 'commander';
import { onStore, wholeNumber } from './command-group.js';
import { type ReportOptions, requestsCommand, usageCommand } from './reports.js';
import { savingsCommand, type SavingsOptions } from './savings.js';

/** Adds `signalbox usage`, `signalbox savings` and `signalbox requests`. */
export function addReportCommands(program: Command): void {
  const report = (name: string): Command =>
    program
      .command(name)
      .option('--account <mail>', 'of one account; default: of all')
      .option('--key <key>', 'of one key, by id or name')
      .option('--model <model>', 'of one model, as provider/model')
      .option('--from <date>', 'from this day on, such as 2027-01-31')
      .option('--to <date>', 'before this day')
      .option('--csv', 'print CSV instead of a table');
  report('usage')
    .description('sums of requests, tokens and cost, by default of the last 30 days')
    .option('--by <list>', 'of day, account, key, provider and model', 'day,model')
    .action((options: ReportOptions & { by: string }, command: Command) =>
      onStore(command, (store) => usageCommand(store, options)),
    );
  program
    .command('savings')
    .description('what choosing saved, against always calling each candidate, and prompt caches')
    .option('--account <mail>', 'of one account; default: of all')
    .option('--key <key>', 'of one key, by id or name')
    .option('--from <date>', 'from this day on, such as 2027-01-31; default: 30 days ago')
    .option('--to <date>', 'before this day')
    .option('--by <grouping>', 'also by preference, key or (chosen) model')
    .action((options: SavingsOptions, command: Command) =>
      onStore(command, (store) => savingsCommand(store, options)),
    );
  report('requests')
    .description('the newest requests, with the reasons of failures')
    .option('--failed', 'only failed ones')
    .option('--limit <n>', 'how many at most', wholeNumber, 20)
    .action((options: ReportOptions & { failed?: boolean; limit: number }, command: Command) =>
      onStore(command, (store) => requestsCommand(store, options)),
    );
}
