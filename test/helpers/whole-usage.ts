import type { RequestFilter, RequestStore, UsageRow } from '../../src/store/contracts/requests.js';

/** All sums by day, account, key and model; without the names of keys. */
export async function wholeUsage(
  { usage }: Pick<RequestStore, 'usage'>,
  filter: RequestFilter,
): Promise<UsageRow[]> {
  const { items } = await usage(filter, ['day', 'account', 'key', 'model'], {
    limit: 100_000,
    cursor: null,
  });
  return items.map(({ keyName: _keyName, ...row }) => row);
}
