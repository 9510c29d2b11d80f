import { periodTiers } from '../../contracts/periods.js';
import type { NewRequest } from '../../contracts/requests.js';
import { latencyBucket, LatencyCounts } from '../../latency-buckets.js';
import type { PeriodColumns } from './add-periods.js';
import { clean, wholeOrNull } from '../columns.js';
import { dayOf, type DayColumns } from './usage.js';
import { callsModels } from '../../../surface-labels.js';

/** What some requests add to the sums: one row for each key. */
export interface RequestSums {
  readonly days: DayColumns[];
  /** Of periods of the shortest tier. */
  readonly periods: PeriodColumns[];
}

const [{ spanMs } = { spanMs: 60_000 }] = periodTiers;

/**
 * Adds requests up, both kinds of sums in one pass: rows by request, which were merged afterwards,
 * took longer than the requests' own rows. A request with a code counts as an error.
 */
export function sumRequests(requests: readonly NewRequest[]): RequestSums {
  const sums = new Map<string, MinuteSums>();
  let last: MinuteSums | null = null;
  for (const request of requests) {
    const { provider, model } = request.summedAs ?? request;
    const at = Math.floor(Math.max(0, request.at) / spanMs) * spanMs;
    const { accountId, keyId } = request;
    // most requests of a batch are alike
    if (!last?.isOf(at, accountId, keyId, provider, model)) {
      // no name has a NUL
      const key = [at, accountId, keyId ?? '', clean(provider) ?? '', clean(model) ?? ''].join(
        '\0',
      );
      last = sums.get(key) ?? new MinuteSums(at, accountId, keyId, provider, model);
      sums.set(key, last);
    }
    last.add(request);
  }
  const minutes = [...sums.values()];
  return { days: daysOf(minutes), periods: minutes.map((sum) => sum.period()) };
}

function daysOf(minutes: readonly MinuteSums[]): DayColumns[] {
  const days = new Map<string, DayColumns>();
  for (const minute of minutes) {
    const row = minute.day();
    const key = [row.day, row.account_id, row.key_id, row.provider, row.model].join('\0');
    const sum = days.get(key);
    if (sum === undefined) days.set(key, row);
    else {
      sum.requests += row.requests;
      sum.errors += row.errors;
      sum.prompt_tokens += row.prompt_tokens;
      sum.completion_tokens += row.completion_tokens;
      sum.cost_usd += row.cost_usd;
      sum.cache_saved_usd += row.cache_saved_usd;
    }
  }
  // in the order of their keys, so that two replicas cannot deadlock
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** The requests of one minute, account, key, provider and model. */
class MinuteSums {
  private requests = 0;
  private errors = 0;
  private promptTokens = 0;
  private completionTokens = 0;
  private costUsd = 0;
  private cacheSavedUsd = 0;
  private readonly latencies = new LatencyCounts();
  private readonly firstTokens = new LatencyCounts();

  constructor(
    private readonly at: number,
    private readonly accountId: string,
    private readonly keyId: string | null,
    private readonly provider: string | null,
    private readonly model: string | null,
  ) {}

  isOf(
    at: number,
    accountId: string,
    keyId: string | null,
    provider: string | null,
    model: string | null,
  ): boolean {
    return (
      this.at === at &&
      this.model === model &&
      this.provider === provider &&
      this.keyId === keyId &&
      this.accountId === accountId
    );
  }

  add(request: NewRequest): void {
    const { code, surface, latencyMs, ttftMs } = request;
    this.requests += 1;
    if (code !== null) this.errors += 1;
    this.promptTokens += wholeOrNull(request.promptTokens) ?? 0;
    this.completionTokens += wholeOrNull(request.completionTokens) ?? 0;
    this.costUsd += finite(request.costUsd);
    this.cacheSavedUsd += finite(request.cacheSavedUsd);
    // where no model is called, the latency says nothing of it
    if (code !== null || !callsModels(surface)) return;
    this.latencies.add(latencyBucket(latencyMs), 1);
    if (ttftMs !== null) this.firstTokens.add(latencyBucket(ttftMs), 1);
  }

  day(): DayColumns {
    return { day: dayOf(this.at), ...this.names(), ...this.counts(), ...this.saved() };
  }

  period(): PeriodColumns {
    return {
      ...this.names(),
      ...this.counts(),
      at: this.at,
      span_ms: spanMs,
      measure: 'open',
      bucket: 0,
      latencies: this.latencies.packed(),
      first_tokens: this.firstTokens.packed(),
    };
  }

  private names(): Pick<DayColumns, 'account_id' | 'key_id' | 'provider' | 'model'> {
    return {
      account_id: this.accountId,
      key_id: this.keyId ?? '',
      provider: clean(this.provider) ?? '',
      model: clean(this.model) ?? '',
    };
  }

  private counts(): Pick<
    DayColumns,
    'requests' | 'errors' | 'prompt_tokens' | 'completion_tokens' | 'cost_usd'
  > {
    return {
      requests: this.requests,
      errors: this.errors,
      prompt_tokens: this.promptTokens,
      completion_tokens: this.completionTokens,
      cost_usd: this.costUsd,
    };
  }

  private saved(): Pick<DayColumns, 'cache_saved_usd'> {
    return { cache_saved_usd: this.cacheSavedUsd };
  }
}

const finite = (usd: number | null | undefined): number =>
  typeof usd === 'number' && Number.isFinite(usd) ? usd : 0;
