const lookMs = 20;
/** How often the bound may rise. */
const riseMs = 100;
/** So much is taken whatever the delay. */
const minRunning = 8;
const lessShare = 0.85;
const moreShare = 0.03;
/** One long step is no overload: the look before has to find at least this share of the delay. */
const lateBefore = 0.25;
/** Without a request in progress, or without a refusal, after which the bound is forgotten. */
const calmMs = 10_000;

/**
 * Takes fewer new requests at a time while the event loop is late.
 *
 * The bound is found as TCP finds its window: two late looks in a row set it a step below what is
 * in progress; the next step down comes only once that has fallen to it. While the loop is in time
 * and requests are refused, it rises by small steps. The delay alone would not do: a request costs
 * most long after it was taken, while its answer streams.
 */
export class LoadShedder {
  /** Null: nothing is ever refused. */
  maxDelayMs: number | null = null;
  /** Requests in progress. */
  running = 0;
  /** How many may be; Infinity: any number. */
  limit = Infinity;
  /** How late the loop was at the last look. */
  delayMs = 0;
  private timer: NodeJS.Timeout | null = null;
  private dueAt = 0;
  private refusals = 0;
  private risenAt = 0;
  private calmSince = 0;
  private endings = 0;
  private watchedSince = 0;

  /** Whether one more request may begin. */
  get admits(): boolean {
    if (this.running >= this.limit) return false;
    const { maxDelayMs } = this;
    if (maxDelayMs === null || this.delayMs <= maxDelayMs * lateBefore) return true;
    // in one turn of the loop more may come than it can ever work on
    if (performance.now() - this.dueAt <= maxDelayMs) return true;
    this.limit = Math.max(minRunning, this.running);
    return this.running < this.limit;
  }

  begin(): void {
    this.running++;
    if (this.timer === null && this.maxDelayMs !== null) this.watch();
  }

  end(): void {
    this.running--;
    this.endings++;
  }

  /** Counts a refusal. @returns ms after which another try may succeed: as long as a request takes now */
  refuse(): number {
    this.refusals++;
    const watchedMs = performance.now() - this.watchedSince;
    return Math.min(30_000, (this.running * watchedMs) / Math.max(1, this.endings));
  }

  private watch(): void {
    const now = performance.now();
    this.endings = 0;
    this.watchedSince = this.calmSince = now;
    this.dueAt = now + lookMs;
    this.timer = setTimeout(() => this.look(), lookMs).unref();
  }

  private look(): void {
    const now = performance.now();
    const maxDelayMs = this.maxDelayMs ?? Infinity;
    const wasLate = this.delayMs > maxDelayMs * lateBefore;
    this.delayMs = Math.max(0, now - this.dueAt);
    if (this.delayMs > maxDelayMs) {
      if (wasLate && this.running <= this.limit)
        this.limit = Math.max(minRunning, Math.floor(this.running * lessShare));
    } else if (this.refusals > 0 && now - this.risenAt >= riseMs) {
      this.limit += Math.max(1, this.limit * moreShare);
      this.risenAt = now;
      this.refusals = 0;
    }
    if (this.refusals > 0 || (this.running > 0 && this.limit === Infinity)) this.calmSince = now;
    this.dueAt = now + lookMs;
    const isCalm = now - this.calmSince >= calmMs;
    if (isCalm) this.limit = Infinity;
    if (isCalm && this.running === 0) this.timer = null;
    else this.timer?.refresh();
  }
}
