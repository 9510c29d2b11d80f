import { environmentKeyName, type Finding } from './findings.js';
import type { WrittenConfig } from './shape.js';
import { variableOf, type Environment } from './variable.js';

/**
 * Applies the environment variables that override settings; adds what is wrong with them to
 * `findings`.
 */
export function withEnvironment(
  input: WrittenConfig,
  env: Environment,
  findings: Finding[],
): WrittenConfig {
  const host = variableOf(env, 'HOST')?.trim();
  const port = variableOf(env, 'PORT')?.trim();
  const dataDir = variableOf(env, 'SIGNALBOX_DATA_DIR');
  const key = variableOf(env, 'SIGNALBOX_API_KEY')?.trim();
  const databaseUrl = variableOf(env, 'SIGNALBOX_DATABASE_URL')?.trim();
  const redisUrl = variableOf(env, 'SIGNALBOX_REDIS_URL')?.trim();
  const refuse = (name: string, reason: string) =>
    findings.push({
      path: [],
      reason: `the environment variable ${name} ${reason}`,
      inEnvironment: true,
    });
  if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535))
    refuse('PORT', 'must be a whole number between 0 and 65535');
  if (host !== undefined && /[\s/]/.test(host))
    refuse('HOST', 'must be a host name or an IP address');
  if (key !== undefined && !/^[!-~]+$/.test(key))
    refuse('SIGNALBOX_API_KEY', 'must consist of printable ASCII characters without spaces');
  if (databaseUrl !== undefined && !/^(file:.|:memory:$|postgres(ql)?:\/\/.)/i.test(databaseUrl))
    refuse('SIGNALBOX_DATABASE_URL', 'must be file:<path>, :memory: or a postgres:// address');
  if (redisUrl !== undefined && !/^rediss?:\/\/./i.test(redisUrl))
    refuse('SIGNALBOX_REDIS_URL', 'must be a redis:// or rediss:// address');
  const keys = input.auth?.keys ?? [];
  const isKnown = key === undefined || keys.some((entry) => entry.key === key);
  return {
    ...input,
    listen: {
      ...input.listen,
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port: Number(port) }),
    },
    ...(dataDir === undefined ? {} : { dataDir }),
    database: { ...input.database, ...(databaseUrl === undefined ? {} : { url: databaseUrl }) },
    redis: { ...input.redis, ...(redisUrl === undefined ? {} : { url: redisUrl }) },
    auth: { ...input.auth, keys: isKnown ? keys : [...keys, { name: environmentKeyName, key }] },
  };
}
