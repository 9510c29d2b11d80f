import { csvLine } from '../api/csv.js';
import type { RequestFilter, RequestSummary, UsageGrouping } from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/contracts/page.js';
import { findAccountId } from './keys.js';
import { tableOf } from './table.js';

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
      Math.round(row.costUsd * 1e6) / 1e6,
    ]);
  }
  const sums = options.csv
    ? ['promptTokens', 'completionTokens', 'costUsd']
    : ['prompt', 'completion', 'USD'];
  return shown([...columns, 'requests', 'errors', ...sums], rows, options);
}

/** `signalbox requests`: the newest requests, or the newest failed ones. */
export async function requestsCommand(
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
  const measures = options.csv ? ['latencyMs', 'costUsd'] : ['ms', 'USD'];
  return shown(['time', 'key', 'model', 'status', ...measures, 'error'], rows, options);
}

function requestRow(request: RequestSummary): (string | number | null)[] {
  const { at, keyName, keyId, provider, model, status, latencyMs, costUsd, error } = request;
  return [
    new Date(at).toISOString().slice(0, 19),
    keyName ?? keyId,
    [provider, model].filter((part) => part !== null).join('/'),
    status,
    latencyMs,
    costUsd,
    error ?? request.code,
  ];
}

/** The filter that options describe. @throws Error for an unknown account or a wrong date */
export async function filterOf(
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
    from: timeOf('--from', from),
    to: timeOf('--to', to),
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

function timeOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Error(`${option}: must be a date such as 2027-01-31`);
  return at;
}

const shown = (titles: string[], rows: Rows, { csv }: ReportOptions): string =>
  csv ? [titles, ...rows].map(csvLine).join('') : tableOf(titles, rows);
