import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.js';
import { countRequest, mayWriteTo } from './sign-in-failures.js';
import { type AccountContext, later, sendMail } from './account-context.js';
import { domainOf, mailAddressOf } from './mail-address.js';
import { takenMail, welcomeMail } from './mails.js';
import { checkNewPassword } from './passwords.js';
import { issueResetLink } from './reset-link.js';

/** What somebody signs up with. */
export interface SignUp {
  readonly email: string;
  readonly password: string;
  /** The remote address. */
  readonly from: string;
}

/**
 * Makes an account, and says nothing of whether the address had one. Nobody is signed in by it. Where the gateway sends mail, the address has to
 * be shown to be theirs first: the mail's link sets the password. Where it sends none, the password is good at once.
 * @throws GatewayError `forbidden` where sign-up is closed or the domain may not sign up, `validation_failed`, `too_many_requests`
 */
export async function signUp(
  desk: AccountContext,
  { email, password, from }: SignUp,
): Promise<void> {
  const { rules, store, passwords } = desk;
  if (rules.signUp === 'closed')
    throw new GatewayError('forbidden', 'sign-up is closed; an administrator can invite you');
  const address = mailAddressOf(email);
  checkDomain(rules.signUpDomains, address);
  checkNewPassword(password);
  await countRequest(desk, 'sign-up', from);
  if (rules.mailer) later(desk, 'a sign-up by mail', () => welcome(desk, address));
  else
    await store.accounts.create({
      id: randomUUID(),
      email: address,
      passwordHash: await passwords.hash(password),
      at: desk.now(),
    });
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

async function welcome(desk: AccountContext, address: string): Promise<void> {
  const { store, rules } = desk;
  if (!(await mayWriteTo(desk, address))) return;
  const account =
    (await store.accounts.create({
      id: randomUUID(),
      email: address,
      passwordHash: null,
      at: desk.now(),
    })) ?? (await store.accounts.findByEmail(address));
  if (!account || account.disabledAt !== null) return;
  const mail =
    account.passwordHash === null
      ? welcomeMail(
          address,
          rules.publicUrl,
          await issueResetLink(store, account.id, desk.now() + rules.resetMs),
        )
      : takenMail(address);
  await sendMail(desk, mail);
}
