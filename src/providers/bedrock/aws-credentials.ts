import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { GatewayError, messageOf } from '../../errors.js';
import { askEndpoint, CachedCredentials } from '../ambient-credentials.js';

interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** Ms since 1970; null if they do not expire, or do not say when. */
  expiresAtMs: number | null;
}

/** Reads one source of credentials. Null: not configured; rejects where it is, and gives none. */
type CredentialReader = (env: NodeJS.ProcessEnv) => Promise<AwsCredentials | null>;

async function call(url: string, asked: Parameters<typeof askEndpoint>[1]): Promise<string> {
  const { status, body } = await askEndpoint(url, asked);
  if (status !== 200) throw new Error(`${new URL(url).hostname} answered ${status}`);
  return body;
}

type Found = Readonly<Record<string, string | undefined>>;

/** @param found under AWS's own names */
function checked(
  { AccessKeyId: id, SecretAccessKey: secret, Token: token, Expiration: expiration }: Found,
  where: string,
): AwsCredentials {
  if (!id || !secret) throw new Error(`${where} contains no access key`);
  const expiresAtMs = expiration ? Date.parse(expiration) : Number.NaN;
  return {
    accessKeyId: id,
    secretAccessKey: secret,
    ...(token ? { sessionToken: token } : {}),
    expiresAtMs: Number.isNaN(expiresAtMs) ? null : expiresAtMs,
  };
}

/** Reads the answer of the container endpoint or of the instance's metadata. */
const readAnswer = (body: string, where: string): AwsCredentials =>
  checked(JSON.parse(body) as Found, where);

/** `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`. */
const fromEnvironment: CredentialReader = (env) => {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = env;
  const found = { AccessKeyId: id, SecretAccessKey: secret, Token: token };
  return Promise.resolve(id && secret ? checked(found, 'the environment') : null);
};

/** A Kubernetes token (`AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`), exchanged at STS. */
const fromWebIdentity: CredentialReader = async (env) => {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role } = env;
  if (!file || !role) return null;
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] ?? 'signalbox',
    WebIdentityToken: (await readFile(file, 'utf8')).trim(),
  }).toString();
  const url =
    env['AWS_ENDPOINT_URL_STS'] ??
    (region ? `https://sts.${region}.${awsDomain(region)}` : 'https://sts.amazonaws.com');
  const answer = await call(`${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
    timeoutMs: 10_000,
  });
  const field = (name: string): string | undefined =>
    new RegExp(`<${name}>([^<]+)</${name}>`).exec(answer)?.[1];
  return checked(
    {
      AccessKeyId: field('AccessKeyId'),
      SecretAccessKey: field('SecretAccessKey'),
      Token: field('SessionToken'),
      Expiration: field('Expiration'),
    },
    'the answer of STS',
  );
};

function readProfile(ini: string, profile: string): Record<string, string> | null {
  let found: Record<string, string> | null = null;
  let inside = false;
  for (const line of ini.split(/\r?\n/)) {
    const section = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line);
    if (section) {
      inside = section[1] === profile;
      if (inside) found ??= {};
      continue;
    }
    const pair = inside ? /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/i.exec(line) : null;
    if (pair?.[1] && found) found[pair[1].toLowerCase()] = pair[2] ?? '';
  }
  return found;
}

/**
 * The shared credentials file: `AWS_SHARED_CREDENTIALS_FILE` or `~/.aws/credentials`, with the
 * profile `AWS_PROFILE` or `default`.
 */
const fromSharedFile: CredentialReader = async (env) => {
  const file =
    env['AWS_SHARED_CREDENTIALS_FILE'] ?? join(env['HOME'] ?? homedir(), '.aws', 'credentials');
  const asked = env['AWS_PROFILE'] ?? env['AWS_DEFAULT_PROFILE'];
  const profile = readProfile(await readFile(file, 'utf8').catch(() => ''), asked ?? 'default');
  const { aws_access_key_id: id, aws_secret_access_key: secret } = profile ?? {};
  if (id && secret) {
    const token = profile?.['aws_session_token'];
    return checked({ AccessKeyId: id, SecretAccessKey: secret, Token: token }, file);
  }
  // credentials of another profile than the requested one would be worse than none
  if (asked)
    throw new Error(
      `profile ${asked} has no access key in ${file} (single sign-on and assumed roles are not supported)`,
    );
  return null;
};

const containerHosts =
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\])$/;

/** The endpoint of ECS and EKS: `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `…_FULL_URI`. */
const fromContainer: CredentialReader = async (env) => {
  const {
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: full,
  } = env;
  const url = relative ? `http://169.254.170.2${relative}` : full;
  if (!url) return null;
  const { protocol, hostname } = new URL(url);
  // the call's token must not leave the machine unencrypted
  if (protocol !== 'https:' && !containerHosts.test(hostname))
    throw new Error(`${hostname} is not an allowed address for container credentials`);
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file
    ? (await readFile(file, 'utf8')).trim()
    : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  return readAnswer(
    await call(url, { headers: token ? { authorization: token } : {}, timeoutMs: 2000 }),
    'the container endpoint',
  );
};

/** An EC2 instance's role, by its metadata (version 2) unless `AWS_EC2_METADATA_DISABLED=true`. */
const fromInstance: CredentialReader = async (env) => {
  if (env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return null;
  const root = (env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] ?? 'http://169.254.169.254').replace(
    /\/$/,
    '',
  );
  // one second, because outside EC2 nothing answers at this address
  const token = await call(`${root}/latest/api/token`, {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' },
    timeoutMs: 1000,
  });
  const headers = { 'x-aws-ec2-metadata-token': token };
  const path = `${root}/latest/meta-data/iam/security-credentials/`;
  const role = (await call(path, { headers, timeoutMs: 2000 })).trim().split('\n')[0] ?? '';
  return readAnswer(
    await call(`${path}${role}`, { headers, timeoutMs: 2000 }),
    'the instance metadata',
  );
};

/** The domain of AWS's endpoints in a region; China has its own. */
export const awsDomain = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

/** A source of credentials. @throws GatewayError `provider_auth` if there are none */
export type CredentialSource = CachedCredentials<AwsCredentials>;

export interface CredentialSourceOptions {
  /** The provider's name, for messages. */
  provider: string;
  /** A fixed key in the configuration, used before every other source. */
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  sessionToken?: string | undefined;
  env: NodeJS.ProcessEnv;
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

async function find(env: NodeJS.ProcessEnv): Promise<AwsCredentials> {
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
  const fixed = {
    AWS_ACCESS_KEY_ID: options.accessKeyId,
    AWS_SECRET_ACCESS_KEY: options.secretAccessKey,
    AWS_SESSION_TOKEN: options.sessionToken,
  };
  const read = async (): Promise<AwsCredentials> =>
    (await fromEnvironment(fixed)) ??
    find(options.env).catch((cause: unknown) => {
      const reason = messageOf(cause);
      const message = `${options.provider} has no AWS credentials: ${reason}`;
      throw new GatewayError('provider_auth', message, { cause });
    });
  const limits = { minValidMs: 0, pauseMs: refetchPauseMs };
  return new CachedCredentials(read, options.now ?? Date.now, limits);
}
