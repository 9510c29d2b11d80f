import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccountContext } from './account-context.js';

/** How long a browser is known after its last sign-in, in ms. */
export const knownBrowserMs = 365 * 86_400_000;

/** Id, time of the sign-in, signature. */
const form = /^([\w-]{22})\.(\d{1,15})\.([\w-]{43})$/;

/** A mail address, and the token with which a browser says that it has signed in to its account. */
export interface BrowserProof {
  readonly email: string;
  /** Null: it has none. */
  readonly browser: string | null;
}

type Signing = { readonly store: Pick<AccountContext['store'], 'secret'> } & Pick<
  AccountContext,
  'now'
>;

/** The id of a browser that has signed in to this account within a year; null: it has not. */
export async function knownBrowser(
  { store, now }: Signing,
  { email, browser }: BrowserProof,
): Promise<string | null> {
  const [, id, signedInAt, signature] = form.exec(browser ?? '') ?? [];
  if (id === undefined || signedInAt === undefined || signature === undefined) return null;
  const expected = sign(await store.secret(secretName), id, signedInAt, email);
  const isGenuine = timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
  return isGenuine && now() - Number(signedInAt) < knownBrowserMs ? id : null;
}

/** A token for a browser that has just signed in. It keeps its id, and so its count of failures. */
export async function knownBrowserToken(context: Signing, proof: BrowserProof): Promise<string> {
  const id = (await knownBrowser(context, proof)) ?? randomBytes(16).toString('base64url');
  const signedInAt = String(context.now());
  const secret = await context.store.secret(secretName);
  return `${id}.${signedInAt}.${sign(secret, id, signedInAt, proof.email)}`;
}

const secretName = 'known-browsers';

const sign = (secret: Buffer, id: string, signedInAt: string, email: string): string =>
  createHmac('sha256', secret).update(`${id}.${signedInAt}.${email}`).digest('base64url');
