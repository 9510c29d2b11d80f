import { randomUUID } from 'node:crypto';
import { messageOf } from '../../errors.js';
import type { Caller } from '../../accounts/caller.js';
import { daysOf, isMoney, type LimitStatus, spenderOf } from '../../accounts/caller-limits.js';
import type { AlertRow, NewAlert } from '../../store/contracts/alerts.js';
import type { Store } from '../../store/contracts/store.js';

/** What alerts are sent for. */
export interface AlertRules {
  /** The spent share of a budget at which it is reported; 1: when it is spent. Null: never. */
  readonly budgetShare: number | null;
  /** The share of calls that a provider fails within a quarter of an hour; null: never. */
  readonly errorRate: number | null;
  /** Whether a provider or model whose circuit is open is reported. */
  readonly providerDown: boolean;
  /** Whether each new API key is reported. */
  readonly newKey: boolean;
  /** How often the conditions are checked. */
  readonly everySeconds: number;
}

/** A recipient of alerts: a mail address, or a webhook. */
export interface AlertChannel {
  readonly name: string;
  send(alert: NewAlert): Promise<void>;
}

/** The health of a provider, as this process sees it. */
export interface WatchedProvider {
  readonly name: string;
  /** Calls of the last quarter of an hour, and how many of them the provider failed. */
  readonly attempts: number;
  readonly failures: number;
  /** Its open circuits, of the provider itself or of models, and why they opened. */
  readonly down: readonly { readonly name: string; readonly why: string }[];
}

/** What alerts are computed from, and where they go. */
export interface AlertSources {
  /** According to the configuration in force; null: there are no alerts. */
  readonly rules: () => AlertRules | null;
  readonly channels: () => readonly AlertChannel[];
  readonly providers: () => readonly WatchedProvider[];
  /** @throws GatewayError `unavailable` */
  readonly store: () => Promise<Store>;
  readonly warn: (warning: string) => void;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const keptMs = 90 * dayMs;
/** The fewest calls for which an error rate is reported. */
const minCalls = 20;
const maxAttempts = 5;
/** How many alerts are sent in an hour; more are only stored. */
const maxPerHour = 30;
const maxNoted = 1_000;
/** How old a new key may be when it is found, for example after an outage of the database. */
const newKeyMs = hourMs;

/** A budget that was nearly spent or reserved when a request last reserved from it. */
interface NotedBudget {
  readonly since: number;
  readonly caller: Caller;
  readonly status: LimitStatus;
}

type Found = Omit<NewAlert, 'at'>;
type SentAlert = NewAlert & Pick<AlertRow, 'sentTo'>;

interface Sent {
  readonly sentTo: readonly string[];
  /** Null: all channels have taken it. */
  readonly error: string | null;
}

/**
 * Checks the conditions of alerts, and sends each alert once over all replicas: the process that
 * adds its row sends it. An alert that a channel did not take is retried, five times at most.
 */
export class AlertWatch {
  private readonly noted = new Map<string, NotedBudget>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly sources: AlertSources) {
    this.schedule();
  }

  /** Call with the limits of each request after its reservation; costs a comparison for each. */
  noteUse(caller: Caller, statuses: readonly LimitStatus[]): void {
    const share = this.sources.rules()?.budgetShare ?? null;
    if (share === null) return;
    for (const status of statuses)
      if (
        isMoney(status.measure) &&
        reaches(status.used, share * status.limit) &&
        this.noted.size < maxNoted
      )
        this.noted.set(`${subjectOf(caller, status)}/${status.measure}`, {
          caller,
          status,
          since: Date.now(),
        });
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Checks all conditions, and sends alerts that are new or were not taken. Never rejects. */
  async check(now = Date.now()): Promise<void> {
    const rules = this.sources.rules();
    if (rules === null) return;
    try {
      const store = await this.sources.store();
      const found = [
        ...(await this.budgets(store, rules, now)),
        ...this.providers(rules, now),
        ...(rules.newKey ? await newKeys(store, now) : []),
      ];
      for (const alert of found) await store.alerts.add({ ...alert, at: now });
      await this.send(store, now);
      await store.alerts.removeBefore(now - keptMs);
    } catch (error) {
      this.sources.warn(`alerts: ${messageOf(error)}`);
    }
  }

  /** Sends an alert that says it is a test, to all channels at once; it is listed like others. */
  async sendTest(): Promise<Sent> {
    const now = Date.now();
    const { alerts } = await this.sources.store();
    const id = `test/${randomUUID()}`;
    const text = 'This is a test: alerts arrive.';
    const alert = { id, at: now, kind: 'test', text, attempts: 0, sentTo: [] } as const;
    await alerts.add(alert);
    await alerts.begin(alert, now);
    return this.attempt(alerts, alert, now);
  }

  private schedule(): void {
    const seconds = this.sources.rules()?.everySeconds ?? 60;
    this.timer = setTimeout(() => {
      void this.check().then(() => {
        if (this.timer) this.schedule();
      });
    }, seconds * 1_000).unref();
  }

  /** Alerts for the noted budgets whose share is spent, not only reserved. */
  private async budgets(
    { requests, accounts }: Store,
    { budgetShare }: AlertRules,
    now: number,
  ): Promise<Found[]> {
    const found: Found[] = [];
    for (const [name, { caller, status, since }] of this.noted) {
      const { owner, measure, limit } = status;
      const days = daysOf({ measure, since });
      const spent = await requests.spentUsd(spenderOf(caller, owner), ...days);
      const level = reaches(spent, limit) ? 1 : (budgetShare ?? 1);
      // until then it is checked again: what is reserved now is spent later
      if (level === 1 || since < now - dayMs) this.noted.delete(name);
      if (!reaches(spent, level * limit)) continue;
      const whose =
        owner === 'key'
          ? `The API key "${caller.name}"`
          : `The account ${(await accounts.find(caller.accountId))?.email ?? caller.accountId}`;
      const period = measure === 'usd_day' ? 'the day' : 'the month';
      const percent = Math.round((100 * spent) / limit);
      found.push({
        id: `budget/${name}/${days[0]}/${level}`,
        kind: 'budget',
        text: `${whose} has spent ${spent.toFixed(2)} of ${limit} USD of its budget of ${period} (${percent} %).`,
      });
    }
    return found;
  }

  /** Alerts for providers: at most one an hour of each kind for each. */
  private providers({ errorRate, providerDown }: AlertRules, now: number): Found[] {
    const hour = new Date(now).toISOString().slice(0, 13);
    return this.sources.providers().flatMap(({ name, attempts, failures, down }): Found[] => {
      if (providerDown && down.length > 0)
        return down.map((one) => ({
          id: `provider_down/${one.name}/${hour}`,
          kind: 'provider_down',
          text: `${one.name} is not asked any more: ${one.why}`,
        }));
      if (errorRate === null || attempts < minCalls || failures < errorRate * attempts) return [];
      const percent = Math.round((100 * failures) / attempts);
      return [
        {
          id: `error_rate/${name}/${hour}`,
          kind: 'error_rate',
          text: `The provider ${name} has failed ${failures} of ${attempts} calls within 15 minutes (${percent} %).`,
        },
      ];
    });
  }

  private async send({ alerts }: Store, now: number): Promise<void> {
    const waiting = await alerts.unsent(now - hourMs, now - minuteMs / 2);
    const lately = await alerts.count(now - hourMs);
    for (const alert of waiting) {
      if (alert.kind === 'test' || alert.attempts >= maxAttempts) continue;
      if (!(await alerts.begin(alert, now))) continue;
      const { error } = await this.attempt(alerts, alert, now, lately > maxPerHour);
      if (error !== null) this.sources.warn(`alerts: ${error}`);
    }
  }

  private async attempt(
    alerts: Store['alerts'],
    alert: SentAlert,
    now: number,
    isTooMany = false,
  ): Promise<Sent> {
    const result = isTooMany
      ? { sentTo: [], error: `not sent: more than ${maxPerHour} alerts within an hour` }
      : await sendTo(this.sources.channels(), alert);
    await alerts.finish({ id: alert.id, sentAt: result.error === null ? now : null, ...result });
    return result;
  }
}

async function sendTo(channels: readonly AlertChannel[], alert: SentAlert): Promise<Sent> {
  const sentTo = [...alert.sentTo];
  const errors = channels.length > 0 ? [] : ['neither a mail address nor a webhook is configured'];
  for (const channel of channels.filter(({ name }) => !sentTo.includes(name)))
    try {
      await channel.send(alert);
      sentTo.push(channel.name);
    } catch (error) {
      errors.push(messageOf(error));
    }
  return { sentTo, error: errors.length > 0 ? errors.join('; ') : null };
}

async function newKeys({ audit }: Store, now: number): Promise<Found[]> {
  const { items } = await audit.list(
    { act: 'key.create', from: now - newKeyMs },
    { limit: 100, cursor: null },
  );
  return items.map(({ target, actor, details }) => {
    const { name = '' } = (details ?? {}) as { name?: string };
    const text = `${actor} has created the API key "${name}".`;
    return { id: `new_key/${target ?? ''}`, kind: 'new_key', text };
  });
}

/** Floating-point sums of money may fall short of the exact sum by less than a nanodollar. */
const reaches = (usd: number, bound: number): boolean => usd > bound - 1e-9;

const subjectOf = ({ keyId, accountId }: Caller, { owner }: LimitStatus): string =>
  owner === 'key' && keyId !== null ? `key:${keyId}` : `account:${accountId}`;
