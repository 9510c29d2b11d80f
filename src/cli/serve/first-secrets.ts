import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { addClaimCode } from '../../accounts/claim.js';
import { makeFirstKey } from '../../accounts/first-key.js';
import { newKey } from '../../accounts/static-keys.js';
import { newToken } from '../../accounts/tokens.js';
import { actOnAccount, type DoneAct, keyCreated, writeAct } from '../../accounts/write-act.js';
import type { Config } from '../../config/config.js';
import { firstAccountId } from '../../store/contracts/accounts.js';
import type { Store } from '../../store/contracts/store.js';
import { systemActor } from '../record-act.js';

/** What a first start issues and shows once; the database stores only hashes. Null: nothing new. */
export interface FirstSecrets {
  readonly key: string | null;
  readonly claimCode: string | null;
}

/** Which secrets a configuration asks for. */
interface Wanted {
  readonly key: boolean;
  readonly claimCode: boolean;
}

/** Where the secrets go. */
interface FirstSecretsOptions {
  readonly config: Pick<Config, 'auth' | 'dataDir'>;
  /** Whether a person sees standard output. */
  readonly isTerminal: boolean;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Issues the first key, and the code that claims the gateway, where there are none. Without a
 * terminal they are written to `<dataDir>/first-key`, which only its owner can read; where that is
 * not possible, nothing is issued.
 * @throws GatewayError `unavailable`
 */
export async function issueFirstSecrets(
  store: Store,
  { config, isTerminal, logger }: FirstSecretsOptions,
): Promise<FirstSecrets> {
  const wanted = await missing(store, config);
  if (!wanted.key && !wanted.claimCode) return { key: null, claimCode: null };
  if (isTerminal) return issue(store, wanted, newSecrets(), logger);
  const file = join(config.dataDir, 'first-key');
  const draft = `${file}.${process.pid}`;
  const secrets = newSecrets();
  try {
    write(draft, config.dataDir, secrets);
  } catch (error) {
    logger.warn(
      `dataDir: no first key was issued, because ${file} cannot be written: ${(error as Error).message}; "signalbox keys create" and "signalbox accounts claim-code" issue secrets`,
    );
    return { key: null, claimCode: null };
  }
  return keepIssued({ file, draft, logger }, () => issue(store, wanted, secrets, logger));
}

interface SecretsFile {
  readonly file: string;
  /** Written before anything is issued, so that what is issued cannot be lost. */
  readonly draft: string;
  readonly logger: Pick<Logger, 'warn'>;
}

async function keepIssued(
  { file, draft, logger }: SecretsFile,
  issueAll: () => Promise<FirstSecrets>,
): Promise<FirstSecrets> {
  const issued = await issueAll().catch((error: unknown) => {
    rmSync(draft, { force: true });
    throw error;
  });
  if (issued.key === null && issued.claimCode === null) {
    rmSync(draft, { force: true });
    return issued;
  }
  const kept = moved(draft, file, issued) ? file : draft;
  logger.warn(`${namesOf(issued)} in ${kept}: keep what you need, and delete the file`);
  return issued;
}

/** False if the file stays under the draft's name. */
function moved(draft: string, file: string, issued: FirstSecrets): boolean {
  try {
    writeFileSync(draft, fileText(issued));
    renameSync(draft, file);
    return true;
  } catch {
    return false;
  }
}

const newSecrets = (): { key: string; claimCode: string } => ({
  key: newKey(),
  claimCode: newToken(),
});

/** Asked first, so that a start that issues nothing writes no file. */
async function missing(store: Store, { auth }: Pick<Config, 'auth'>): Promise<Wanted> {
  const keys = await store.keys.list(null, { limit: 1, cursor: null });
  return {
    key: auth.required && auth.keys.length === 0 && keys.items.length === 0,
    claimCode:
      auth.webAccounts !== false &&
      (await store.claims.codeHash()) === null &&
      !(await store.claims.hasOwner()),
  };
}

/**
 * Issues and records what is wanted. Another replica may issue it at the same time: then nothing is
 * issued here.
 */
async function issue(
  store: Store,
  wanted: Wanted,
  { key, claimCode }: { key: string; claimCode: string },
  logger: FirstSecretsOptions['logger'],
): Promise<FirstSecrets> {
  const record = (done: DoneAct): Promise<void> =>
    writeAct(
      () => Promise.resolve(store),
      systemActor('start'),
      done,
      ({ message }) => logger.warn(message),
    );
  const made = wanted.key ? await makeFirstKey(store, key) : null;
  if (made) await record(keyCreated(made));
  const hasCode = wanted.claimCode && (await addClaimCode(store, claimCode));
  if (hasCode) await record(actOnAccount('account.claim-code', firstAccountId));
  return { key: made ? key : null, claimCode: hasCode ? claimCode : null };
}

function write(draft: string, dataDir: string, secrets: FirstSecrets): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(draft, fileText(secrets), { mode: 0o600 });
  // the mode above counts only for a new file
  chmodSync(draft, 0o600);
}

/** In a form that shells and systemd read. */
function fileText({ key, claimCode }: FirstSecrets): string {
  return [
    '# shown once: the database stores only hashes; delete this file when you have stored them',
    ...(key === null ? [] : [`SIGNALBOX_API_KEY=${key}`]),
    ...(claimCode === null ? [] : [`SIGNALBOX_CLAIM_CODE=${claimCode}`]),
    '',
  ].join('\n');
}

const namesOf = ({ key, claimCode }: FirstSecrets): string =>
  [
    ...(key === null ? [] : ['the first API key']),
    ...(claimCode === null ? [] : ['the code that claims this gateway']),
  ].join(' and ') + (key !== null && claimCode !== null ? ' are' : ' is');
