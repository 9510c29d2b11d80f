import { GatewayError } from '../../errors.js';
import { CachedCredentials } from '../ambient-credentials.js';
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
  const read = (): Promise<AwsCredentials> =>
    find(options.env).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `${options.provider} has no AWS credentials: ${reason}`;
      throw new GatewayError('provider_auth', message, { cause });
    });
  const limits = { minValidMs: 0, pauseMs: refetchPauseMs };
  return new CachedCredentials(read, options.now ?? Date.now, limits);
}
