import { failureSide } from '../../../errors.js';
import { periodTiers } from '../../contracts/periods.js';
import type { NewRequest } from '../../contracts/requests.js';
import { latencyBucket, LatencyCounts } from '../../latency-buckets.js';
import type { PeriodColumns } from './merge-periods.js';
import { clean, wholeOrNull } from '../columns.js';
import { noSums, sumRows } from '../sums.js';
import { type DayColumns, dayKey, dayOf, daySums } from './usage.js';
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
  return {
    days: sumRows(
      minutes.map((sum) => sum.day()),
      dayKey,
      daySums,
    ),
    periods: minutes.map((sum) => sum.period()),
  };
}

/** The requests of one minute, account, key, provider and model. */
class MinuteSums {
  private readonly sums = noSums();
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
    const { sums } = this;
    const { code, surface, latencyMs, ttftMs } = request;
    sums.requests += 1;
    if (code !== null) {
      const side = failureSide(code);
      sums.errors += 1;
      if (side === 'refused') sums.refused += 1;
      if (side === 'client') sums.client_closed += 1;
    }
    sums.prompt_tokens += wholeOrNull(request.promptTokens) ?? 0;
    sums.completion_tokens += wholeOrNull(request.completionTokens) ?? 0;
    sums.cost_usd += finite(request.costUsd);
    sums.estimated_usd += finite(request.estimatedUsd);
    sums.held_usd += finite(request.heldUsd);
    this.cacheSavedUsd += finite(request.cacheSavedUsd);
    // where no model is called, the latency says nothing of it
    if (code !== null || !callsModels(surface)) return;
    this.latencies.add(latencyBucket(latencyMs), 1);
    if (ttftMs !== null) this.firstTokens.add(latencyBucket(ttftMs), 1);
  }

  day(): DayColumns {
    return { day: dayOf(this.at), ...this.named(), cache_saved_usd: this.cacheSavedUsd };
  }

  period(): PeriodColumns {
    return {
      ...this.named(),
      at: this.at,
      span_ms: spanMs,
      measure: 'open',
      bucket: 0,
      latencies: this.latencies.packed(),
      first_tokens: this.firstTokens.packed(),
    };
  }

  private named() {
    return {
      account_id: this.accountId,
      key_id: this.keyId ?? '',
      provider: clean(this.provider) ?? '',
      model: clean(this.model) ?? '',
      ...this.sums,
    };
  }
}

const finite = (usd: number | null | undefined): number =>
  typeof usd === 'number' && Number.isFinite(usd) ? usd : 0;
