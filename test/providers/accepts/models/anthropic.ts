import { type Acceptance, type CallOrResult, type Rule, valuesIn } from '../acceptance.js';
import { userBegins, userEnds } from './turns.js';

type Block = Readonly<Record<string, unknown>>;
interface Turn {
  readonly role: string;
  readonly content: readonly Block[];
}

const turnsOf = ({ messages }: Parameters<Rule['find']>[0]['body']): readonly Turn[] =>
  messages as readonly Turn[];

const callIds: Acceptance['callIds'] = (body) =>
  turnsOf(body)
    .flatMap(({ content }) => content)
    .flatMap((block): CallOrResult[] => {
      if (block['type'] === 'tool_use') return [['call', block['id']]];
      return block['type'] === 'tool_result' ? [['result', block['tool_use_id']]] : [];
    });

const topFields = new Set([
  ...['model', 'max_tokens', 'messages', 'system', 'stream', 'tools', 'tool_choice', 'thinking'],
  ...['output_config', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'metadata'],
  'cache_control',
]);
const blockTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
};
const issues = 'https://github.com';

const isForced = ({ body }: Parameters<Rule['find']>[0]): boolean =>
  ['any', 'tool'].includes(String((body['tool_choice'] as Block | undefined)?.['type']));
const thinks = ({ body }: Parameters<Rule['find']>[0]): boolean =>
  ['enabled', 'adaptive'].includes(String((body['thinking'] as Block | undefined)?.['type']));

const rules: readonly Rule[] = [
  userBegins(
    turnsOf,
    'messages: first message must use the "user" role',
    `${issues}/pipecat-ai/pipecat/pull/5660`,
  ),
  userEnds(
    turnsOf,
    'This model does not support assistant message prefill',
    `${issues}/livekit/agents/issues/4907`,
    /4-[6-9]/,
  ),
  {
    refuses: 'Extra inputs are not permitted',
    source: 'https://platform.claude.com/docs/en/api/messages',
    find: ({ body }) => Object.keys(body).filter((field) => !topFields.has(field)),
  },
  {
    refuses: 'a type of block that the role does not have',
    source: 'https://platform.claude.com/docs/en/api/messages',
    find: ({ body }) =>
      turnsOf(body).flatMap(({ role, content }) =>
        content
          .map(({ type }) => String(type))
          .filter((type) => !blockTypes[role]?.includes(type))
          .map((type) => `${role}: ${type}`),
      ),
  },
  {
    refuses: 'text content blocks must contain non-whitespace text',
    source: `${issues}/buremba/sub-bridge/issues/11`,
    find: ({ body }) =>
      [...valuesIn(body)]
        .filter(([, value]) => {
          const { type, text } = (value ?? {}) as Block;
          return type === 'text' && String(text).trim() === '';
        })
        .map(([place]) => place),
  },
  {
    refuses: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    source: `${issues}/LibreChat-AI/agents/pull/153`,
    find: ({ body }) =>
      callIds(body).flatMap(([, id]) => (/^[\w-]{1,64}$/.test(String(id)) ? [] : [String(id)])),
  },
  {
    refuses: '`tool_use` ids must be unique',
    source: `${issues}/BerriAI/litellm/issues/23510`,
    find: ({ body }) => {
      const ids = callIds(body).flatMap(([kind, id]) => (kind === 'call' ? [String(id)] : []));
      return ids.filter((id, index) => ids.indexOf(id) !== index);
    },
  },
  {
    refuses: '`tool_use` ids were found without `tool_result` blocks immediately after',
    source: `${issues}/anthropics/claude-code/issues/1237`,
    find: ({ body }) =>
      turnsOf(body).flatMap(({ content }, index, all) => {
        const answered = (all[index + 1]?.content ?? []).map((block) => block['tool_use_id']);
        return content
          .filter(({ type, id }) => type === 'tool_use' && !answered.includes(id))
          .map(({ id }) => String(id));
      }),
  },
  {
    refuses: 'each stop sequence must contain non-whitespace',
    source: `${issues}/BerriAI/litellm/issues/3286`,
    find: ({ body }) =>
      ((body['stop_sequences'] ?? []) as string[]).filter((sequence) => sequence.trim() === ''),
  },
  {
    refuses: 'Thinking may not be enabled when tool_choice forces tool use',
    source: `${issues}/can1357/oh-my-pi/issues/341`,
    find: (sent) => (isForced(sent) && thinks(sent) ? ['thinking'] : []),
  },
  {
    refuses: 'tool_choice forces tool use, which is not supported for this model',
    source: 'https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5',
    models: /5-5/,
    find: (sent) => (isForced(sent) ? ['tool_choice'] : []),
  },
  {
    refuses: '`temperature` and `top_p` cannot both be specified for this model',
    source: `${issues}/skydiscover-ai/skydiscover/issues/15`,
    find: ({ body }) => ('temperature' in body && 'top_p' in body ? ['top_p'] : []),
  },
  {
    refuses: '`temperature` is deprecated for this model',
    source: 'https://platform.claude.com/docs/en/about-claude/models/migration-guide',
    models: /4-[78]|5-5/,
    find: ({ body }) => ['temperature', 'top_p', 'top_k'].filter((field) => field in body),
  },
  {
    refuses: '`temperature` may only be set to 1 when thinking is enabled',
    source: 'https://platform.claude.com/docs/en/build-with-claude/extended-thinking',
    find: (sent) =>
      thinks(sent) ? ['temperature', 'top_k'].filter((field) => field in sent.body) : [],
  },
  {
    refuses: 'tool_choice may only be specified while providing tools',
    source: 'https://platform.claude.com/docs/en/api/messages',
    find: ({ body }) =>
      'tool_choice' in body && !(body['tools'] as unknown[] | undefined)?.length
        ? ['tool_choice']
        : [],
  },
];

export const anthropic: Acceptance = {
  models: ['claude-haiku-4-5', 'claude-sonnet-4-6', 'claude-opus-4-8', 'claude-opus-5-5'],
  callIds,
  rules,
};
