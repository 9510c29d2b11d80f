import { hasBudget } from '../../accounts/caller-limits.js';
import type { ObservedRequest } from '../observed-request.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import type { Store } from '../../store/contracts/store.js';
import { type KeptDays, Retention } from '../../store/retention.js';
import { WriteBehind, type WriteBehindReport } from '../../store/write-behind.js';
import { ChoiceTotals } from './choice-totals.js';
import { type Decision, decisionOf, type DecisionLinks, selectionRowOf } from './decision.js';
import { type FinishedRequest, finishedRequest, requestRowOf } from './finished-request.js';
import { type KeptContent, sizeInBytes } from './kept-content.js';
import { type SharedBeginning, SharedBeginnings } from './shared-beginnings.js';
import { loggedSurfaces } from '../../surface-labels.js';
import { MergingQueue } from '../../async/merging-queue.js';

/** Bounds of the request log, and where losses are reported. */
export interface RequestLogOptions {
  /** How many rows of one kind may wait for a database that is slow or away. */
  readonly maxQueued: number;
  /** How many days rows are kept, according to the configuration in force. */
  readonly keptDays: () => KeptDays;
  readonly report: WriteBehindReport;
}

const withRows: ReadonlySet<string> = new Set(loggedSurfaces);
/** How many bytes of content may wait, for each kind of row. */
const maxBytes = 64 * 1_048_576;
/** How many rows wait while an in-memory database has not been opened. */
const maxUnopened = 1_000;
const closeMs = 5_000;
const flushMs = 500;

/**
 * Writes the request log: takes finished requests and decisions without delay, writes them in
 * batches in the background, and deletes them when they are old.
 */
export class RequestLogWriter {
  private readonly requests: WriteBehind<FinishedRequest>;
  private readonly selections: WriteBehind<Decision>;
  private readonly choices: ChoiceTotals;
  private readonly keyUses: KeyUses;
  private readonly retention: Retention;
  private readonly beginnings = new SharedBeginnings();
  private salt: Buffer | null = null;

  constructor(
    private readonly databases: LazyDatabases,
    { maxQueued, keptDays, report }: RequestLogOptions,
  ) {
    this.keyUses = new KeyUses(databases);
    this.choices = new ChoiceTotals(databases, report);
    this.retention = new Retention(databases, { keptDays });
    const shared = {
      report,
      maxItems: maxQueued,
      maxBytes,
      maxUnopened: () => (databases.isVolatile && databases.now === null ? maxUnopened : null),
    };
    this.requests = new WriteBehind({
      ...shared,
      kind: 'requests',
      write: (requests) => this.writeRequests(requests),
      sizeOf: ({ contentBytes }) => contentBytes,
    });
    this.selections = new WriteBehind({
      ...shared,
      kind: 'selections',
      write: (decisions) => this.writeSelections(decisions),
      sizeOf: ({ content }) => sizeInBytes(content),
    });
  }

  /**
   * Takes a finished request. If the request log is switched off, writes only requests of keys with
   * a budget, and of them only what the sums need: the row prevents counting the request twice, and
   * with the sums a budget survives a restart.
   */
  addRequest(request: ObservedRequest): void {
    const { caller, surface, plan, isLogged } = request;
    if (caller.keyId) this.keyUses.mark(caller.keyId);
    if (surface === null || !withRows.has(surface)) return;
    // a rejected request has no known caller; one with a plan was let in by the host's own rules
    if (!request.isIdentified && plan === null) return;
    if (isLogged || hasBudget(caller)) this.requests.add(finishedRequest(request, !isLogged));
  }

  /** Takes a decision of model selection; does nothing if the request log is switched off. */
  addDecision(
    { caller, plan, isLogged, record: { content } }: ObservedRequest,
    links: Omit<DecisionLinks, 'content'>,
  ): void {
    if (plan === null || !isLogged) return;
    this.selections.add(decisionOf(plan, caller, { content, ...links }));
  }

  /** Writes what has been taken so far, so that it can be read; waits at most `flushMs`. */
  async flush(): Promise<void> {
    await Promise.all([this.requests.flush(flushMs), this.selections.flush(flushMs)]);
    await this.choices.flush(flushMs);
  }

  /** How many rows wait, by kind. */
  get queued(): Readonly<Record<string, number>> {
    return { requests: this.requests.size, selections: this.selections.size };
  }

  /** Whether the last write failed because the database was away. */
  get isAway(): boolean {
    return this.requests.isAway || this.selections.isAway;
  }

  /** Writes what it can within a few seconds. */
  async close(): Promise<void> {
    this.retention.close();
    await Promise.all([
      this.requests.close(closeMs),
      this.selections.close(closeMs),
      this.keyUses.close(closeMs),
    ]);
    await this.choices.close(closeMs);
  }

  private async writeRequests(finished: readonly FinishedRequest[]): Promise<void> {
    const { store } = await this.databases.get();
    const salt = await this.saltFor(
      store,
      finished.map(({ record }) => record.content),
    );
    const beginnings = finished.map((request) => this.beginningOf(request));
    await store.requests.add(
      finished.map((request, at) => requestRowOf(request, salt, beginnings[at]?.shared ?? null)),
    );
    for (const [at, { id }] of finished.entries()) beginnings[at]?.stored(id);
    for (const { caller, at, record, isBare } of finished) {
      const { accountId, keyId } = caller;
      const { choice } = record;
      if (choice !== null && !isBare) this.choices.count({ accountId, keyId, at, choice });
    }
    this.retention.noteWritten(finished.map(({ at }) => at));
  }

  private beginningOf({
    caller,
    record: { content },
    isBare,
  }: FinishedRequest): SharedBeginning | null {
    if (isBare || content?.kind !== 'text' || !Array.isArray(content.messages)) return null;
    return this.beginnings.of(caller.accountId, content.messages);
  }

  private async writeSelections(decisions: readonly Decision[]): Promise<void> {
    const { store } = await this.databases.get();
    const salt = await this.saltFor(
      store,
      decisions.map(({ content }) => content),
    );
    await store.selections.add(decisions.map((decision) => selectionRowOf(decision, salt)));
    for (const { accountId, keyId, at, choice } of decisions)
      if (choice) this.choices.count({ accountId, keyId, at, choice });
    this.retention.noteWritten(decisions.map(({ at }) => at));
  }

  /** The salt for hashes of content, the same on every replica; null: nothing to hash. */
  private async saltFor(
    store: Store,
    contents: readonly (KeptContent | null)[],
  ): Promise<Buffer | null> {
    if (!contents.some((content) => content?.kind === 'digest')) return null;
    return (this.salt ??= await store.secret('content-hash'));
  }
}

const writeEveryMs = 60_000;
const maxKeys = 100_000;
const maxBatch = 10_000;

/** When issued keys were last used; written once a minute. */
export class KeyUses extends MergingQueue<number> {
  /** @param everyMs how long uses are gathered before they are written */
  constructor(databases: LazyDatabases, everyMs = writeEveryMs) {
    super({
      maxItems: maxKeys,
      maxBatch,
      delayMs: everyMs,
      backoff: { firstMs: everyMs, maxMs: everyMs },
      merge: Math.max,
      // not reported: the next use of the key writes a newer time
      onLost: () => undefined,
      async write(usedAt) {
        const { store } = await databases.get();
        await store.keys.touch(usedAt);
      },
    });
  }

  /** Marks a key as used just now. Keys that the configuration fixes have no row to update. */
  mark(keyId: string): void {
    if (!keyId.startsWith('fixed:')) this.add(keyId, Date.now());
  }
}
