import { shownContent } from '../conversations/answered-message.js';
import { invalidField } from '../errors.js';
import type {
  ConversationRecord,
  ConversationStore,
  MessageRecord,
} from '../store/contracts/conversations.js';
import type { Page } from '../store/contracts/page.js';
import { conversationNotFound, shownConversation, shownMessage } from './shown-conversation.js';
import { type Call, endpointsOf, FileAnswer } from './endpoint.js';
import { idOf } from './page-request.js';

const endpoint = endpointsOf({ tag: 'Conversations', scope: 'completions' });

const path = '/api/v1/conversations/{id}/export';
const pageSize = 100;

/** Writes a conversation as a file, piece by piece. */
interface Format {
  readonly extension: string;
  readonly contentType: string;
  begin(conversation: ConversationRecord): string;
  message(message: MessageRecord, index: number): string;
  readonly end: string;
}

const json: Format = {
  extension: 'json',
  contentType: 'application/json; charset=utf-8',
  begin: (conversation) =>
    `${JSON.stringify(shownConversation(conversation)).slice(0, -1)},"messages":[`,
  message: (message, index) =>
    `${index === 0 ? '' : ','}\n${JSON.stringify(shownMessage(message))}`,
  end: '\n]}\n',
};

const markdown: Format = {
  extension: 'md',
  contentType: 'text/markdown; charset=utf-8',
  begin: ({ title, createdAt }) => `# ${escaped(title)}\n\n${new Date(createdAt).toISOString()}\n`,
  message: (message) => `\n## ${headingOf(message)}\n\n${quoted(textOf(message))}\n`,
  end: '',
};

const formats: ReadonlyMap<unknown, Format> = new Map([
  ['json', json],
  ['markdown', markdown],
]);

/** A file of any length, read and sent page by page. */
export const exportConversation = endpoint('get', path, 'exportConversation', {
  summary: 'Export a conversation as a file',
  answer: {
    description: 'The file, as an attachment.',
    content: {
      'application/json': { schema: { type: 'object' } },
      'text/markdown': { schema: { type: 'string' } },
    },
  },
  parameters: [
    {
      name: 'format',
      in: 'query',
      description: 'The file format. Default: `json`.',
      schema: { type: 'string', enum: ['json', 'markdown'] },
    },
  ],
  async run(call: Call) {
    const format = formatOf(call);
    const { accountId } = call.caller;
    const {
      store: { conversations },
    } = await call.parts.state.opened();
    const record = await conversations.find(accountId, idOf(call));
    const first =
      record &&
      (await conversations.messages(accountId, record.id, { limit: pageSize, cursor: null }));
    if (!record || !first) throw conversationNotFound();
    return new FileAnswer(
      `conversation-${record.id}.${format.extension}`,
      format.contentType,
      written(conversations, record, first, format),
    );
  },
});

function formatOf({ query }: Call): Format {
  const format = formats.get(query['format'] ?? 'json');
  if (!format) throw invalidField('format', `must be one of: ${[...formats.keys()].join(', ')}`);
  return format;
}

/** Includes messages that are added meanwhile; cut off if the conversation is deleted. */
async function* written(
  conversations: ConversationStore,
  record: ConversationRecord,
  first: Page<MessageRecord>,
  format: Format,
): AsyncGenerator<string> {
  yield format.begin(record);
  let index = 0;
  for (let page: Page<MessageRecord> | null = first; ;) {
    for (const message of page.items) yield format.message(message, index++);
    if (page.next === null) break;
    page = await conversations.messages(record.accountId, record.id, {
      limit: pageSize,
      cursor: page.next,
    });
    if (!page) throw conversationNotFound();
  }
  yield format.end;
}

/** As one line of Markdown without any markup. */
const escaped = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()<>#+\-.!|~&]/g, '\\$&');

function headingOf({ role, provider, model }: MessageRecord): string {
  const speaker = escaped(role.charAt(0).toUpperCase() + role.slice(1));
  return model === null ? speaker : `${speaker} (${escaped(`${provider ?? ''}/${model}`)})`;
}

/** As a quotation, so that headings and open code fences do not affect the rest of the file. */
const quoted = (text: string): string =>
  text
    .split(/\r\n|[\n\r]/)
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');

function textOf({ content }: MessageRecord): string {
  const { content: blocks, sources, tool_calls: calls } = shownContent(content);
  const texts = (blocks as { type?: string; text?: string }[]).map(
    ({ type, text }) => text ?? `[${type ?? 'content'}]`,
  );
  const links = Array.isArray(sources)
    ? (sources as { title?: string; url?: string }[]).map(
        ({ title, url }) => `- ${title ?? ''} <${url ?? ''}>`,
      )
    : [];
  const called = (calls ?? []).map(
    ({ function: { name, arguments: args } }) => `[call of ${name}: ${args}]`,
  );
  return [...texts, ...called, ...(links.length > 0 ? [links.join('\n')] : [])].join('\n\n');
}
