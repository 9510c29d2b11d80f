import { csvLine } from '../api/csv.js';
import type { RequestFilter, RequestSummary, UsageGrouping } from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/contracts/page.js';
import type { Config } from '../config/config.js';
import { findAccountId } from './keys.js';
import { unpricedNote } from './prices.js';
import { tableOf } from './table.js';
import type { Command } from 'commander';
import { onStore, timeOf, wholeNumber, withConfig } from './command-group.js';
import { savingsOf } from '../chooser/chooser.js';
import type { ChoiceGrouping } from '../store/contracts/choices.js';

/** The options that `usage` and `requests` have in common. */
export interface ReportOptions {
  /** A mail address. Default: all accounts. */
  readonly account?: string;
  /** The id or name of a key. */
  readonly key?: string;
  /** `<provider>/<model>`. */
  readonly model?: string;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

type Rows = (string | number | null)[][];

const dayMs = 86_400_000;
const defaultDays = 30;
/** In the order of their columns. */
const groupings: readonly UsageGrouping[] = ['day', 'account', 'key', 'provider', 'model'];

/** `signalbox usage`: sums of requests, tokens and cost. @throws Error for an unknown grouping */
export async function usageCommand(
  store: Store,
  config: Config,
  options: ReportOptions & { readonly by: string },
): Promise<string> {
  const by = options.by.split(',').map((name) => {
    const grouping = groupings.find((known) => known === name.trim());
    if (!grouping) throw new Error(`--by: must be one or more of ${groupings.join(', ')}`);
    return grouping;
  });
  const from = new Date(Date.now() - defaultDays * dayMs).toISOString().slice(0, 10);
  const filter = await filterOf(store, { from, ...options });
  const columns = groupings.filter(
    (one) => by.includes(one) || (one === 'provider' && by.includes('model')),
  );
  const rows: Rows = [];
  for await (const row of everyPage((page) => store.requests.usage(filter, by, page))) {
    const { day, accountId, keyId, keyName, provider, model } = row;
    const groups = { day, account: accountId, key: keyName ?? keyId, provider, model };
    rows.push([
      ...columns.map((column) => groups[column] ?? ''),
      ...[row.requests, row.errors, row.promptTokens, row.completionTokens],
      ...[row.costUsd, row.estimatedUsd, row.heldUsd].map((usd) => Math.round(usd * 1e6) / 1e6),
    ]);
  }
  const sums = options.csv
    ? ['promptTokens', 'completionTokens', 'costUsd', 'estimatedUsd', 'heldUsd']
    : ['prompt', 'completion', 'USD', 'estimated', 'held'];
  const note = options.csv ? '' : await unpricedNote(store, config, filter);
  return shown([...columns, 'requests', 'errors', ...sums], rows, options) + note;
}

async function requestsCommand(
  store: Store,
  options: ReportOptions & { readonly failed?: boolean; readonly limit: number },
): Promise<string> {
  const filter: RequestFilter = {
    ...(await filterOf(store, options)),
    ...(options.failed ? { failed: true } : {}),
  };
  const rows: Rows = [];
  for await (const request of everyPage((page) => store.requests.list(filter, page))) {
    if (rows.length >= options.limit) break;
    rows.push(requestRow(request));
  }
  const measures = options.csv ? ['latencyMs', 'costUsd', 'heldUsd'] : ['ms', 'USD', 'held'];
  return shown(['time', 'key', 'model', 'status', ...measures, 'error'], rows, options);
}

function requestRow(request: RequestSummary): (string | number | null)[] {
  const { at, keyName, keyId, provider, model, status, latencyMs, error } = request;
  return [
    new Date(at).toISOString().slice(0, 19),
    keyName ?? keyId,
    [provider, model].filter((part) => part !== null).join('/'),
    status,
    latencyMs,
    request.costUsd,
    request.heldUsd,
    error ?? request.code,
  ];
}

/** The filter that options describe. @throws Error for an unknown account or a wrong date */
async function filterOf(
  store: Store,
  { account, key, model, from, to }: ReportOptions,
): Promise<RequestFilter> {
  const accountId = account === undefined ? null : await findAccountId(store, account);
  const slash = model?.indexOf('/') ?? -1;
  return {
    accountId,
    keyIds: key === undefined ? null : await keyIdsOf(store, accountId, key),
    provider: slash > 0 ? (model?.slice(0, slash) ?? null) : null,
    model: model?.slice(slash + 1) ?? null,
    from: from === undefined ? null : timeOf('--from', from),
    to: to === undefined ? null : timeOf('--to', to),
  };
}

async function keyIdsOf(
  store: Store,
  accountId: string | null,
  key: string,
): Promise<readonly string[]> {
  const ids = await store.keys.idsOf(accountId, key);
  // a key of the configuration has no row
  return ids.length > 0 ? ids : [key.startsWith('fixed:') ? key : `fixed:${key}`];
}

const shown = (titles: string[], rows: Rows, { csv }: ReportOptions): string =>
  csv ? [titles, ...rows].map(csvLine).join('') : tableOf(titles, rows);

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
    .action(withConfig(usageCommand));
  program
    .command('savings')
    .description('what choosing saved, against always calling each candidate, and prompt caches')
    .option('--account <mail>', 'of one account; default: of all')
    .option('--key <key>', 'of one key, by id or name')
    .option('--from <date>', 'from this day on, such as 2027-01-31; default: 30 days ago')
    .option('--to <date>', 'before this day')
    .option('--by <grouping>', 'also by preference, key or (chosen) model')
    .action(onStore(savingsCommand));
  report('requests')
    .description('the newest requests, with the reasons of failures')
    .option('--failed', 'only failed ones')
    .option('--limit <n>', 'how many at most', wholeNumber, 20)
    .action(onStore(requestsCommand));
}

const savingsGroupings: readonly ChoiceGrouping[] = ['preference', 'key', 'model'];

export type SavingsOptions = Pick<ReportOptions, 'account' | 'key' | 'from' | 'to'> & {
  readonly by?: string;
};

/**
 * `signalbox savings`: what choosing has saved, against always calling each candidate,
 * and what prompt caches have saved.
 * @throws Error for an unknown grouping, account or date
 */
export async function savingsCommand(store: Store, options: SavingsOptions): Promise<string> {
  const by = savingsGroupings.find((known) => known === options.by) ?? null;
  if (options.by !== undefined && by === null)
    throw new Error(`--by: must be one of ${savingsGroupings.join(', ')}`);
  const filter = await filterOf(store, options);
  const to = filter.to ?? Date.now() + 1;
  const from = filter.from ?? to - defaultDays * dayMs;
  if (from >= to) throw new Error('--from: must be before --to');
  const savings = await savingsOf(store, { ...filter, from, to }, by);
  const groups = savings.groups.map(({ preferenceId, keyId, model, ...receipt }) => [
    preferenceId ?? keyId ?? model ?? '(none)',
    receipt.choices,
    dollars(receipt.spentUsd),
    receipt.best?.model ?? '',
    dollars(receipt.best?.savedUsd ?? null),
    points(receipt.best?.qualityGivenUp ?? null),
  ]);
  return [
    savings.candidates.length === 0
      ? ''
      : `${tableOf(savingsTitles, savings.candidates.map(rowOf))}\n`,
    groups.length === 0
      ? ''
      : `${tableOf([by ?? '', 'choices', 'USD', 'best', 'saved', 'given up'], groups)}\n`,
    `${savings.from} to ${savings.to}: ${savings.summary}\n`,
    savings.spentReason === null ? '' : `Note: ${savings.spentReason}.\n`,
  ].join('');
}

type Alternative = Awaited<ReturnType<typeof savingsOf>>['candidates'][number];
type Figure = Alternative['quality'];

const savingsTitles = [
  'always calling',
  'possible',
  'chosen',
  'USD',
  'saved',
  '95 %',
  'quality',
  '95 %',
];

const rowOf = (one: Alternative): (string | number | null)[] => [
  one.model,
  one.candidateIn,
  one.chosenIn,
  dollars(one.alwaysUsd),
  dollars(one.savedUsd),
  one.savedUsd === null ? (one.reason ?? '') : interval(one.savedUsd, cents),
  points(one.quality),
  interval(one.quality, hundredths),
];

const unknown = 'unknown';
const cents = (usd: number): string => usd.toFixed(Math.abs(usd) < 1 ? 4 : 2);
const hundredths = (share: number): string => (100 * share).toFixed(1);
const dollars = (figure: Figure | null): string => (figure ? cents(figure.value) : unknown);
const points = (figure: Figure | null): string => (figure ? hundredths(figure.value) : unknown);
const interval = ({ low, high }: Figure, show: (value: number) => string): string =>
  `${show(low)} to ${show(high)}`;
