import {
  type AccountChanges,
  accountNotFound,
  changeAccount,
  createAccount,
  type Invitation,
  resetLink,
} from '../accounts/administration.js';
import { isRowless } from '../accounts/caller.js';
import { confirmDeletion, deleteAccount } from '../accounts/delete-account.js';
import { exportAccount, type ExportOptions } from '../accounts/export-account.js';
import { type ResetLink, resetUrl } from '../accounts/reset-link.js';
import { actOnAccount } from '../accounts/write-act.js';
import { type GatewayParts, settledStore } from '../pipeline/engine/gateway-parts.js';
import type { AccountRecord } from '../store/contracts/accounts.js';
import {
  type ApiContext,
  type Call,
  type Endpoint,
  endpointsOf,
  FileAnswer,
  maxSmallBodyBytes,
  type RequestCall,
} from './endpoint.js';
import { found, idOf, type List, listOf, pageRequestOf } from './page-request.js';
import { isoOf, type Shown, shownFieldsOf } from './shown-fields.js';

const shownFields = ['id', 'email', 'role', 'createdAt', 'disabledAt', 'limits'] as const;

/** An account as the API returns it, without its password hash. Times in ISO 8601. */
export interface Account extends Omit<
  Shown<AccountRecord, (typeof shownFields)[number]>,
  'createdAt'
> {
  /** Null for the account of a key in the configuration. */
  readonly createdAt: string | null;
}

/** An account as the API returns it, without its password hash. */
export const shownAccount = (
  account: Omit<AccountRecord, 'passwordHash' | 'createdAt'> & { createdAt: number | null },
): Account => shownFieldsOf(account, shownFields);

/** One account. @throws GatewayError `not_found` */
export async function oneAccount({ state }: GatewayParts, id: string): Promise<Account> {
  const { store } = await state.opened();
  return shownAccount(found(await store.accounts.find(id), 'id'));
}

/**
 * Deletes an account with all its data. Its keys and sign-ins end at once.
 * @throws GatewayError `not_found`, `conflict` for the last administrator
 */
export async function dropAccount({ parts, record }: ApiContext, id: string): Promise<void> {
  const { store } = await parts.state.opened();
  await deleteAccount(store, id, async () => {
    await parts.state.keys.accountChanged();
    await settledStore(parts);
  });
  await record(actOnAccount('account.delete', id));
}

/** All data of an account as lines of JSON. @throws GatewayError `not_found` */
export async function accountLines(
  { parts, record }: ApiContext,
  id: string,
  options: ExportOptions,
): Promise<AsyncIterable<string>> {
  const store = await settledStore(parts);
  if (!isRowless(id)) found(await store.accounts.find(id), 'id');
  await record(actOnAccount('account.export', id));
  return exportAccount(store, id, options);
}

const endpoint = endpointsOf({ tag: 'Accounts', scope: 'administrator' });
const path = '/api/v1/accounts';
const onePath = `${path}/{id}`;
const written = { isUncounted: true, maxBodyBytes: maxSmallBodyBytes } as const;

/** Newest first. */
export const listAccounts = endpoint('get', path, 'listAccounts', {
  summary: 'List all accounts, newest first',
  response: 'account.response',
  isList: true,
  async run(call: Call): Promise<List<Account>> {
    const page = pageRequestOf(call);
    const { store } = await call.parts.state.opened();
    return listOf(await store.accounts.list(page), shownAccount);
  },
});

/** Invites a person, even if sign-up is closed. */
const inviteAccount = endpoint('post', path, 'inviteAccount', {
  ...written,
  summary: 'Invite a person',
  description: 'Creates an account and a link to set its password.',
  request: 'account.request',
  example: { email: 'ada@example.org' },
  response: 'invitation.response',
  status: 201,
  errors: { 409: 'The address already has an account.' },
  async run(call: RequestCall<Invitation>) {
    const { store, rules, record } = await call.accounts();
    const { account, link } = await createAccount(store, call.body, rules.resetMs);
    const { id, email, role } = account;
    await record(actOnAccount('account.create', id, { email, role }));
    return { account: shownAccount(account), ...shownLink(call, rules.publicUrl, link) };
  },
});

/** Changes an account's rights and limits, with effect on its keys and browsers within a second. */
export const updateAccount = endpoint('patch', onePath, 'updateAccount', {
  ...written,
  summary: "Change an account's role or limits, or disable it",
  request: 'account-change.request',
  example: { limits: { requestsPerMinute: 60, dayBudgetUsd: 5 } },
  response: 'account.response',
  errors: { 409: 'This is the last administrator.' },
  async run(call: Call<AccountChanges>): Promise<Account> {
    const { parts, body: changes } = call;
    const { store } = await parts.state.opened();
    const account = await changeAccount(store, idOf(call), changes);
    await parts.state.keys.accountChanged();
    await call.record(actOnAccount('account.change', idOf(call), changes));
    return shownAccount(account);
  },
});

/** By an administrator, or by the account itself with its password. */
const deleteOneAccount = endpoint('delete', onePath, 'deleteAccount', {
  ...written,
  scope: 'admin',
  summary: 'Delete an account with all its data',
  description:
    'By an administrator, or by the account itself with its `password` in a JSON body. Its keys and sign-ins end at once.',
  request: 'account-deletion.request',
  example: { password: 'correct horse battery staple' },
  isBodyOptional: true,
  errors: {
    403: "The account's password is missing or wrong.",
    409: 'This is the last administrator.',
  },
  async run(call: RequestCall<{ readonly password?: string | null }>): Promise<void> {
    const [id, { accountId, role }] = [idOf(call), call.caller];
    if (role !== 'admin' && id !== accountId) throw accountNotFound();
    const context = await call.accounts();
    const { password = null } = call.body;
    if (role !== 'admin')
      await confirmDeletion(context, { accountId, password, from: call.address });
    await dropAccount(call, id);
    if (id === accountId && call.browser.token !== null)
      call.browser.clearCookie(context.rules.publicUrl);
  },
});

/** An administrator gets of another account what administrators can read. */
const exportOneAccount = endpoint('get', `${onePath}/export`, 'exportAccount', {
  scope: 'admin',
  summary: 'All data of an account, as JSON Lines',
  description:
    'For the account itself, complete if the key may use completions; else, and for administrators, the account, its keys, usage, and the request log without prompts and answers. Each line says in `object` what it is; the last is `{"object":"end"}`.',
  answer: {
    description: 'The file, as an attachment.',
    content: { 'application/jsonl': { schema: { type: 'string' } } },
  },
  async run(call: Call) {
    const [id, { accountId, role, scopes }] = [idOf(call), call.caller];
    const isOwn = id === accountId;
    if (!isOwn && role !== 'admin') throw accountNotFound();
    const isComplete = isOwn && scopes.includes('completions');
    const lines = await accountLines(call, id, { isComplete });
    return new FileAnswer('account.jsonl', 'application/jsonl; charset=utf-8', lines);
  },
});

/** For owners who cannot receive the link by mail. */
const createResetLink = endpoint('post', `${onePath}/reset-link`, 'createResetLink', {
  isUncounted: true,
  summary: "Create a link with which the account's owner sets a new password",
  response: 'reset-link.response',
  status: 201,
  errors: { 409: 'The account is disabled, or has no owner.' },
  async run(call: RequestCall) {
    const { store, rules, record } = await call.accounts();
    const { account, link } = await resetLink(store, idOf(call), rules.resetMs);
    await record(actOnAccount('account.reset-link', account.id));
    return shownLink(call, rules.publicUrl, link);
  },
});

/** The administration of accounts. */
export const accountEndpoints: readonly Endpoint[] = [
  listAccounts,
  inviteAccount,
  updateAccount,
  deleteOneAccount,
  exportOneAccount,
  createResetLink,
];

/** The caller forwards the link, so without `publicUrl` the host of the request is good enough. */
const shownLink = (
  { ownUrl }: RequestCall,
  publicUrl: string | null,
  { token, expiresAt }: ResetLink,
): object => ({ url: resetUrl(publicUrl ?? ownUrl, token), token, expiresAt: isoOf(expiresAt) });
