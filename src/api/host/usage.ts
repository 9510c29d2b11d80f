import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { pageRequestOf } from '../page-request.js';
import { selectUsage, usageFilters, usagePages, type UsageSums } from '../usage.js';
import type { UsageGrouping } from '../../store/contracts/requests.js';
import { queryOf, namedAccount } from './host-fields.js';

/** Selects usage. Times are a `Date`, ISO 8601, or ms since 1970. */
export interface UsageQuestion {
  /** `host:<your id>` for one of your users, or the gateway's id. Default: all accounts. */
  readonly account?: string;
  /** The id or the name of a key. */
  readonly key?: string | null;
  readonly provider?: string | null;
  /** With `provider`, or as `<provider>/<model>`. */
  readonly model?: string | null;
  /** Default: 30 days before `to`. The whole UTC day counts. */
  readonly from?: Date | string | number | null;
  /** Exclusive. Default: now. */
  readonly to?: Date | string | number | null;
  /** What the sums are grouped by. Default: by day and model. */
  readonly by?: readonly UsageGrouping[] | null;
  /** From 1 to 1,000, which is the default. */
  readonly limit?: number | null;
  /** `next` of the page before. */
  readonly cursor?: string | null;
}

/** Sums of requests, tokens and cost, for the code of a host app. */
export async function usageFor(parts: GatewayParts, question: UsageQuestion): Promise<UsageSums> {
  const parameters = { query: queryOf(question) };
  const page = pageRequestOf(parameters, usageFilters, usagePages);
  const account = await namedAccount(parts, question);
  return (await selectUsage(parts, parameters, account)).show(page);
}
