import { setTimeout as wait } from 'node:timers/promises';
import { at, listAt, numberAt, textAt } from '../helpers/json.js';
import { ask } from '../helpers/sse.js';
import { type Ending, endings, type Outcome, sendRequest } from './client.js';
import { type ChaosProviders, costOf, startProviders } from './provider.js';
import { type KeyName, promptTokens, requestOf } from './script.js';
import { keyOf, redisPauses, type World, type WorldOptions } from './worlds.js';

export interface ChaosOptions {
  readonly requests: number;
  readonly seed: number;
  /** How many clients send at a time. */
  readonly clients: number;
  readonly world: (providersUrl: string, options: WorldOptions) => Promise<World>;
  readonly settings?: WorldOptions['settings'];
  readonly workers?: WorldOptions['workers'];
  /** Requests between two disturbances. */
  readonly calm?: number;
  /** How long requests are sent at most. */
  readonly minutes?: number;
  readonly onProgress?: (line: string) => void;
}

/** What a run showed. */
export interface ChaosReport {
  readonly requests: number;
  readonly seed: number;
  readonly seconds: number;
  readonly endings: Readonly<Record<Ending, number>>;
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<string, number>>;
  /** How often providers answered in each way. */
  readonly played: Readonly<Record<string, number>>;
  readonly disturbances: Readonly<Record<string, number>>;
  /**
   * How streams ended of which a call broke after its first content, without clients that left and
   * the key with a budget. Refused ones are not counted: their content came too late to be seen.
   */
  readonly brokenStreams: Readonly<Record<Ending, number>>;
  /** Why those did not end complete that were not cut, each with the number of its request. */
  readonly unfinished: readonly string[];
  /** Turns that were confirmed, and how many of them were looked up. */
  readonly confirmed: number;
  readonly lookedUp: number;
  /** The key with a budget: what it had, what providers billed for it, and its spend with holds. */
  readonly budgetUsd: number;
  readonly billedUsd: number;
  readonly countedUsd: number;
  /** What broke a promise, each with the number of its request. Empty: nothing did. */
  readonly violations: readonly string[];
}

/** In USD, as the API has it. */
interface Used {
  readonly costUsd: number;
  readonly estimatedUsd: number;
  readonly heldUsd: number;
}

const maxLookedUp = 20_000;
const maxUnfinished = 0.01;
/** Clients may see a kill so much before or after we have sent the signal. */
const aroundKillMs = 500;
/** What a killed replica had still to charge is not older. */
const unsettledMs = 2_000;

/** Sends all requests of a run and judges what came of them. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { requests, seed, workers = 1 } = options;
  const providers = await startProviders(seed);
  const budgetUsd = halfOfTheBill(seed, requests);
  const settings = options.settings ?? {};
  const world = await options.world(providers.url, { budgetUsd, settings, workers });
  const run = new ChaosRun(options, world, providers, budgetUsd);
  try {
    return await run.report();
  } finally {
    await world.close();
    await providers.close();
  }
}

/** So that the key `budget` spends it before the end. */
function halfOfTheBill(seed: number, requests: number): number {
  let tokens = 0;
  for (let id = 0; id < requests; id++) {
    const { key, pieces } = requestOf(seed, id);
    if (key === 'budget') tokens += promptTokens + pieces.length;
  }
  return Math.max(0.02, Math.round(tokens / 2) / 1e6);
}

const zeros = (): Record<Ending, number> =>
  Object.fromEntries(endings.map((ending) => [ending, 0])) as Record<Ending, number>;

class ChaosRun {
  private readonly violations: string[] = [];
  private readonly ended = zeros();
  private readonly statuses: Record<string, number> = {};
  private readonly disturbed: Record<string, number> = {};
  /** Of clients that stayed. */
  private readonly streams: Outcome[] = [];
  private readonly confirmed: { outcome: Outcome }[] = [];
  private readonly exact = { least: 0, unknown: 0 };
  private done = 0;
  private next = 0;
  private disturbing: Promise<void> = Promise.resolve();
  /** What was left of the budget by the request log when Redis paused first. */
  private leftUsd = 0;

  constructor(
    private readonly options: ChaosOptions,
    private readonly world: World,
    private readonly providers: ChaosProviders,
    private readonly budgetUsd: number,
  ) {}

  async report(): Promise<ChaosReport> {
    const { seed, clients, minutes = Infinity } = this.options;
    const startedAt = performance.now();
    const endAt = startedAt + minutes * 60_000;
    await Promise.all(Array.from({ length: clients }, () => this.client(endAt)));
    await this.disturbing;
    const seconds = (performance.now() - startedAt) / 1000;
    const lookedUp = await this.lookUpTurns();
    await this.checkExactKey();
    const billedUsd = this.billOf('budget');
    const countedUsd = await this.checkBudgetKey(billedUsd);
    const broken = this.streams.filter(({ request }) => this.providers.broken.has(request.id));
    const brokenStreams = zeros();
    for (const { ending } of broken) brokenStreams[ending]++;
    brokenStreams.refused = 0;
    this.checkContinued(brokenStreams);
    return {
      requests: this.done,
      seed,
      seconds,
      lookedUp,
      billedUsd,
      countedUsd,
      brokenStreams,
      unfinished: broken
        .filter(({ ending }) => ending === 'broken')
        .map(({ request, reason }) => `request ${request.id} (${request.surface}): ${reason}`),
      endings: this.ended,
      statuses: this.statuses,
      played: Object.fromEntries(this.providers.played),
      disturbances: this.disturbed,
      confirmed: this.confirmed.length,
      budgetUsd: this.budgetUsd,
      violations: this.violations,
    };
  }

  /** With `onBrokenStream: continue`, of a hundred streams that broke one may fail. */
  private checkContinued({ complete, broken }: Readonly<Record<Ending, number>>): void {
    const { settings } = this.options;
    if (textAt(settings, 'limits', 'onBrokenStream') !== 'continue') return;
    const all = complete + broken;
    if (broken > Math.max(1, all * maxUnfinished))
      this.violate(`${broken} of ${all} streams that broke after their first content did not end`);
  }

  private async client(endAt: number): Promise<void> {
    const { requests, seed, calm = Infinity, settings } = this.options;
    const resumes = numberAt(settings, 'limits', 'resumeMs') > 0;
    while (this.next < requests && performance.now() < endAt) {
      const id = this.next++;
      if (id > 0 && id % calm === 0) this.disturb(id / calm - 1);
      const request = requestOf(seed, id);
      this.judge(await sendRequest(this.world.url, keyOf(request.key), request, resumes));
      this.done++;
      if (this.done % 1000 === 0)
        this.options.onProgress?.(`${this.done} requests, ${this.violations.length} violations`);
    }
  }

  /** One after the other, in turn. */
  private disturb(turn: number): void {
    const { disturbances } = this.world;
    const [name, happen] = disturbances[turn % disturbances.length] ?? [];
    if (name === undefined || happen === undefined) return;
    this.disturbing = this.disturbing.then(async () => {
      const earlier = this.disturbed[name] ?? 0;
      this.disturbed[name] = earlier + 1;
      if (name === redisPauses && earlier === 0)
        this.leftUsd = this.budgetUsd - (countedOf(await this.usageOf('budget')) || 0);
      const complaint = await happen();
      if (complaint !== null) this.violate(complaint);
    });
  }

  private violate(what: string): void {
    this.violations.push(what);
  }

  private judge(outcome: Outcome): void {
    const { request, ending, text, status, fault, reason } = outcome;
    const { id, surface, streams } = request;
    const name = `request ${id} (${surface}${streams ? ', streamed' : ''})`;
    this.ended[ending]++;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const expected = request.pieces.join('');
    if (fault !== null) this.violate(`${name}: ${fault}`);
    if (ending === 'complete' && text !== expected)
      this.violate(`${name}: ${difference(text, expected)}`);
    if (ending !== 'complete' && !expected.startsWith(text))
      this.violate(`${name}, ${ending}: ${difference(text, expected)}`);
    if (ending === 'cut' && !this.isAroundKill(outcome))
      this.violate(`${name}: the connection was cut and no replica was killed: ${reason}`);
    // a spent budget ends streams too
    if (streams && ending !== 'left' && request.key !== 'budget') this.streams.push(outcome);
    if (ending === 'complete' && outcome.stored !== null) this.confirmed.push({ outcome });
    if (request.key === 'exact') this.countExact(outcome);
  }

  private isAroundKill({ startedAt, endedAt }: Outcome): boolean {
    return this.world.kills.some(
      ({ at }) => startedAt < at + aroundKillMs && endedAt > at - aroundKillMs,
    );
  }

  /** Every turn that was confirmed is there, with the whole answer, once. */
  private async lookUpTurns(): Promise<number> {
    const step = Math.max(1, this.confirmed.length / maxLookedUp);
    const chosen = Array.from(
      { length: Math.min(this.confirmed.length, maxLookedUp) },
      (_, index) => this.confirmed[Math.floor(index * step)]!.outcome,
    );
    const waiting = [...chosen];
    const look = async (): Promise<void> => {
      for (let outcome = waiting.pop(); outcome; outcome = waiting.pop())
        await this.lookUpTurn(outcome);
    };
    await Promise.all(Array.from({ length: 8 }, look));
    return chosen.length;
  }

  private async lookUpTurn({ request, stored }: Outcome): Promise<void> {
    const { conversationId, messageId } = stored!;
    const { status, json } = await ask(
      'GET',
      `${this.world.url}/api/v1/conversations/${conversationId}/messages`,
      { authorization: `Bearer ${keyOf(request.key)}` },
    );
    const answers = listAt(json, 'items').filter(
      (message) => textAt(message, 'role') === 'assistant',
    );
    const [answer] = answers;
    const text = textAt(answer, 'content') || textAt(answer, 'content', 0, 'text');
    const isThere =
      answers.length === 1 &&
      textAt(answer, 'id') === messageId &&
      text === request.pieces.join('');
    if (!isThere)
      this.violate(
        `request ${request.id}: its confirmed turn ${conversationId} is not stored as answered: ${status} ${JSON.stringify(json).slice(0, 300)}`,
      );
  }

  private countExact({ ending, request, status }: Outcome): void {
    const cost = (promptTokens + request.pieces.length) * 1e-6;
    if (ending === 'complete') this.exact.least += cost;
    else if (status === 0 || status === 200) this.exact.unknown += cost;
  }

  /** The spend of the key `exact` is what its answers cost, but for what died with a replica. */
  private async checkExactKey(): Promise<void> {
    const { least, unknown } = this.exact;
    const lost = this.world.kills.length > 0 ? Infinity : 0;
    await this.settledUsage(
      'exact',
      ({ costUsd, estimatedUsd }) => {
        const billed = costUsd - estimatedUsd;
        return billed <= least + unknown + 1e-9 && (billed >= least - 1e-9 || lost > 0);
      },
      `answers of ${least} to ${least + unknown} USD`,
    );
  }

  /**
   * What a budget counts, the spend and what is held, is never less than what providers billed, and
   * never more than the budget. While Redis pauses, each process counts for itself: each but one can
   * spend once more what was left of the budget.
   */
  private async checkBudgetKey(billedUsd: number): Promise<number> {
    const mostUsd = this.budgetUsd + (this.world.processes - 1) * Math.max(0, this.leftUsd);
    const used = await this.settledUsage(
      'budget',
      (now) => countedOf(now) >= billedUsd - 1e-9 && countedOf(now) <= mostUsd + 1e-9,
      `a budget of ${this.budgetUsd} USD (at most ${mostUsd}) and bills of ${billedUsd} USD`,
    );
    return countedOf(used);
  }

  /** The usage of a key, once it is right and all of it is written. */
  private async settledUsage(
    key: KeyName,
    isRight: (used: Used) => boolean,
    expected: string,
  ): Promise<Used> {
    const deadline = performance.now() + 20_000;
    for (;;) {
      const used = await this.usageOf(key);
      if (isRight(used)) return used;
      if (performance.now() > deadline) {
        this.violate(`the key ${key}, with ${expected}, has ${JSON.stringify(used)}`);
        return used;
      }
      await wait(200);
    }
  }

  /** As the request log has it now; NaN: it does not answer. */
  private async usageOf(key: KeyName): Promise<Used> {
    const url = `${this.world.url}/api/v1/usage?by=key`;
    const { json } = await ask('GET', url, { authorization: `Bearer ${keyOf(key)}` });
    const rows = at(json, 'items') === undefined ? [{ costUsd: NaN }] : listAt(json, 'items');
    const sum = (name: keyof Used): number =>
      rows.reduce<number>((total, row) => total + numberAt(row, name), 0);
    return {
      costUsd: sum('costUsd'),
      estimatedUsd: sum('estimatedUsd'),
      heldUsd: sum('heldUsd'),
    };
  }

  /** What providers billed for a key, without what a killed replica had under way. */
  private billOf(key: string): number {
    let sum = 0;
    for (const [id, calls] of this.providers.billed) {
      if (requestOf(this.options.seed, id).key !== key) continue;
      for (const call of calls) {
        const died = this.world.kills.some(
          ({ replica, at: killedAt }) =>
            replica === call.replica &&
            call.startedAt < killedAt &&
            (call.endedAt ?? Infinity) > killedAt - unsettledMs,
        );
        if (!died) sum += costOf(call);
      }
    }
    return sum;
  }
}

/** What a budget counts. */
const countedOf = ({ costUsd, heldUsd }: Used): number => costUsd + heldUsd;

/** Where two texts part. */
function difference(text: string, expected: string): string {
  let same = 0;
  while (same < text.length && text[same] === expected[same]) same++;
  const show = (whole: string): string =>
    JSON.stringify(whole.slice(Math.max(0, same - 20), same + 40));
  return `the text (${text.length} of ${expected.length}) differs at ${same}: ${show(text)} in place of ${show(expected)}`;
}
