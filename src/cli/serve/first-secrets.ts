import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
import { makeFolder } from '../../store/open-store.js';
import { systemActor } from '../record-act.js';

/** What a first start issues and shows once; the database stores only its hash. */
export interface FirstSecret {
  readonly kind: 'key' | 'claimCode';
  readonly text: string;
}

/** Where the secret goes. */
interface FirstSecretOptions {
  readonly config: Pick<Config, 'auth' | 'dataDir'>;
  /** Whether a person sees standard output. */
  readonly isTerminal: boolean;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Issues one secret: the first key, which also claims the gateway, or where keys are fixed or not
 * required the code that claims it. Without a terminal it is written to `<dataDir>/first-key`, which
 * only its owner can read; where that is not possible, nothing is issued.
 * @returns null: nothing new
 * @throws GatewayError `unavailable`
 */
export async function issueFirstSecret(
  store: Store,
  { config, isTerminal, logger }: FirstSecretOptions,
): Promise<FirstSecret | null> {
  const wanted = await missing(store, config);
  if (wanted === null) return null;
  if (isTerminal) return issue(store, wanted, logger);
  const file = join(config.dataDir, 'first-key');
  const draft = `${file}.${process.pid}`;
  try {
    // before anything is issued, so that what is issued cannot be lost
    write(draft, config.dataDir, wanted);
  } catch (error) {
    logger.warn(
      `dataDir: no first key was issued, because ${file} cannot be written: ${(error as Error).message}; "signalbox keys create" and "signalbox accounts claim-code" issue secrets`,
    );
    return null;
  }
  const secret = await issue(store, wanted, logger).catch((error: unknown) => {
    rmSync(draft, { force: true });
    throw error;
  });
  if (secret === null) rmSync(draft, { force: true });
  else
    logger.warn(
      `${described[secret.kind].name} is in ${moved(draft, file)}: keep it elsewhere, and delete the file`,
    );
  return secret;
}

/** The file's new name; the draft's where it stays under that. */
function moved(draft: string, file: string): string {
  try {
    renameSync(draft, file);
    return file;
  } catch {
    return draft;
  }
}

/** A new secret that the gateway lacks; asked first, so that a start that issues none writes no file. */
async function missing(store: Store, { auth }: Pick<Config, 'auth'>): Promise<FirstSecret | null> {
  const keys = await store.keys.list(null, { limit: 1, cursor: null });
  if (keys.items.length > 0) return null;
  // the first key claims the gateway too: two secrets at once would only raise the question which
  if (auth.required && auth.keys.length === 0) return { kind: 'key', text: newKey() };
  const isClaimable =
    auth.webAccounts !== false &&
    (await store.claims.codeHash()) === null &&
    !(await store.claims.hasOwner());
  return isClaimable ? { kind: 'claimCode', text: newToken() } : null;
}

/**
 * Issues and records what is wanted. Another replica may issue it at the same time: then nothing is
 * issued here.
 * @returns null: nothing was issued
 */
async function issue(
  store: Store,
  wanted: FirstSecret,
  logger: FirstSecretOptions['logger'],
): Promise<FirstSecret | null> {
  const done = await issued(store, wanted);
  if (done === null) return null;
  const opened = (): Promise<Store> => Promise.resolve(store);
  await writeAct(opened, systemActor('start'), done, ({ message }) => logger.warn(message));
  return wanted;
}

async function issued(store: Store, { kind, text }: FirstSecret): Promise<DoneAct | null> {
  if (kind === 'claimCode')
    return (await addClaimCode(store, text))
      ? actOnAccount('account.claim-code', firstAccountId)
      : null;
  const key = await makeFirstKey(store, text);
  return key && keyCreated(key);
}

/** In a form that shells and systemd read. */
function write(draft: string, dataDir: string, { kind, text }: FirstSecret): void {
  const lines = `# shown once: the database stores only its hash; delete this file when you have stored it\n${described[kind].variable}=${text}\n`;
  makeFolder(dataDir);
  writeFileSync(draft, lines, { mode: 0o600 });
  // the mode above counts only for a new file
  chmodSync(draft, 0o600);
}

const described = {
  key: { name: 'the first API key', variable: 'SIGNALBOX_API_KEY' },
  claimCode: { name: 'the code that claims this gateway', variable: 'SIGNALBOX_CLAIM_CODE' },
} as const;
