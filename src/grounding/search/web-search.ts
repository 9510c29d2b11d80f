import { abortError } from '../../async/until-aborted.js';
import { Breaker } from '../../dispatch/breaker.js';
import { KeyRing } from '../../dispatch/key-ring.js';
import { GatewayError } from '../../errors.js';
import { EngineClient } from './engine-client.js';
import { costOfAttempt, isOfKey, pause, startRest, waitOf } from './engine-failures.js';
import { readResults } from './read-results.js';
import { SearchCache, searchKey } from './search-cache.js';
import type { SearchEngine, SearchQuery, SearchResult } from './search-engine.js';
import { SharedCalls } from './shared-calls.js';

/** One call of an engine, or an answer from the cache. */
export interface SearchAttempt {
  readonly engine: string;
  readonly ms: number;
  /** The engine's HTTP status; null if it did not answer, or was not asked. */
  readonly status: number | null;
  /** Null: it answered. */
  readonly error: GatewayError | null;
  /** How many results there were. */
  readonly results: number;
  /** True: nothing was sent, because an equal search was answered a moment ago or was in progress. */
  readonly cached: boolean;
  /** What the engine charges by the configured price; null: unknown. */
  readonly costUsd: number | null;
}

/** What a search found. */
export interface SearchAnswer {
  /** Best first, by the engine's own ranking; each page once. */
  readonly results: readonly SearchResult[];
  /** The engine that found them. */
  readonly engine: string;
}

/** How one search is done. */
export interface SearchOptions {
  readonly signal?: AbortSignal;
  /** Only this engine is asked. Default: all, in order, until one answers. */
  readonly engine?: string | null;
  /** Whether the next engine is asked when one finds nothing. Default false. */
  readonly continuesOnEmpty?: boolean;
  /** Receives each attempt when it is over. */
  readonly onAttempt?: (attempt: SearchAttempt) => void;
}

/** What a web search is made of. */
export interface WebSearchOptions {
  /** In the order in which they are asked. */
  readonly engines: readonly SearchEngine[];
  /** How long an answer is used for equal searches; 0: not at all. */
  readonly cacheMs: number;
  /** In ms since 1970, for the ages of pages. */
  readonly wallClock?: () => number;
  /** In ms; must never go back. */
  readonly now?: () => number;
}

/** A rate limit that ends sooner is waited for where no other engine answers. */
const maxWaitMs = 2_000;
const maxTurns = 3;

interface EngineKeys {
  readonly engine: SearchEngine;
  readonly keys: KeyRing;
  /** Which keys rest. */
  breaker: Breaker;
}

interface Failure {
  readonly entry: EngineKeys;
  readonly error: GatewayError;
}

/**
 * Searches the web with one of several engines. Where one fails, it asks the next. An engine that
 * failed rests for a while: until then it is asked only if no other one answers. Equal searches
 * share one call, and its answer for some minutes.
 */
export class WebSearch {
  private readonly entries: readonly EngineKeys[];
  private readonly client = new EngineClient();
  private readonly cache: SearchCache;
  private readonly calls = new SharedCalls<readonly SearchResult[]>();
  private closed: Promise<void> | undefined;
  private readonly now: () => number;
  private readonly wallClock: () => number;

  constructor({ engines, cacheMs, wallClock = Date.now, now }: WebSearchOptions) {
    this.now = now ?? (() => performance.now());
    this.wallClock = wallClock;
    this.entries = engines.map((engine) => ({
      engine,
      keys: new KeyRing(engine.apiKeys),
      breaker: new Breaker(null, undefined, this.now),
    }));
    this.cache = new SearchCache(cacheMs, this.now);
  }

  /** The engines' names, in order. */
  get engineNames(): readonly string[] {
    return this.entries.map(({ engine }) => engine.name);
  }

  /**
   * The results of the first engine that answers.
   * @throws GatewayError `not_configured` if there is no such engine, the only engine's own failure,
   * `all_failed` if several failed, or the reason of the signal
   */
  async search(query: SearchQuery, options: SearchOptions = {}): Promise<SearchAnswer> {
    const failures: Failure[] = [];
    let empty: SearchAnswer | null = null;
    for (const entry of this.entriesFor(options.engine ?? null)) {
      if (empty && !isAwake(entry)) break;
      const answer = await this.askEngine(entry, query, options).catch((error: unknown) => {
        if (!(error instanceof GatewayError) || options.signal?.aborted) throw error;
        failures.push({ entry, error });
        return null;
      });
      if (answer && (answer.results.length > 0 || !options.continuesOnEmpty)) return answer;
      empty ??= answer;
    }
    return empty ?? this.askAgain(failures, query, options);
  }

  /** The keys that rest in the earlier search rest here too, where the same engine has them. */
  inheritRests(earlier: WebSearch): void {
    for (const entry of this.entries) {
      const before = earlier.entries.find(({ engine }) => engine.name === entry.engine.name);
      entry.breaker = before?.breaker ?? entry.breaker;
    }
  }

  /** Waits for the calls in progress, then closes the connections. May be called again. */
  close(): Promise<void> {
    return (this.closed ??= this.client.close());
  }

  /** The engines to ask, in order: those that do not rest, then the others as a last resort. */
  private entriesFor(name: string | null): readonly EngineKeys[] {
    const entries =
      name === null ? this.entries : this.entries.filter(({ engine }) => engine.name === name);
    if (entries.length === 0)
      throw new GatewayError(
        'not_configured',
        name === null ? 'no search engine is configured' : `there is no search engine ${name}`,
      );
    return [...entries.filter(isAwake), ...entries.filter((entry) => !isAwake(entry))];
  }

  /** Waits for a rate limit that ends soon and asks that engine again, a few times. */
  private async askAgain(
    failures: readonly Failure[],
    query: SearchQuery,
    options: SearchOptions,
  ): Promise<SearchAnswer> {
    const limited = failures.find(({ error }) => waitOf(error) <= maxWaitMs);
    if (!limited) throw failures.length === 1 ? failures[0]!.error : allFailed(failures);
    let { error } = limited;
    for (let turn = 0; turn < maxTurns && waitOf(error) <= maxWaitMs; turn++) {
      // searches that were refused together should not come back together
      await pause(waitOf(error) * (1 + turn + Math.random()), options.signal);
      try {
        return await this.askEngine(limited.entry, query, options);
      } catch (failure) {
        if (!(failure instanceof GatewayError)) throw failure;
        error = failure;
      }
    }
    throw error;
  }

  /** Asks one engine, with its next key where one is refused. */
  private async askEngine(
    entry: EngineKeys,
    query: SearchQuery,
    options: SearchOptions,
  ): Promise<SearchAnswer> {
    const tried: (string | null)[] = [];
    for (;;) {
      const key = entry.keys.next(tried, null, (mark) => entry.breaker.restUntil('', mark));
      tried.push(key);
      try {
        const results = await this.attempt(entry, query, key, options);
        return { results, engine: entry.engine.name };
      } catch (error) {
        if (!(error instanceof GatewayError) || !isOfKey(error)) throw error;
        if (tried.length >= entry.keys.size || !isAwake(entry)) throw error;
      }
    }
  }

  private async attempt(
    entry: EngineKeys,
    query: SearchQuery,
    apiKey: string | null,
    { signal = new AbortController().signal, onAttempt }: SearchOptions,
  ): Promise<readonly SearchResult[]> {
    const { engine } = entry;
    const startedAt = this.now();
    const key = searchKey(engine.name, query);
    let cached = true;
    const ask = (shared: AbortSignal): Promise<readonly SearchResult[]> => {
      cached = false;
      return this.call(entry, query, apiKey, shared, key);
    };
    const report = (results: number, error: GatewayError | null): void =>
      onAttempt?.({
        engine: engine.name,
        ms: this.now() - startedAt,
        status: error ? error.upstreamStatus : cached ? null : 200,
        error,
        results,
        cached,
        costUsd: cached ? 0 : costOfAttempt(engine, error),
      });
    try {
      const results = this.cache.get(key) ?? (await this.calls.join(key, signal, ask));
      report(results.length, null);
      return results;
    } catch (error) {
      const failure = signal.aborted ? abortError(signal) : error;
      if (failure instanceof GatewayError) report(0, failure);
      throw failure;
    }
  }

  private async call(
    { engine, keys, breaker }: EngineKeys,
    query: SearchQuery,
    apiKey: string | null,
    signal: AbortSignal,
    cacheKey: string,
  ): Promise<readonly SearchResult[]> {
    try {
      const raw = await this.client.ask(engine, query, apiKey, signal);
      const results = readResults(raw, {
        query,
        engine: engine.name,
        dropsOld: !engine.dialect.appliesRecency,
        now: this.wallClock(),
      });
      this.cache.set(cacheKey, results);
      return results;
    } catch (error) {
      // a search that was cancelled says nothing of the engine
      if (error instanceof GatewayError && !signal.aborted) startRest(breaker, keys, apiKey, error);
      throw error;
    }
  }
}

/** Whether a key of an engine does not rest. */
const isAwake = ({ keys, breaker }: EngineKeys): boolean =>
  keys.marks.some((mark) => breaker.restUntil('', mark) === 0);

function allFailed(failures: readonly Failure[]): GatewayError {
  const reasons = failures.map(({ error }) => error.message).join('; ');
  return new GatewayError('all_failed', `no search engine answered: ${reasons}`);
}
