import { GatewayError } from '../../errors.js';
import {
  fromContainer,
  fromEnvironment,
  fromInstance,
  fromSharedFile,
  fromWebIdentity,
  type AwsCredentials,
  type CredentialReader,
  type EnvironmentVariables,
} from './aws-credential-sources.js';

/** A source of credentials; caches them until shortly before they expire. */
export interface CredentialSource {
  /** @throws GatewayError `provider_auth` if there are none */
  get(): Promise<AwsCredentials>;
  /** Drops the cached credentials, because AWS says that they have expired. */
  forget(): void;
}

export interface CredentialSourceOptions {
  /** The provider's name, for messages. */
  provider: string;
  /** A fixed key in the configuration, used before every other source. */
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  sessionToken?: string | undefined;
  env: EnvironmentVariables;
  /** Ms since 1970; injected by tests. */
  now?: () => number;
}

const sources: readonly CredentialReader[] = [
  fromEnvironment,
  fromWebIdentity,
  fromSharedFile,
  fromContainer,
  fromInstance,
];

// AWS hands out the next credentials at least five minutes before the last ones end
const refreshAheadMs = 5 * 60_000;
/** The pause after a fetch that failed or returned credentials that expire soon. */
const refetchPauseMs = 5000;

async function find(env: EnvironmentVariables): Promise<AwsCredentials> {
  for (const read of sources) {
    const found = await read(env);
    if (found) return found;
  }
  throw new Error(
    'none in the environment, the shared credentials file, the container or the instance',
  );
}

class AmbientCredentials implements CredentialSource {
  private cached: AwsCredentials | null = null;
  private pending: Promise<AwsCredentials> | null = null;
  private failure: GatewayError | null = null;
  private pausedUntilMs = 0;

  constructor(
    private readonly provider: string,
    private readonly env: EnvironmentVariables,
    private readonly now: () => number,
  ) {}

  async get(): Promise<AwsCredentials> {
    const { cached } = this;
    const leftMs = cached ? (cached.expiresAtMs ?? Infinity) - this.now() : 0;
    if (cached && leftMs > refreshAheadMs) return cached;
    if (cached && leftMs > 0) {
      // still valid, so the next ones are fetched in the background
      if (this.now() >= this.pausedUntilMs) this.fetch().catch(() => undefined);
      return cached;
    }
    if (this.failure && this.now() < this.pausedUntilMs) throw this.failure;
    return this.fetch();
  }

  forget(): void {
    this.cached = null;
  }

  private fetch(): Promise<AwsCredentials> {
    this.pending ??= this.findAndCache().finally(() => {
      this.pending = null;
      this.pausedUntilMs = this.now() + refetchPauseMs;
    });
    return this.pending;
  }

  private async findAndCache(): Promise<AwsCredentials> {
    try {
      this.cached = await find(this.env);
      this.failure = null;
      return this.cached;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.failure = new GatewayError(
        'provider_auth',
        `${this.provider} has no AWS credentials: ${reason}`,
        { cause: error },
      );
      throw this.failure;
    }
  }
}

/**
 * The configuration's fixed key, else AWS's default chain: environment, web identity, shared file,
 * container, instance. Simultaneous calls share one fetch; credentials are fetched again in the
 * background before they expire.
 */
export function awsCredentials(options: CredentialSourceOptions): CredentialSource {
  const { accessKeyId, secretAccessKey, sessionToken } = options;
  if (accessKeyId && secretAccessKey) {
    const fixed: AwsCredentials = {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken ? { sessionToken } : {}),
      expiresAtMs: null,
    };
    return { get: () => Promise.resolve(fixed), forget: () => undefined };
  }
  return new AmbientCredentials(options.provider, options.env, options.now ?? Date.now);
}
