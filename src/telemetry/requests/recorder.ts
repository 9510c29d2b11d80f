import type { Caller } from '../../accounts/caller.js';
import type { ObservedRequest } from '../observed-request.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import type { Store } from '../../store/contracts/store.js';
import { WriteBehind, type WriteBehindReport } from '../../store/write-behind.js';
import { type Decision, decisionOf, type DecisionLinks, selectionRowOf } from './decision.js';
import { type FinishedRequest, finishedRequest, requestRowOf } from './finished-request.js';
import { type KeptContent, weightOf } from './kept-content.js';
import { KeyUses } from './key-uses.js';
import { Retention } from './retention.js';

/** What the recorder is told once. */
export interface RecorderOptions {
  /** The most records of one kind that wait for a database that is slow or away. */
  readonly maxQueued: number;
  /** How many days they are kept, as the configuration says now. */
  readonly keepDays: () => number;
  readonly report: WriteBehindReport;
}

/** Surfaces whose requests are told of one by one. */
const recorded: ReadonlySet<string> = new Set([
  'model_select',
  'completions',
  'openai',
  'direct',
  'embeddings',
  'proxy',
]);
/** Of content that waits, of each kind. */
const mostBytes = 64 * 1_048_576;
/** How many wait while a guest's memory has not been opened by anybody. */
const mostAtRest = 1_000;
const closeMs = 5_000;

/** Remembers requests and decisions: takes them without delay, writes them behind in batches, and removes them when they are old. */
export class Recorder {
  private readonly requests: WriteBehind<FinishedRequest>;
  private readonly selections: WriteBehind<Decision>;
  private readonly uses: KeyUses;
  private readonly retention: Retention;
  private salt: Buffer | null = null;

  constructor(
    private readonly backing: LazyDatabases,
    { maxQueued, keepDays, report }: RecorderOptions,
  ) {
    this.uses = new KeyUses(backing);
    this.retention = new Retention(backing, { keepDays });
    const shared = {
      report,
      most: maxQueued,
      mostBytes,
      mostAtRest: () => (backing.isVolatile && backing.now === null ? mostAtRest : null),
    };
    this.requests = new WriteBehind({
      ...shared,
      kind: 'requests',
      write: (records) => this.writeRequests(records),
      weigh: ({ weight }) => weight,
    });
    this.selections = new WriteBehind({
      ...shared,
      kind: 'selections',
      write: (records) => this.writeSelections(records),
      weigh: ({ content }) => weightOf(content),
    });
  }

  /**
   * Takes a request that is over. Where the configuration keeps no request log, only those of keys with a budget are written, and of those
   * only what their sums need: by its row a request is known not to be counted twice, and by the sums a budget outlives a restart.
   */
  request(request: ObservedRequest): void {
    const { caller, surface, plan, isLogged } = request;
    if (caller.keyId) this.uses.mark(caller.keyId);
    if (surface === null || !recorded.has(surface)) return;
    // a request that was refused for its key has no owner; one that a host let in by its own rules has a plan
    if (!request.isIdentified && plan === null) return;
    if (isLogged || hasBudget(caller)) this.requests.add(finishedRequest(request, !isLogged));
  }

  /** Takes a decision of model selection. Where the configuration keeps no request log it is forgotten. */
  decision(
    { caller, plan, isLogged, record: { content } }: ObservedRequest,
    links: Omit<DecisionLinks, 'content'>,
  ): void {
    if (plan === null || !isLogged) return;
    this.selections.add(decisionOf(plan, caller, { ...links, content }));
  }

  /** What has been taken so far is written, so that it can be read; waits no longer than the limit. */
  async settle(limitMs = 500): Promise<void> {
    await Promise.all([this.requests.flush(limitMs), this.selections.flush(limitMs)]);
  }

  /** How many records wait, by kind. */
  get queued(): Readonly<Record<string, number>> {
    return { requests: this.requests.size, selections: this.selections.size };
  }

  /** Writes what it can in a few seconds. */
  async close(): Promise<void> {
    this.retention.close();
    await Promise.all([
      this.requests.close(closeMs),
      this.selections.close(closeMs),
      withinMs(this.uses.write(), closeMs),
    ]);
    this.uses.close();
  }

  private async writeRequests(finished: readonly FinishedRequest[]): Promise<void> {
    const { store } = await this.backing.get();
    const salt = await this.saltFor(
      store,
      finished.map(({ record }) => record.content),
    );
    await store.requests.add(finished.map((request) => requestRowOf(request, salt)));
    this.retention.wrote(finished.map(({ at }) => at));
  }

  private async writeSelections(decisions: readonly Decision[]): Promise<void> {
    const { store } = await this.backing.get();
    const salt = await this.saltFor(
      store,
      decisions.map(({ content }) => content),
    );
    await store.selections.add(decisions.map((decision) => selectionRowOf(decision, salt)));
    this.retention.wrote(decisions.map(({ at }) => at));
  }

  /** What hashes of content are salted with, the same on every replica; null where none is asked for. */
  private async saltFor(
    store: Store,
    contents: readonly (KeptContent | null)[],
  ): Promise<Buffer | null> {
    if (!contents.some((content) => content?.kind === 'digest')) return null;
    return (this.salt ??= await store.secret('content-hash'));
  }
}

function hasBudget({ limits }: Caller): boolean {
  return limits.dayBudgetUsd !== null || limits.monthBudgetUsd !== null;
}

async function withinMs(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    work,
    new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs))),
  ]);
  clearTimeout(timer);
}
