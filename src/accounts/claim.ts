import { timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../errors.js';
import { type AccountRecord, firstAccountId } from '../store/contracts/accounts.js';
import type { Store } from '../store/contracts/store.js';
import type { AccountContext } from './account-context.js';
import type { Caller } from './caller.js';
import { mailAddressOf } from './mail-address.js';
import { checkNewPassword } from './passwords.js';
import { checkSecret } from './sign-in-failures.js';
import { hashToken, newToken } from './tokens.js';
import { actOnAccount } from './write-act.js';

/** What a person claims the gateway with. */
export interface GatewayClaim {
  /** The claim code, or a key of the first account with the scope `admin`; null: none was given. */
  readonly code: string | null;
  readonly email: string;
  readonly password: string;
  /** The remote address. */
  readonly from: string;
}

/** What a claim works with. */
export interface ClaimContext extends AccountContext {
  readonly store: AccountContext['store'] & Pick<Store, 'claims'>;
  /** The caller of an issued API key; null if it may not be used. */
  findKey(key: string): Promise<Caller | null>;
}

/**
 * Gives the first account its owner, who becomes an administrator, once. The account keeps its keys
 * and data.
 * @throws GatewayError `unauthorized` for a wrong code, `conflict` if the account has an owner or
 * the mail address has another account, `validation_failed`, `too_many_requests`
 */
export async function claimGateway(
  context: ClaimContext,
  { code, email, password, from }: GatewayClaim,
): Promise<AccountRecord> {
  const { store, passwords, now } = context;
  const address = mailAddressOf(email);
  checkNewPassword(password);
  const isRight = await checkSecret(context, { what: 'claim', from }, async () => {
    if (code !== null && ((await isCode(store, code)) || (await isFirstKey(context, code))))
      return true;
    // the code is forgotten with the claim
    if (await store.claims.hasOwner()) throw claimed();
    return false;
  });
  if (!isRight) throw wrongCode(code);
  const owner = {
    email: address,
    passwordHash: await passwords.hash(password, { from, isTrusted: true }),
    at: now(),
  };
  const account = await store.claims.claim(owner);
  if (account === null) throw claimed();
  await context.record(actOnAccount('account.claim', account.id, { email: address }), account);
  return account;
}

/**
 * Issues a new claim code, which replaces an earlier one.
 * @returns the code, of which only the hash is stored
 * @throws GatewayError `conflict` if the gateway has been claimed
 */
export async function issueClaimCode({ claims }: Pick<Store, 'claims'>): Promise<string> {
  if (await claims.hasOwner()) throw claimed();
  const code = newToken();
  await claims.setCode(hashToken(code));
  return code;
}

/** Stores the hash of a claim code, unless there is one or the gateway has been claimed. */
export const addClaimCode = ({ claims }: Pick<Store, 'claims'>, code: string): Promise<boolean> =>
  claims.addCode(hashToken(code));

async function isCode({ claims }: Pick<Store, 'claims'>, code: string): Promise<boolean> {
  const expected = await claims.codeHash();
  return expected !== null && timingSafeEqual(Buffer.from(hashToken(code)), Buffer.from(expected));
}

/** The holder of such a key can administer the gateway already. */
async function isFirstKey({ findKey }: ClaimContext, key: string): Promise<boolean> {
  const caller = await findKey(key);
  return (
    caller !== null &&
    caller.accountId === firstAccountId &&
    caller.role === 'admin' &&
    caller.scopes.includes('admin')
  );
}

const claimed = (): GatewayError =>
  new GatewayError(
    'conflict',
    'this gateway has been claimed: sign in, or ask an administrator for an invitation',
  );

const wrongCode = (code: string | null): GatewayError =>
  new GatewayError(
    'unauthorized',
    code === null
      ? 'code: the first API key or the claim code is required'
      : 'this is neither the first API key nor the claim code; "node dist/cli/main.js accounts claim-code" prints a new code, with npm "npx signalbox accounts claim-code"',
  );
