import { randomBytes } from 'node:crypto';
import { GatewayError } from '../../../errors.js';
import type {
  Counters,
  CountersState,
  LimitCharge,
  LoginBackoff,
  Reservation,
  ReserveResult,
} from '../../contracts/counters.js';
import { settledAmount } from '../period.js';
import { MemoryLimits } from '../memory/limits.js';
import { RedisAnswerLogs } from './answer-logs.js';
import { RedisPubSub } from './pub-sub.js';
import { RedisFailures } from './failures.js';
import { counterKey, partsOf, RedisLimits, type ReservationPart } from './limits.js';
import { RedisLink } from './link.js';
import { type LiveReservation, LiveReservations } from './live-reservations.js';
import { RedisRecentLists } from './recent-lists.js';
import { allScripts } from './scripts.js';
import { Settlements } from './settlements.js';
import { parseUrl } from '../../../text/parse-url.js';

export interface RedisCountersOptions {
  /** Prefix of all keys and channels; `signalbox:` if absent. */
  readonly prefix?: string;
  /** Called when Redis goes away or comes back, and if it is away from the start. */
  readonly onState?: (state: CountersState) => void;
  /** Gets a message when Redis is away or numbers are lost. */
  readonly onWarning?: (warning: string) => void;
  /** Gets a message when Redis can be used. */
  readonly onNews?: (news: string) => void;
  /** Epoch ms; replaces Redis's own clock, for tests. */
  readonly now?: () => number;
  /** How long Redis keeps the reservations of a crashed process, in ms. */
  readonly leaseMs?: number;
}

const drainMs = 1_000;
/** While Redis is away, how long a replica does not know what others spend. */
const apartMs = 5_000;
/** Notes of processes that live may expire in a longer absence. */
const maxNoteGapMs = 20_000;
/** The topic on which replicas publish the key of a budget whose spending was set. */
const spentTopic = 'budget-seeded';

/**
 * Counters that replicas share through Redis or Valkey (6 or later) at `redis://…` or `rediss://…`.
 * While Redis cannot be reached, from the start if need be, each replica counts for itself;
 * reservations and spending are carried over in both directions.
 * @throws GatewayError `internal` for an invalid address
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
  readonly pubSub: RedisPubSub;
  readonly recentLists: RedisRecentLists;
  readonly answerLogs: RedisAnswerLogs;
  private readonly link: RedisLink;
  private readonly limits: RedisLimits;
  private readonly failures: RedisFailures;
  private readonly reservations: LiveReservations<SharedReservation>;
  private readonly settlements: Settlements;
  private readonly processId = randomBytes(9).toString('base64url');
  private readonly prefix: string;
  private readonly now: () => number;
  /** Counts while Redis is away. */
  private local: MemoryLimits;
  private lastReservation = 0;
  private awaySince = Infinity;

  constructor(
    url: string,
    private readonly options: RedisCountersOptions,
  ) {
    const { prefix = 'signalbox:', now, leaseMs = 30_000, onWarning = () => undefined } = options;
    const channel = `${prefix}bulletin`;
    this.prefix = prefix;
    this.now = now ?? Date.now;
    this.local = new MemoryLimits(this.now, apartMs);
    const link = new RedisLink({
      url,
      channel,
      probeKey: `${prefix}probe`,
      scripts: allScripts,
      time: () => (now ? String(Math.floor(now())) : '-1'),
      onUp: () => this.useRedis(),
      onDown: (reason) => this.fallBack(reason),
      onMessage: (text) => this.pubSub.receive(text),
    });
    this.link = link;
    this.limits = new RedisLimits(link, prefix, leaseMs);
    this.failures = new RedisFailures(link, prefix, this.now);
    this.reservations = new LiveReservations(link, leaseMs);
    this.settlements = new Settlements(link, this.processId, onWarning);
    this.recentLists = new RedisRecentLists(link, prefix, this.now);
    this.answerLogs = new RedisAnswerLogs(link, prefix);
    this.pubSub = new RedisPubSub(link, channel, this.processId, onWarning);
    this.pubSub.subscribe(spentTopic, (key) => this.reservations.renew(key));
  }

  open(): Promise<void> {
    return this.link.open();
  }

  async reserve(charges: readonly LimitCharge[]): Promise<ReserveResult> {
    return this.link.isUp && charges.length > 0
      ? this.reserveShared(charges)
      : this.reserveLocally(charges);
  }

  async setSpent(charge: Parameters<Counters['setSpent']>[0], used: number): Promise<void> {
    try {
      await this.limits.setSpent(charge, used);
    } catch {
      // never both: the memory would miss what Redis counts from now on
      this.local.setSpent(charge, used);
      return;
    }
    // Redis may have lost the budget, and then its reservations too
    const key = counterKey(this.prefix, charge);
    this.reservations.renew(key);
    this.pubSub.publish(spentTopic, key);
  }

  countFailure(subject: string): Promise<LoginBackoff> {
    return this.failures.countFailure(subject);
  }

  loginBackoff(subject: string): Promise<LoginBackoff> {
    return this.failures.loginBackoff(subject);
  }

  clearFailures(subject: string): Promise<void> {
    return this.failures.clearFailures(subject);
  }

  async close(): Promise<void> {
    this.reservations.close();
    this.recentLists.flush();
    await this.settlements.drain(drainMs);
    this.link.close();
  }

  private async reserveShared(charges: readonly LimitCharge[]): Promise<ReserveResult> {
    const id = this.nextId();
    try {
      const answer = await this.limits.reserve(id, charges);
      if (answer.outcome !== 'granted') return answer;
      // the connection may have been lost since the answer
      const local = this.link.isUp ? null : this.local.reserveUnchecked(charges);
      const reservation = this.keep(id, charges, answer.now, { local, isShared: true });
      return { outcome: 'granted', used: answer.used, reservation };
    } catch {
      return this.reserveLocally(charges);
    }
  }

  private reserveLocally(charges: readonly LimitCharge[]): ReserveResult {
    const result = this.local.reserve(charges);
    if (result.outcome !== 'granted') return result;
    const place = { local: result.reservation, isShared: false };
    return { ...result, reservation: this.keep(this.nextId(), charges, this.now(), place) };
  }

  private keep(
    id: string,
    charges: readonly LimitCharge[],
    at: number,
    place: Place,
  ): SharedReservation {
    const parts = partsOf(this.prefix, charges, at);
    const reservation = new SharedReservation(id, charges, parts, place, this.settle);
    this.reservations.add(reservation);
    return reservation;
  }

  private nextId(): string {
    return `${this.processId}:${(++this.lastReservation).toString(36)}`;
  }

  private readonly settle = (reservation: SharedReservation, used: readonly number[]): void => {
    this.reservations.delete(reservation);
    const parts = reservation.parts.map((part, index) => ({
      ...part,
      used: settledAmount(used[index], part.amount),
    }));
    if (reservation.place.isShared) this.settlements.settle(reservation.id, parts);
    else this.settlements.settleUnreserved(parts);
  };

  private useRedis(): void {
    for (const reservation of this.reservations.values())
      reservation.place = { local: null, isShared: true };
    // before any request reserves
    this.settlements.resume();
    this.reservations.renew();
    this.recentLists.flush();
    const awayMs = performance.now() - this.awaySince;
    this.awaySince = Infinity;
    void this.answerLogs.unsettledMs(awayMs > maxNoteGapMs).catch(() => undefined);
    this.setState('redis');
    this.options.onNews?.('Redis is available: replicas share limits');
  }

  private fallBack(reason: string): void {
    this.options.onWarning?.(
      `Redis is unavailable (${reason}): each process counts limits for itself`,
    );
    if (this.awaySince < Infinity) return;
    this.awaySince = performance.now();
    // what an earlier outage has counted is out of date
    this.local = new MemoryLimits(this.now, apartMs);
    for (const reservation of this.reservations.values())
      reservation.place = {
        ...reservation.place,
        local: this.local.reserveUnchecked(reservation.charges),
      };
    this.setState('fallback');
  }

  private setState(state: CountersState): void {
    this.state = state;
    this.options.onState?.(state);
  }
}

/** Where a reservation is counted: in this process's memory, in Redis, or both. */
interface Place {
  readonly local: Reservation | null;
  readonly isShared: boolean;
}

class SharedReservation implements Reservation, LiveReservation {
  private isSettled = false;

  constructor(
    readonly id: string,
    readonly charges: readonly LimitCharge[],
    readonly parts: readonly ReservationPart[],
    public place: Place,
    private readonly settleWith: (reservation: SharedReservation, used: readonly number[]) => void,
  ) {}

  settle(used: readonly number[]): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.place.local?.settle(used);
    this.settleWith(this, used);
  }
}

/** Called before the client parses the address, because its errors would contain it. */
function checkUrl(url: string): void {
  const parsed = parseUrl(url);
  const isValid =
    parsed !== null &&
    /^rediss?:$/.test(parsed.protocol) &&
    parsed.hostname !== '' &&
    /^\/?\d*$/.test(parsed.pathname) &&
    isDecodable(`${parsed.username}${parsed.password}`);
  if (!isValid)
    throw new GatewayError(
      'internal',
      'redis.url: must be redis://<user>:<password>@<host>:<port>/<number>; percent-encode special characters of the password (%23, %25, %2F, %3F, %40)',
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
