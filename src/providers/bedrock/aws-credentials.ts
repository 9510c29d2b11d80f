import { GatewayError } from '../../errors.js';
import {
  fromContainer,
  fromEnvironment,
  fromInstance,
  fromSharedFile,
  fromWebIdentity,
  type AwsCredentials,
  type CredentialPlace,
  type Environment,
} from './aws-credential-sources.js';

/** Credentials that are kept until shortly before they run out. */
export interface CredentialSource {
  /** @throws GatewayError `provider_auth` where there are none */
  get(): Promise<AwsCredentials>;
  /** AWS calls them expired: the next call fetches anew. */
  forget(): void;
}

export interface CredentialSourceOptions {
  /** The provider's name, for messages. */
  provider: string;
  /** A fixed key of the configuration; it stands before everything else. */
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  sessionToken?: string | undefined;
  env: Environment;
  /** Ms since 1970; injected by tests. */
  now?: () => number;
}

const places: readonly CredentialPlace[] = [
  fromEnvironment,
  fromWebIdentity,
  fromSharedFile,
  fromContainer,
  fromInstance,
];

// AWS hands out the next credentials at least five minutes before the last ones end
const refreshAheadMs = 5 * 60_000;
/** How long a fetch is not repeated after one that failed or brought what is about to run out. */
const pauseMs = 5000;

async function find(env: Environment): Promise<AwsCredentials> {
  for (const place of places) {
    const found = await place(env);
    if (found) return found;
  }
  throw new Error(
    'looked in the environment, the shared credentials file, the container and the instance',
  );
}

class AmbientCredentials implements CredentialSource {
  #kept: AwsCredentials | null = null;
  #flight: Promise<AwsCredentials> | null = null;
  #failure: GatewayError | null = null;
  #quietUntilMs = 0;

  constructor(
    private readonly provider: string,
    private readonly env: Environment,
    private readonly now: () => number,
  ) {}

  async get(): Promise<AwsCredentials> {
    const leftMs =
      this.#kept === null
        ? 0
        : this.#kept.expiresAtMs === null
          ? Infinity
          : this.#kept.expiresAtMs - this.now();
    if (this.#kept && leftMs > refreshAheadMs) return this.#kept;
    if (this.#kept && leftMs > 0) {
      // still good: nobody waits for the next ones
      if (this.now() >= this.#quietUntilMs) this.#fetch().catch(() => undefined);
      return this.#kept;
    }
    if (this.#failure && this.now() < this.#quietUntilMs) throw this.#failure;
    return this.#fetch();
  }

  forget(): void {
    this.#kept = null;
  }

  #fetch(): Promise<AwsCredentials> {
    this.#flight ??= this.#find().finally(() => {
      this.#flight = null;
      this.#quietUntilMs = this.now() + pauseMs;
    });
    return this.#flight;
  }

  async #find(): Promise<AwsCredentials> {
    try {
      this.#kept = await find(this.env);
      this.#failure = null;
      return this.#kept;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#failure = new GatewayError(
        'provider_auth',
        `${this.provider} has no AWS credentials: ${reason}`,
        { cause: error },
      );
      throw this.#failure;
    }
  }
}

/**
 * The configuration's fixed key, or else AWS's usual places in order: environment, web identity, shared file, container,
 * instance. Fetched once for all who ask at the same time, and again in the background before it runs out.
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
