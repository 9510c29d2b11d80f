import { type Dispatcher, Pool } from 'undici';

/** Kept-alive connections to one provider's hosts: a pool for each origin, made on first use. */
export class Upstreams {
  private readonly pools = new Map<string, Pool>();
  private closed: Promise<unknown> | undefined;

  constructor(
    private readonly connectTimeoutMs: number,
    private readonly connections: number | null,
  ) {}

  /** The pool and the path for a URL. @param url absolute */
  to(url: string): { pool: Dispatcher; path: string } {
    const slash = url.indexOf('/', url.indexOf('//') + 2);
    const origin = slash === -1 ? url : url.slice(0, slash);
    return {
      pool: this.pools.get(origin) ?? this.open(origin),
      path: slash === -1 ? '/' : url.slice(slash),
    };
  }

  /** Waits for calls in progress, then closes the connections. May be called again. */
  close(): Promise<unknown> {
    return (this.closed ??= Promise.all([...this.pools.values()].map((pool) => pool.close())));
  }

  private open(origin: string): Pool {
    const pool = new Pool(origin, {
      connections: this.connections,
      pipelining: 1,
      connect: { timeout: this.connectTimeoutMs },
      keepAliveTimeout: 30_000,
      // the attempt has its own timeouts
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.pools.set(origin, pool);
    return pool;
  }
}
