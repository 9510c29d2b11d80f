const lookMs = 20;
/** How often the bound may rise. */
const riseMs = 100;
/** So much is taken whatever the delay. */
const minRunning = 8;
const lessShare = 0.85;
/** So much more in the time that a request takes: what was taken last has to cost before more is. */
const moreShare = 0.2;
/** Within `riseMs`, however long requests take; `moreShare` where the loop has waited meanwhile. */
const leastMoreShare = 0.03;
/** Above the bound with which most was finished, after steps that did not help. */
const regainShare = 1.4;
/** One long step is no overload: the look before has to find at least this share of the delay. */
const lateBefore = 0.25;
/** A loop that waits for so much of its time has no more to do than it can. */
const idleShare = 0.02;
/** So many have to end before what is finished in a second is compared. */
const minEndings = 30;
/** Without a request in progress, or without a refusal, after which the bound is forgotten. */
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
 * Takes fewer new requests at a time while the event loop is late for having too much to do.
 *
 * The bound is found as TCP finds its window. Two late looks in a row, between which the loop never
 * waited, set it a step below what is in progress; the next step comes only once that has fallen to
 * it, and only while most of it is used: what makes the loop late with less in progress is a pause of
 * the process, which fewer requests would not shorten. Where less is finished after the steps,
 * something else makes the loop late, and they are taken back. While the loop is in time and requests
 * are refused, the bound rises by small steps. The delay alone would not do: a request costs most
 * long after it was taken, while its answer streams.
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
  private lookedAt = 0;
  private idleMs = 0;
  private isLate = false;
  /** With which bound most was finished in a ms since the first of the steps down. */
  private best: { readonly limit: number; readonly rate: number } | null = null;
  private refusals = 0;
  private risenAt = 0;
  private calmSince = 0;
  /** What is in progress has fallen to the bound. */
  private isSettled = true;
  private endings = 0;
  private countedSince = 0;

  constructor(private readonly clock: LoopClock = ownClock) {}

  /** Whether one more request may begin. */
  get admits(): boolean {
    if (this.running >= this.limit) return false;
    if (this.limit !== Infinity || !this.isLate) return true;
    // in one turn of the loop more may come than it can ever work on
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

  /** Counts a refusal. @returns ms after which another try may succeed: as long as a request takes now */
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

  /** Finds how late the loop is. Its own timer calls it every 20 ms. */
  look(): void {
    const now = this.clock.now();
    const idleMs = this.clock.idleMs();
    const maxDelayMs = this.maxDelayMs ?? Infinity;
    const wasLate = this.isLate;
    this.delayMs = Math.max(0, now - this.dueAt);
    const waited = idleMs - this.idleMs > (now - this.lookedAt) * idleShare;
    this.isLate = !waited && this.delayMs > maxDelayMs * lateBefore;
    if (this.isLate && this.delayMs > maxDelayMs) {
      if (wasLate && this.isSettled && this.isUsed) this.step(now);
    } else if (this.refusals > 0 && now - this.risenAt >= riseMs) {
      this.rise(now, waited ? moreShare : leastMoreShare);
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

  /** Whether the bound is what bounds: with less in progress a lower one would not help. */
  private get isUsed(): boolean {
    return this.limit === Infinity || this.running > this.limit * lessShare;
  }

  private rise(now: number, leastShare: number): void {
    const takesMs = (this.limit * (now - this.countedSince)) / Math.max(1, this.endings);
    const share = Math.max(leastShare, moreShare * Math.min(1, riseMs / takesMs));
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
        this.limit = best.limit * regainShare;
        this.best = null;
        this.count(now);
        return;
      }
      if (!best || rate > best.rate) this.best = { limit, rate };
    }
    this.limit = Math.max(minRunning, Math.floor(Math.min(limit, this.running) * lessShare));
    this.isSettled = false;
  }

  private count(now: number): void {
    this.endings = 0;
    this.countedSince = now;
  }
}
