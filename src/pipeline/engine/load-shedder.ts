const lookMs = 20;
/** How often the bound may rise. */
const riseMs = 100;
/** The lowest bound, whatever the delay. */
const minRunning = 8;
/** One step down multiplies the bound by this. */
const stepFactor = 0.85;
/** The rise of the bound in the time that a request takes: new requests show their cost first. */
const riseShare = 0.2;
/** The least rise within `riseMs`, however long requests take; `riseShare` if the loop was idle. */
const minRiseShare = 0.03;
/** After steps that did not help, the bound becomes the best one times this. */
const regainFactor = 1.4;
/** One long task is no overload: the check before must also find this share of the maximum. */
const lateBefore = 0.25;
/** A loop that is idle for this share of its time is not overloaded. */
const idleShare = 0.02;
/** How many requests must end before rates of completion are compared. */
const minEndings = 30;
/** After this time without a refusal the bound is dropped; without a request the checks stop. */
const calmMs = 10_000;

/** The time, and how long the event loop has waited for something to do, in ms. */
export interface LoopClock {
  now(): number;
  idleMs(): number;
}

const ownClock: LoopClock = {
  now: () => performance.now(),
  idleMs: () => performance.eventLoopUtilization().idle,
};

/**
 * Admits fewer requests at a time while too much work makes the event loop late.
 *
 * The bound on requests in progress adapts as TCP's window does. Two late checks in a row, between
 * which the loop was never idle, set it a step below the current number. The next step comes only
 * once that number has fallen to the bound, and only while most of the bound is used: with fewer in
 * progress, a pause of the process makes the loop late, and a lower bound would not help. If fewer
 * requests are completed after the steps, something else makes the loop late, and the steps are
 * undone. While the loop is on time and requests are refused, the bound rises in small steps. The
 * delay alone is no guide: a request costs most long after it was admitted, while it streams.
 */
export class LoadShedder {
  /** Null: nothing is ever refused. */
  maxDelayMs: number | null = null;
  /** Requests in progress. */
  running = 0;
  /** How many requests may be in progress; Infinity: any number. */
  limit = Infinity;
  /** How late the loop was at the last check. */
  delayMs = 0;
  private timer: NodeJS.Timeout | null = null;
  private dueAt = 0;
  private lookedAt = 0;
  private idleMs = 0;
  private isLate = false;
  /** The bound with the most completions per ms since the first of the steps down. */
  private best: { readonly limit: number; readonly rate: number } | null = null;
  private refusals = 0;
  private risenAt = 0;
  private calmSince = 0;
  /** The number in progress has fallen to the bound. */
  private isSettled = true;
  private endings = 0;
  private countedSince = 0;

  constructor(private readonly clock: LoopClock = ownClock) {}

  /** Whether one more request may begin. */
  get admits(): boolean {
    if (this.running >= this.limit) return false;
    if (this.limit !== Infinity || !this.isLate) return true;
    // more requests may arrive in one turn of the loop than it can handle
    if (this.clock.now() - this.dueAt <= (this.maxDelayMs ?? Infinity)) return true;
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

  /** Counts a refusal. @returns when to retry, in ms: as long as a request takes now */
  refuse(): number {
    this.refusals++;
    const countedMs = this.clock.now() - this.countedSince;
    return Math.min(30_000, (this.running * countedMs) / Math.max(1, this.endings));
  }

  private watch(): void {
    const now = this.clock.now();
    this.calmSince = this.lookedAt = now;
    this.count(now);
    this.idleMs = this.clock.idleMs();
    this.dueAt = now + lookMs;
    this.timer = setTimeout(() => this.look(), lookMs).unref();
  }

  /** Measures how late the loop is, and moves the bound. Called every 20 ms by its own timer. */
  look(): void {
    const now = this.clock.now();
    const idleMs = this.clock.idleMs();
    const maxDelayMs = this.maxDelayMs ?? Infinity;
    const wasLate = this.isLate;
    this.delayMs = Math.max(0, now - this.dueAt);
    const wasIdle = idleMs - this.idleMs > (now - this.lookedAt) * idleShare;
    this.isLate = !wasIdle && this.delayMs > maxDelayMs * lateBefore;
    if (this.isLate && this.delayMs > maxDelayMs) {
      if (wasLate && this.isSettled && this.isUsed) this.step(now);
    } else if (this.refusals > 0 && now - this.risenAt >= riseMs) {
      this.rise(now, wasIdle ? riseShare : minRiseShare);
      this.refusals = 0;
      this.best = null;
      this.count(now);
    }
    if (!this.isSettled && this.running <= this.limit) {
      this.isSettled = true;
      this.count(now);
    }
    if (this.refusals > 0 || (this.running > 0 && this.limit === Infinity)) this.calmSince = now;
    this.lookedAt = now;
    this.idleMs = idleMs;
    this.dueAt = now + lookMs;
    const isCalm = now - this.calmSince >= calmMs;
    if (isCalm) this.limit = Infinity;
    if (isCalm && this.running === 0) this.timer = null;
    else this.timer?.refresh();
  }

  /** Whether most of the bound is used: otherwise a lower one would not help. */
  private get isUsed(): boolean {
    return this.limit === Infinity || this.running > this.limit * stepFactor;
  }

  private rise(now: number, leastShare: number): void {
    const takesMs = (this.limit * (now - this.countedSince)) / Math.max(1, this.endings);
    const share = Math.max(leastShare, riseShare * Math.min(1, riseMs / takesMs));
    this.limit += Math.max(1, this.limit * share);
    this.risenAt = now;
  }

  private step(now: number): void {
    const { best, endings, limit } = this;
    if (limit !== Infinity) {
      if (endings < minEndings) return;
      const countedMs = now - this.countedSince;
      const rate = endings / countedMs;
      const expected = best ? best.rate * countedMs : 0;
      if (best && endings < expected - 2 * Math.sqrt(expected)) {
        this.limit = best.limit * regainFactor;
        this.best = null;
        this.count(now);
        return;
      }
      if (!best || rate > best.rate) this.best = { limit, rate };
    }
    this.limit = Math.max(minRunning, Math.floor(Math.min(limit, this.running) * stepFactor));
    this.isSettled = false;
  }

  private count(now: number): void {
    this.endings = 0;
    this.countedSince = now;
  }
}
