import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.js';
import type { AccountRecord } from '../store/contracts/accounts.js';
import { limitRequests, mayMail } from './sign-in-failures.js';
import { type AccountContext, runLater } from './account-context.js';
import { domainOf, mailAddressOf } from './mail-address.js';
import { issueResetLink, takenMail, welcomeMail } from './reset-link.js';
import { checkNewPassword } from './passwords.js';
import { actOnAccount } from './write-act.js';

/** A sign-up. */
export interface SignUp {
  readonly email: string;
  readonly password: string;
  /** The remote address. */
  readonly from: string;
}

/**
 * Creates an account with the limits of sign-ups, and does not sign in. The answer does not reveal
 * whether the address has an account; without mail, a sign-in with the same password does.
 * If the gateway sends mail, the user first proves ownership of the address: the mail's link sets
 * the password. Otherwise the password is valid at once.
 * @throws GatewayError `forbidden` if sign-up is closed or the domain may not sign up,
 * `validation_failed`, `too_many_requests`
 */
export async function signUp(
  context: AccountContext,
  { email, password, from }: SignUp,
): Promise<void> {
  const { rules, passwords } = context;
  if (rules.signUp === 'closed')
    throw new GatewayError(
      'forbidden',
      'sign-up is closed: an administrator can invite you, or set auth.signUp to open',
    );
  const address = mailAddressOf(email);
  checkDomain(rules.signUpDomains, address);
  checkNewPassword(password);
  await limitRequests(context, 'sign-up', from);
  if (rules.mailer) runLater(context, 'the mail for a sign-up', () => welcome(context, address));
  else await addMember(context, address, await passwords.hash(password, { from }));
}

/** Null if the address has an account. */
async function addMember(
  context: AccountContext,
  email: string,
  passwordHash: string | null,
): Promise<AccountRecord | null> {
  const { rules, now, store } = context;
  const account = await store.accounts.create({
    id: randomUUID(),
    email,
    passwordHash,
    at: now(),
    limits: rules.signUpLimits,
  });
  // later, so that the time of the answer does not reveal whether the address had an account
  if (account)
    runLater(context, 'the record of a sign-up', () =>
      context.record(actOnAccount('account.sign-up', account.id, { email })),
    );
  return account;
}

function checkDomain(domains: readonly string[], address: string): void {
  const allowed = domains.map((domain) => domain.toLowerCase());
  if (allowed.length > 0 && !allowed.includes(domainOf(address)))
    throw new GatewayError(
      'forbidden',
      `email: only addresses at ${allowed.join(', ')} may sign up`,
      { field: 'email' },
    );
}

async function welcome(context: AccountContext, address: string): Promise<void> {
  const { store, rules } = context;
  if (!(await mayMail(context, address))) return;
  const account =
    (await addMember(context, address, null)) ?? (await store.accounts.findByEmail(address));
  if (!account || account.disabledAt !== null) return;
  if (account.passwordHash !== null) await rules.mailer?.send(takenMail(address));
  else {
    const link = await issueResetLink(store, account.id, context.now() + rules.resetMs);
    await rules.mailer?.send(welcomeMail(address, rules.publicUrl, link));
  }
}
