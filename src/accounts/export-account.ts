import type { KeyRecord } from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';
import { everyPage } from '../store/every-page.js';

/** What an export contains beside the account itself. */
export interface ExportOptions {
  /**
   * Whether it has what administrators cannot read of other accounts: that it refuses shadowing,
   * preferences, evaluations, conversations with their messages, notes of research, decisions,
   * feedback, and the content of the request log.
   */
  readonly isComplete: boolean;
}

/** The fields that hold a time, in ms. */
const times: ReadonlySet<string> = new Set([
  'at',
  'createdAt',
  'updatedAt',
  'disabledAt',
  'expiresAt',
  'revokedAt',
  'lastUsedAt',
  'previousValidUntil',
]);

/**
 * All that is stored of an account, as lines of JSON (JSON Lines), read page by page. Each line says
 * in `object` what it is; the last one is `{"object":"end"}`, without which the export is not whole.
 * Contains no password, and no secret of a key.
 */
export async function* exportAccount(
  store: Store,
  accountId: string,
  { isComplete }: ExportOptions,
): AsyncGenerator<string> {
  const { passwordHash: _passwordHash, ...account } = (await store.accounts.find(accountId)) ?? {
    id: accountId,
    passwordHash: null,
  };
  yield lineOf('account', account);
  for await (const key of everyPage((page) => store.keys.list(accountId, page)))
    yield lineOf('key', shownKey(key));
  if (isComplete) yield* ownLines(store, accountId);
  yield* requestLines(store, accountId, isComplete);
  yield lineOf('end', {});
}

async function* ownLines(store: Store, accountId: string): AsyncGenerator<string> {
  if (!(await store.shadows.isAllowed(accountId))) yield lineOf('shadowing', { allowed: false });
  const { preferences, research, selections, feedback } = store;
  for await (const preference of everyPage((page) => preferences.list(accountId, page)))
    yield lineOf('preference', preference);
  for await (const evaluation of everyPage((page) => store.evaluations.whole(accountId, page)))
    yield lineOf('evaluation', evaluation);
  yield* conversationLines(store, accountId);
  for await (const run of everyPage((page) => research.list(accountId, page))) {
    const notes = await research.find(accountId, run.id);
    // they may be deleted meanwhile
    if (notes !== null) yield lineOf('research', { ...run, notes: JSON.parse(notes) as unknown });
  }
  for await (const { id } of everyPage((page) => selections.list(accountId, page)))
    for (const decision of await selections.group(accountId, id))
      yield lineOf('decision', decision);
  for await (const row of everyPage((page) => feedback.list(accountId, page)))
    yield lineOf('feedback', row);
}

async function* conversationLines(
  { conversations }: Store,
  accountId: string,
): AsyncGenerator<string> {
  for await (const conversation of everyPage((page) => conversations.list(accountId, page))) {
    const { id } = conversation;
    yield lineOf('conversation', conversation);
    // a conversation that is deleted meanwhile has no more messages
    for await (const message of everyPage(
      async (page) =>
        (await conversations.messages(accountId, id, page)) ?? { items: [], next: null },
    ))
      yield lineOf('message', { conversationId: id, ...message });
  }
}

/** What was asked, and the sums of each day and of shorter periods. */
async function* requestLines(
  { requests, periods, choices }: Store,
  accountId: string,
  hasContent: boolean,
): AsyncGenerator<string> {
  for await (const { id } of everyPage((page) => requests.list({ accountId }, page))) {
    const request = await requests.find(accountId, id);
    if (request) yield lineOf('request', hasContent ? request : { ...request, content: null });
  }
  for await (const sums of everyPage((page) =>
    requests.usage({ accountId }, ['day', 'key', 'provider', 'model'], page),
  ))
    yield lineOf('usage', sums);
  for await (const sums of everyPage((page) => periods.list(accountId, page)))
    yield lineOf('usage_period', sums);
  for (const day of await choices.days(accountId))
    for (const sums of await choices.day(accountId, day)) yield lineOf('choices', sums);
}

/** What an export has of a key: no hash of a secret, and nothing of the account. */
const keyFields: readonly (keyof KeyRecord)[] = [
  'id',
  'name',
  'prefix',
  'scopes',
  'models',
  'toolkits',
  'limits',
  'createdAt',
  'expiresAt',
  'previousValidUntil',
  'revokedAt',
  'lastUsedAt',
];

const shownKey = (key: KeyRecord): object =>
  Object.fromEntries(keyFields.map((field) => [field, key[field]]));

/** A record as a line, with its own times in ISO 8601; content of clients stays as it is. */
function lineOf(object: string, record: object): string {
  const shown = Object.entries(record).map(([name, value]: [string, unknown]) => [
    name,
    times.has(name) && typeof value === 'number' ? new Date(value).toISOString() : value,
  ]);
  return `${JSON.stringify({ object, ...Object.fromEntries(shown) })}\n`;
}
