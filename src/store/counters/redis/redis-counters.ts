import { randomBytes } from 'node:crypto';
import { GatewayError } from '../../../errors.js';
import type {
  Claim,
  Counters,
  CountersState,
  Hold,
  LoginBackoff,
  Verdict,
} from '../../contracts/counters.js';
import { settledAmount } from '../period.js';
import { MemoryLimits } from '../memory/limits.js';
import { RedisPubSub } from './pub-sub.js';
import { RedisFailures } from './failures.js';
import { RedisLimits } from './limits.js';
import { RedisLink } from './link.js';
import { type LiveHold, LiveHolds } from './live-holds.js';
import { RedisRecentLists } from './recent-lists.js';
import { keyOf, type Part, partsOf } from './part.js';
import {
  failScript,
  noteScript,
  renewScript,
  seedScript,
  settleScript,
  takeScript,
} from './scripts.js';
import { Settlements } from './settlements.js';

export interface RedisCountersOptions {
  /** Before the names of all keys and channels; `signalbox:` where nothing is said. */
  readonly prefix?: string;
  /** Hears when Redis goes and comes back, and of a Redis that is away from the start. */
  readonly onState?: (state: CountersState) => void;
  /** In words: that Redis is away, and what is lost. */
  readonly onWarning?: (warning: string) => void;
  /** In words: that Redis is there. */
  readonly onNews?: (news: string) => void;
  /** Epoch ms, instead of Redis's own clock. */
  readonly now?: () => number;
  /** How long Redis keeps the holds of a process that has died, in ms. */
  readonly leaseMs?: number;
}

const drainMs = 1_000;
/** What replicas tell each other when a budget is told anew what was used of it. */
const seeded = 'budget-seeded';

/**
 * Counters that replicas share through the Redis or Valkey (6 or later) at `redis://…` or `rediss://…`. Where it cannot be reached each counts for
 * itself, from the start if need be, until it is back; holds and what was spent meanwhile are carried over both ways.
 * @throws GatewayError `internal` for an address that cannot be read
 */
export async function openRedisCounters(
  url: string,
  options: RedisCountersOptions = {},
): Promise<Counters> {
  checkUrl(url);
  const counters = new RedisCounters(url, options);
  await counters.open();
  return counters;
}

class RedisCounters implements Counters {
  state: CountersState = 'fallback';
  readonly bulletin: RedisPubSub;
  readonly notes: RedisRecentLists;
  private readonly link: RedisLink;
  private readonly limits: RedisLimits;
  private readonly failures: RedisFailures;
  private readonly holds: LiveHolds<SharedHold>;
  private readonly settlements: Settlements;
  private readonly processId = randomBytes(9).toString('base64url');
  private readonly prefix: string;
  private readonly now: () => number;
  private own: MemoryLimits;
  private lastHold = 0;

  constructor(
    url: string,
    private readonly options: RedisCountersOptions,
  ) {
    const { prefix = 'signalbox:', now, leaseMs = 30_000, onWarning = () => undefined } = options;
    const time = now ? (): string => String(Math.floor(now())) : (): string => '-1';
    const channel = `${prefix}bulletin`;
    this.prefix = prefix;
    this.now = now ?? Date.now;
    this.own = new MemoryLimits(this.now);
    const link = new RedisLink({
      url,
      channel,
      probeKey: `${prefix}probe`,
      scripts: [takeScript, settleScript, seedScript, renewScript, failScript, noteScript],
      onUp: () => this.shareAgain(),
      onDown: (reason) => this.fallBack(reason),
      onMessage: (text) => this.bulletin.receive(text),
    });
    this.link = link;
    this.limits = new RedisLimits(link, prefix, leaseMs, time);
    this.failures = new RedisFailures(link, prefix, time, this.now);
    this.holds = new LiveHolds(link, leaseMs, time);
    this.settlements = new Settlements(link, this.processId, time, onWarning);
    this.notes = new RedisRecentLists(link, prefix, time, this.now);
    this.bulletin = new RedisPubSub(link, channel, this.processId, onWarning);
    this.bulletin.hear(seeded, (key) => this.holds.renew(key));
  }

  open(): Promise<void> {
    return this.link.open();
  }

  take(claims: readonly Claim[]): Verdict | Promise<Verdict> {
    return this.link.isUp && claims.length > 0 ? this.takeShared(claims) : this.takeOwn(claims);
  }

  async seed(claim: Parameters<Counters['seed']>[0], used: number): Promise<void> {
    try {
      await this.limits.seed(claim, used);
    } catch {
      // never both: what Redis counts from now on the memory would not know
      this.own.seed(claim, used);
      return;
    }
    // where it was lost, what is held of it was lost too
    const key = keyOf(this.prefix, claim);
    this.holds.renew(key);
    this.bulletin.tell(seeded, key);
  }

  fail(subject: string): Promise<LoginBackoff> {
    return this.failures.fail(subject);
  }

  patience(subject: string): Promise<LoginBackoff> {
    return this.failures.patience(subject);
  }

  forgive(subject: string): Promise<void> {
    return this.failures.forgive(subject);
  }

  async close(): Promise<void> {
    this.holds.close();
    this.notes.flush();
    await this.settlements.drained(drainMs);
    this.link.close();
  }

  private async takeShared(claims: readonly Claim[]): Promise<Verdict> {
    const id = this.nextId();
    try {
      const answer = await this.limits.take(id, claims);
      if (answer.outcome !== 'granted') return answer;
      // the connection may have gone between the answer and now
      const own = this.link.isUp ? null : this.own.adopt(claims);
      const hold = new SharedHold(
        id,
        claims,
        partsOf(this.prefix, claims, answer.now),
        { own, isShared: true },
        this.settle,
      );
      return { outcome: 'granted', used: answer.used, hold: this.keep(hold) };
    } catch {
      return this.takeOwn(claims);
    }
  }

  private takeOwn(claims: readonly Claim[]): Verdict {
    const verdict = this.own.take(claims);
    if (verdict.outcome !== 'granted') return verdict;
    const parts = partsOf(this.prefix, claims, this.now());
    const hold = new SharedHold(
      this.nextId(),
      claims,
      parts,
      { own: verdict.hold, isShared: false },
      this.settle,
    );
    return { ...verdict, hold: this.keep(hold) };
  }

  private keep(hold: SharedHold): SharedHold {
    this.holds.add(hold);
    return hold;
  }

  private nextId(): string {
    return `${this.processId}:${(++this.lastHold).toString(36)}`;
  }

  private readonly settle = (hold: SharedHold, used: readonly number[]): void => {
    this.holds.delete(hold);
    const parts = hold.parts.map((part, index) => ({
      ...part,
      used: settledAmount(used[index], part.amount),
    }));
    if (hold.place.isShared) this.settlements.settle(hold.id, parts);
    else this.settlements.owe(parts);
  };

  private shareAgain(): void {
    for (const hold of this.holds.values()) hold.place = { own: null, isShared: true };
    // before any request asks
    this.settlements.resume();
    this.holds.renew();
    this.notes.flush();
    this.turn('redis');
    this.options.onNews?.('Redis is there: limits are shared');
  }

  private fallBack(reason: string): void {
    // what was seeded the last time is out of date
    this.own = new MemoryLimits(this.now);
    for (const hold of this.holds.values())
      hold.place = { ...hold.place, own: this.own.adopt(hold.claims) };
    this.turn('fallback');
    this.options.onWarning?.(
      `Redis cannot be used (${reason}): each process counts limits for itself`,
    );
  }

  private turn(state: CountersState): void {
    this.state = state;
    this.options.onState?.(state);
  }
}

/** Who counts a hold: this process's memory, and Redis or not. */
interface Place {
  readonly own: Hold | null;
  readonly isShared: boolean;
}

class SharedHold implements Hold, LiveHold {
  private isSettled = false;

  constructor(
    readonly id: string,
    readonly claims: readonly Claim[],
    readonly parts: readonly Part[],
    public place: Place,
    private readonly settleWith: (hold: SharedHold, used: readonly number[]) => void,
  ) {}

  settle(used: readonly number[]): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.place.own?.settle(used);
    this.settleWith(this, used);
  }
}

/** Before the client reads it, whose messages would repeat it. */
function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isClear =
    parsed !== null &&
    /^rediss?:$/.test(parsed.protocol) &&
    parsed.hostname !== '' &&
    /^\/?\d*$/.test(parsed.pathname) &&
    isDecodable(`${parsed.username}${parsed.password}`);
  if (!isClear)
    throw new GatewayError(
      'internal',
      'redis.url: must be redis://<user>:<password>@<host>:<port>/<number>; special characters of a password are written as %23, %25, %2F, %3F, %40',
    );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
