import type { KeyRecord } from '../store/contracts/keys.js';
import { everyPage, type Page, type PageRequest } from '../store/contracts/page.js';
import type { TablesOfAccounts } from '../store/contracts/removal.js';
import type { Store } from '../store/contracts/store.js';

/** What an export contains beside the account itself. */
export interface ExportOptions {
  /**
   * Whether it has what administrators cannot read of other accounts: that it refuses shadowing,
   * preferences, evaluations, conversations with their messages, notes of research, responses,
   * decisions, feedback, and the content of the request log.
   */
  readonly isComplete: boolean;
}

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
  for (const part of Object.values<Part | null>(parts))
    if (part && (isComplete || !part.isPrivate)) yield* part.lines(store, accountId, isComplete);
  yield lineOf('end', {});
}

type Lines = AsyncGenerator<string>;

/** What an export has of one table. */
interface Part {
  /** Whether administrators cannot read it of other accounts. */
  readonly isPrivate?: true;
  lines(store: Store, accountId: string, hasContent: boolean): Lines;
}

/** In this order. Null: nothing. */
const parts = {
  api_keys: { lines: ({ keys }, id) => linesOf('key', (page) => keys.list(id, page), shownKey) },
  shadow_refusals: { isPrivate: true, lines: shadowingLines },
  preferences: {
    isPrivate: true,
    lines: ({ preferences }, id) => linesOf('preference', (page) => preferences.list(id, page)),
  },
  evaluations: {
    isPrivate: true,
    lines: ({ evaluations }, id) => linesOf('evaluation', (page) => evaluations.whole(id, page)),
  },
  conversations: { isPrivate: true, lines: conversationLines },
  research_notes: { isPrivate: true, lines: researchLines },
  responses: { isPrivate: true, lines: responseLines },
  // says only which response has which item
  response_items: null,
  selections: { isPrivate: true, lines: decisionLines },
  feedback: {
    isPrivate: true,
    lines: ({ feedback }, id) => linesOf('feedback', (page) => feedback.list(id, page)),
  },
  requests: { lines: requestLines },
  usage_days: {
    lines: ({ requests }, accountId) =>
      linesOf('usage', (page) =>
        requests.usage({ accountId }, ['day', 'key', 'provider', 'model'], page),
      ),
  },
  usage_periods: {
    lines: ({ periods }, id) => linesOf('usage_period', (page) => periods.list(id, page)),
  },
  choice_days: { lines: choiceLines },
  // nothing but hashes of secrets, and when they expire
  sign_ins: null,
  password_resets: null,
  // what the gateway computed from the rows above
  learnings: null,
  trainings: null,
  // their answers are in the request log, their figures in the receipt
  shadows: null,
  // of the gateway, and not removed with the account
  audit: null,
} satisfies Record<TablesOfAccounts, Part | null>;

/** A line for each item of all pages. */
async function* linesOf<Item extends object>(
  object: string,
  read: (page: PageRequest) => Promise<Page<Item>>,
  shown: (item: Item) => object = (item) => item,
): Lines {
  for await (const item of everyPage(read)) yield lineOf(object, shown(item));
}

async function* shadowingLines({ shadows }: Store, accountId: string): Lines {
  if (!(await shadows.isAllowed(accountId))) yield lineOf('shadowing', { allowed: false });
}

async function* researchLines({ research }: Store, accountId: string): Lines {
  for await (const run of everyPage((page) => research.list(accountId, page))) {
    const notes = await research.find(accountId, run.id);
    // they may be deleted meanwhile
    if (notes !== null) yield lineOf('research', { ...run, notes: JSON.parse(notes) as unknown });
  }
}

async function* responseLines({ responses }: Store, accountId: string): Lines {
  for await (const { id, at } of everyPage((page) => responses.list(accountId, page))) {
    const [found] = await responses.chain(accountId, id, 1);
    if (!found) continue;
    const [input, response] = [found.input, found.response].map(
      (json) => JSON.parse(json) as unknown,
    );
    yield lineOf('response', { id, at, previousId: found.previousId, input, response });
  }
}

async function* decisionLines({ selections }: Store, accountId: string): Lines {
  for await (const { id } of everyPage((page) => selections.list(accountId, page)))
    for (const decision of await selections.group(accountId, id))
      yield lineOf('decision', decision);
}

async function* conversationLines({ conversations }: Store, accountId: string): Lines {
  for await (const conversation of everyPage((page) => conversations.list(accountId, page))) {
    const { id } = conversation;
    yield lineOf('conversation', conversation);
    // a conversation that is deleted meanwhile has no more messages
    for await (const message of everyPage((page) => conversations.messages(accountId, id, page)))
      yield lineOf('message', { conversationId: id, ...message });
  }
}

async function* requestLines({ requests }: Store, accountId: string, hasContent: boolean): Lines {
  for await (const { id } of everyPage((page) => requests.list({ accountId }, page))) {
    const request = await requests.find(accountId, id);
    if (request) yield lineOf('request', hasContent ? request : { ...request, content: null });
  }
}

async function* choiceLines({ choices }: Store, accountId: string): Lines {
  for (const day of await choices.days(accountId))
    for (const sums of await choices.day(accountId, day)) yield lineOf('choices', sums);
}

/** What is shown of a key beside its account: no hash of a secret. */
export const keyFields = [
  'id',
  'name',
  'prefix',
  'scopes',
  'models',
  'toolkits',
  'economy',
  'limits',
  'createdAt',
  'expiresAt',
  'previousValidUntil',
  'revokedAt',
  'lastUsedAt',
] as const satisfies readonly (keyof KeyRecord)[];

const shownKey = (key: KeyRecord): object =>
  Object.fromEntries(keyFields.map((field) => [field, key[field]]));

/** A record as a line, with its own times in ISO 8601; content of clients stays as it is. */
function lineOf(object: string, record: object): string {
  const shown = Object.entries(record).map(([name, value]) => [name, shownValue(name, value)]);
  return `${JSON.stringify({ object, ...Object.fromEntries(shown) })}\n`;
}

/** The value of a field; where its name tells that it is a time in ms since 1970, in ISO 8601. */
export const shownValue = (name: string, value: unknown): unknown =>
  typeof value === 'number' && /(^at|At|Until)$/.test(name) ? new Date(value).toISOString() : value;
