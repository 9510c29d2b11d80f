import { GatewayError } from '../errors.js';

/** The account that work belongs to. One of weight 2 gets twice the slots of one of weight 1. */
export interface SlotOwner {
  readonly accountId: string;
  readonly weight: number;
}

/** The bounds of a queue. */
export interface SlotBounds {
  /** How many may run at a time; null: no limit. */
  readonly max: number | null;
  /** The same for each account. */
  readonly maxPerAccount: number | null;
  readonly maxWaitMs: number;
}

/** Why work was refused: the expected wait was too long, the wait was, or its account was full. */
export type SlotRefusal = 'queue' | 'queue_timeout' | 'account';

/** The name of a queue, and what it reports to. */
export interface SlotQueueOptions {
  /** In messages: `the gateway`, or a provider's name. */
  readonly name: string;
  readonly waited: (ms: number) => void;
  readonly refused: (reason: SlotRefusal) => void;
}

/** Streams run long, whole answers mostly short: each kind has its own lane. */
export type Lane = 'stream' | 'whole';

interface Line {
  running: number;
  readonly waiting: Slot[];
}

interface Account {
  running: number;
  weight: number;
  /** The value of `lastTurn` when it got its last slot. */
  turn: number;
  readonly lines: Readonly<Record<Lane, Line>>;
}

/** The weight of the newest gap in the moving average. */
const newestShare = 0.2;

/**
 * Bounds how much work runs at a time; further work waits for a limited time. A free slot goes to
 * the account that runs the least for its weight, and there to the lane, streams or whole answers,
 * that runs the least. So neither accounts nor lanes starve each other, and an account that is
 * alone may take every slot.
 */
export class SlotQueue {
  private current: SlotBounds = { max: null, maxPerAccount: null, maxWaitMs: 0 };
  /** Accounts that have work. */
  private readonly accounts = new Map<string, Account>();
  private running = 0;
  /** How many wait. */
  length = 0;
  private lastTurn = 0;
  /** The mean time between two ends of work while all slots are taken; null: unknown. */
  private meanGapMs: number | null = null;
  /** When the last free slot was taken, or since then work last ended. */
  private fullSince = 0;

  constructor(private readonly options: SlotQueueOptions) {}

  get bounds(): SlotBounds {
    return this.current;
  }

  /** Wider ones start what waits at once. */
  set bounds(bounds: SlotBounds) {
    this.current = bounds;
    this.startWaiting();
  }

  get isBounded(): boolean {
    return this.bounds.max !== null || this.bounds.maxPerAccount !== null;
  }

  /**
   * Takes a slot, or a place in the queue.
   * @param maxWaitMs replaces the queue's own where it is shorter
   * @throws GatewayError if the wait would be too long
   */
  take(owner: SlotOwner, lane: Lane, maxWaitMs = Infinity): Slot {
    const account = this.accountOf(owner);
    const slot = new Slot((ended) => this.ended(owner.accountId, account, lane, ended));
    if (this.mayRun(account)) {
      this.start(account, lane);
      return slot;
    }
    const waitMs = Math.min(maxWaitMs, this.bounds.maxWaitMs);
    if ((this.expectedWaitMs(account) ?? 0) > waitMs || waitMs <= 0) {
      this.forget(owner.accountId, account);
      throw this.refusal(account, 'queue');
    }
    slot.wait(waitMs, () => this.refusal(account, 'queue_timeout'), this.options.waited);
    account.lines[lane].waiting.push(slot);
    this.length++;
    return slot;
  }

  private accountOf({ accountId, weight }: SlotOwner): Account {
    let account = this.accounts.get(accountId);
    if (!account) {
      const line = (): Line => ({ running: 0, waiting: [] });
      const lines = { stream: line(), whole: line() };
      account = { running: 0, weight, turn: 0, lines };
      this.accounts.set(accountId, account);
    }
    account.weight = weight;
    return account;
  }

  private mayRun({ running }: Account): boolean {
    const { max, maxPerAccount } = this.bounds;
    return (max === null || this.running < max) && !isFull(running, maxPerAccount);
  }

  private start(account: Account, lane: Lane): void {
    account.running++;
    account.lines[lane].running++;
    account.turn = ++this.lastTurn;
    if (++this.running === this.bounds.max) this.fullSince = performance.now();
  }

  private ended(accountId: string, account: Account, lane: Lane, slot: Slot): void {
    const line = account.lines[lane];
    if (slot.isWaiting) {
      line.waiting.splice(line.waiting.indexOf(slot), 1);
      this.length--;
    } else {
      this.measure();
      account.running--;
      line.running--;
      this.running--;
    }
    this.forget(accountId, account);
    this.startWaiting();
  }

  private startWaiting(): void {
    while (this.length > 0 && this.startNext());
  }

  private measure(): void {
    if (isFull(this.running, this.bounds.max)) {
      const now = performance.now();
      const gapMs = now - this.fullSince;
      this.meanGapMs =
        this.meanGapMs === null ? gapMs : this.meanGapMs + newestShare * (gapMs - this.meanGapMs);
      this.fullSince = now;
    }
  }

  private startNext(): boolean {
    let next: Account | null = null;
    for (const account of this.accounts.values())
      if (waitingOf(account) > 0 && this.mayRun(account) && (!next || isBefore(account, next)))
        next = account;
    if (!next) return false;
    const { stream, whole } = next.lines;
    const isStream =
      stream.waiting.length > 0 && (whole.waiting.length === 0 || stream.running < whole.running);
    const lane = isStream ? 'stream' : 'whole';
    const slot = next.lines[lane].waiting.shift()!;
    this.length--;
    this.start(next, lane);
    slot.start();
    return true;
  }

  private forget(accountId: string, account: Account): void {
    if (account.running === 0 && waitingOf(account) === 0) this.accounts.delete(accountId);
  }

  /** For an account's next work: each of its own waits for at most one of each other account. */
  private expectedWaitMs(account: Account): number | null {
    if (this.meanGapMs === null) return null;
    const place = Math.min(this.length, waitingOf(account) * this.accounts.size) + 1;
    return place * this.meanGapMs;
  }

  private refusal(account: Account, reason: 'queue' | 'queue_timeout'): GatewayError {
    const { bounds, options } = this;
    const retryAfterMs = this.expectedWaitMs(account) ?? bounds.maxWaitMs;
    if (isFull(account.running, bounds.maxPerAccount)) {
      options.refused('account');
      return new GatewayError(
        'too_many_requests',
        `limits: ${bounds.maxPerAccount} requests of this account are running, which is its maximum; wait for one to end`,
        { retryAfterMs },
      );
    }
    options.refused(reason);
    return new GatewayError(
      'overloaded',
      `${options.name} is working on as many requests as it may, and ${this.length} wait: try again later`,
      { retryAfterMs },
    );
  }
}

/** A slot that work holds or waits for. Call `end` in either case. */
export class Slot {
  /** Null: the work holds the slot. Rejects with a GatewayError if the wait ends without one. */
  ready: Promise<void> | null = null;
  private settle: ((error: GatewayError | null) => void) | null = null;
  private isOver = false;

  constructor(private readonly ended: (slot: Slot) => void) {}

  get isWaiting(): boolean {
    return this.settle !== null;
  }

  wait(maxWaitMs: number, timedOut: () => GatewayError, waited: (ms: number) => void): void {
    const startedAt = performance.now();
    const timer = setTimeout(() => this.end(timedOut), maxWaitMs);
    this.ready = new Promise((resolve, reject) => {
      this.settle = (error) => {
        clearTimeout(timer);
        this.settle = null;
        waited(performance.now() - startedAt);
        if (error) reject(error);
        else resolve();
      };
    });
  }

  start(): void {
    this.settle?.(null);
  }

  /** Gives the slot back, or leaves the queue: then `ready` rejects with what `reason` makes. */
  end(reason = leftQueue): void {
    if (this.isOver) return;
    this.isOver = true;
    this.ended(this);
    if (this.settle) this.settle(reason());
  }
}

const leftQueue = (): GatewayError =>
  new GatewayError('client_closed', 'the client left the queue');

const isFull = (running: number, max: number | null): boolean => max !== null && running >= max;
const waitingOf = ({ lines: { stream, whole } }: Account): number =>
  stream.waiting.length + whole.waiting.length;

/** Whether an account gets the next slot before another. */
function isBefore(one: Account, other: Account): boolean {
  const [share, others] = [one.running / one.weight, other.running / other.weight];
  return share < others || (share === others && one.turn < other.turn);
}
