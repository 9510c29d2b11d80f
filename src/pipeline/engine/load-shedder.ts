const lookMs = 20;
/** Looks of which the middle one counts: one long step is no overload. */
const looks = 5;
/** So much is taken whatever the delay. */
const minRunning = 8;
const lessShare = 0.85;
const moreShare = 0.03;
/** Looks without a request in progress, or without a refusal, after which the watch ends. */
const calmLooks = 500;

/**
 * Takes fewer new requests at a time while the event loop is late.
 *
 * The bound is found as TCP finds its window. While most looks of 100 ms find the loop late, it is
 * set a step below what is in progress; the next step down comes only once that has fallen to it,
 * because what is in progress goes on. While the loop is in time and requests are refused, it rises
 * a little with each look. Delay alone would not do: a request costs most long after it was taken,
 * while its answer streams.
 */
export class LoadShedder {
  /** Null: nothing is ever refused. */
  maxDelayMs: number | null = null;
  /** Requests in progress. */
  running = 0;
  /** How many may be; Infinity: any number. */
  limit = Infinity;
  /** Of the middle one of the last looks. */
  delayMs = 0;
  private timer: NodeJS.Timeout | null = null;
  private dueAt = 0;
  private delays: number[] = [];
  private refusals = 0;
  private calm = 0;
  private endings = 0;
  private watchedSince = 0;

  /** Whether one more request may begin. */
  get admits(): boolean {
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
    this.endings = 0;
    this.watchedSince = performance.now();
    this.dueAt = this.watchedSince + lookMs;
    this.delays = [];
    this.timer = setTimeout(() => this.look(), lookMs).unref();
  }

  private look(): void {
    const now = performance.now();
    this.delays.push(now - this.dueAt);
    if (this.delays.length === looks) {
      this.delayMs = Math.max(0, this.delays.sort((one, other) => one - other)[looks >> 1]!);
      this.delays = [];
      this.adjust(this.maxDelayMs ?? Infinity);
    }
    this.dueAt = now + lookMs;
    this.timer?.refresh();
  }

  private adjust(maxDelayMs: number): void {
    if (this.delayMs > maxDelayMs) {
      if (this.running <= this.limit)
        this.limit = Math.max(minRunning, Math.floor(this.running * lessShare));
    } else if (this.refusals > 0) this.limit += Math.max(1, this.limit * moreShare);
    const isCalm = this.refusals === 0 && (this.running === 0 || this.limit < Infinity);
    this.calm = isCalm ? this.calm + looks : 0;
    this.refusals = 0;
    if (this.calm < calmLooks) return;
    this.limit = Infinity;
    this.calm = 0;
    if (this.running > 0) return;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
