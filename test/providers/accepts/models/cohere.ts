import { type Acceptance, type Rule } from '../acceptance.js';
import { chatCallIds } from './chat-call-ids.js';
import { userEnds } from './turns.js';

type Body = Parameters<Rule['find']>[0]['body'];
interface Message {
  readonly role: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: unknown;
}

const messagesOf = ({ messages }: Body): readonly Message[] => messages as readonly Message[];
const reference = 'https://docs.cohere.com/reference/chat';
const topFields = new Set([
  ...['model', 'messages', 'stream', 'tools', 'tool_choice', 'strict_tools', 'documents'],
  ...['citation_options', 'response_format', 'safety_mode', 'max_tokens', 'stop_sequences'],
  ...['temperature', 'seed', 'frequency_penalty', 'presence_penalty', 'k', 'p', 'logprobs'],
  ...['thinking', 'priority', 'raw_prompting'],
]);
const messageFields: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_plan', 'tool_calls', 'citations'],
  tool: ['role', 'content', 'tool_call_id'],
};
const partTypes: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  user: ['text', 'image_url'],
  assistant: ['text'],
  tool: ['text', 'document'],
};

const rules: readonly Rule[] = [
  // a turn of the model at the end is documented nowhere
  userEnds(
    ({ messages }) =>
      (messages as readonly Message[]).map(({ role }) => ({
        role: role === 'assistant' ? role : 'user',
      })),
    'the last message must be of the user, the system or a tool',
    reference,
  ),
  {
    refuses: 'unknown field',
    source: reference,
    find: ({ body }) => [
      ...Object.keys(body).filter((field) => !topFields.has(field)),
      ...messagesOf(body).flatMap((message) =>
        Object.keys(message).filter((field) => !messageFields[message.role]?.includes(field)),
      ),
    ],
  },
  {
    refuses: 'a message without content',
    source: 'https://github.com/kwaroran/Risuai/issues/504',
    find: ({ body }) =>
      messagesOf(body).flatMap(({ content, tool_calls: calls }, index) => {
        const isEmpty =
          typeof content === 'string'
            ? content === ''
            : !content?.length || content.some(({ text }) => text === '');
        return isEmpty && !calls ? [`messages[${index}]`] : [];
      }),
  },
  {
    refuses: 'a part that messages of the role do not have',
    source: 'https://www.rubydoc.info/gems/ruby_llm/RubyLLM/Protocols/Cohere/Media',
    find: ({ body }) =>
      messagesOf(body).flatMap(({ role, content }) =>
        typeof content === 'object'
          ? content
              .filter(({ type }) => !partTypes[role]?.includes(type))
              .map(({ type }) => `${role}: ${type}`)
          : [],
      ),
  },
  {
    refuses: 'more than five stop sequences',
    source: reference,
    find: ({ body }) => {
      const stops = (body['stop_sequences'] ?? []) as string[];
      return stops.length > 5 || stops.includes('') ? ['stop_sequences'] : [];
    },
  },
  {
    refuses: 'presence_penalty together with frequency_penalty',
    source: reference,
    find: ({ body }) =>
      'presence_penalty' in body && 'frequency_penalty' in body ? ['presence_penalty'] : [],
  },
  {
    refuses: 'seed: must not be negative',
    source: reference,
    find: ({ body }) => (Number(body['seed'] ?? 0) < 0 ? ['seed'] : []),
  },
];

export const cohere: Acceptance = {
  models: ['command-a-03-2025', 'command-a-reasoning-08-2025'],
  callIds: chatCallIds,
  rules,
};
