import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';

interface EndpointCall {
  method?: 'GET' | 'PUT' | 'POST';
  headers?: Record<string, string>;
  body?: string | undefined;
  timeoutMs: number;
}

/** In bytes; real answers are a few hundred. */
const maxAnswerLength = 64 * 1024;

/** Calls an endpoint for credentials, not a provider: without connection pool or retries. */
export function askEndpoint(
  url: string,
  { method = 'GET', headers = {}, body, timeoutMs }: EndpointCall,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestSecure : requestPlain;
    const options = { method, headers, signal: AbortSignal.timeout(timeoutMs) };
    const request = send(url, options, (response) => {
      const pieces: Buffer[] = [];
      let length = 0;
      response.on('data', (piece: Buffer) => {
        length += piece.length;
        if (length > maxAnswerLength) response.destroy(new Error('the answer is too long'));
        else pieces.push(piece);
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString() }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Credentials with an end, in ms since 1970; null: they have none, or their source does not say it. */
interface Expiring {
  readonly expiresAtMs: number | null;
}

// AWS hands out the next credentials at least five minutes before the last ones end
const refreshAheadMs = 5 * 60_000;

/**
 * Keeps credentials until shortly before they expire. Simultaneous calls share one fetch; they are
 * fetched again in the background before they expire.
 */
export class CachedCredentials<Credentials extends Expiring> {
  private cached: Credentials | null = null;
  private pending: Promise<Credentials> | null = null;
  private failure: Error | null = null;
  private pausedUntilMs = 0;

  /**
   * @param now ms since 1970
   * @param limits.minValidMs they are not used where they expire within this time
   * @param limits.pauseMs after a fetch that failed or brought some that expire soon
   */
  constructor(
    private readonly read: () => Promise<Credentials>,
    private readonly now: () => number,
    private readonly limits: { readonly minValidMs: number; readonly pauseMs: number },
  ) {}

  async get(): Promise<Credentials> {
    const { cached, now } = this;
    const leftMs = cached ? (cached.expiresAtMs ?? Infinity) - now() : 0;
    if (cached && leftMs > this.limits.minValidMs) {
      // a failure is ignored: these are still valid, and a later call fetches again
      if (leftMs <= refreshAheadMs && now() >= this.pausedUntilMs)
        this.fetch().catch(() => undefined);
      return cached;
    }
    if (this.failure && now() < this.pausedUntilMs) throw this.failure;
    return this.fetch();
  }

  /** Drops the cached ones, because the provider says that they have expired. */
  forget(): void {
    this.cached = null;
  }

  private fetch(): Promise<Credentials> {
    this.pending ??= this.readAndKeep().finally(() => {
      this.pending = null;
      this.pausedUntilMs = this.now() + this.limits.pauseMs;
    });
    return this.pending;
  }

  private async readAndKeep(): Promise<Credentials> {
    try {
      this.cached = await this.read();
      this.failure = null;
      return this.cached;
    } catch (error) {
      this.failure = error as Error;
      throw error;
    }
  }
}
