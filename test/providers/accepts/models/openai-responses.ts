import { type Acceptance, type CallOrResult, type Rule } from '../acceptance.js';
import { strictAreClosed } from './strict-schemas.js';

type Body = Parameters<Rule['find']>[0]['body'];
interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly call_id?: string;
  readonly content?: unknown;
}

const itemsOf = ({ input }: Body): readonly Item[] => input as readonly Item[];

const callIds: Acceptance['callIds'] = (body) =>
  itemsOf(body).flatMap((item): CallOrResult[] => {
    if (item.type === 'function_call') return [['call', item.call_id]];
    return item.type === 'function_call_output' ? [['result', item.call_id]] : [];
  });

const issues = 'https://github.com';
const reference = 'https://platform.openai.com/docs/api-reference/responses/create';
const topFields = new Set([
  ...['model', 'input', 'instructions', 'store', 'stream', 'tools', 'tool_choice', 'include'],
  ...['max_output_tokens', 'max_tool_calls', 'parallel_tool_calls', 'reasoning', 'text'],
  ...[
    'temperature',
    'top_p',
    'user',
    'metadata',
    'truncation',
    'service_tier',
    'safety_identifier',
  ],
  ...['prompt_cache_key', 'top_logprobs'],
]);

const rules: readonly Rule[] = [
  strictAreClosed('https://developers.openai.com/api/docs/guides/structured-outputs'),
  {
    refuses: 'Unknown parameter',
    source: reference,
    find: ({ body }) => Object.keys(body).filter((field) => !topFields.has(field)),
  },
  {
    refuses: 'call_id: string too long. Expected a string with maximum length 64',
    source: `${issues}/AnswerDotAI/fastllm/issues/45`,
    find: ({ body }) =>
      callIds(body).flatMap(([, id]) => (String(id).length > 64 ? [String(id)] : [])),
  },
  {
    refuses: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16",
    source: `${issues}/vectorize-io/hindsight/issues/58`,
    find: ({ body }) => (Number(body['max_output_tokens'] ?? 16) < 16 ? ['max_output_tokens'] : []),
  },
  {
    refuses: "Tool choice must be specified with 'tools' parameter",
    source: reference,
    find: ({ body }) =>
      body['tool_choice'] !== undefined && !(body['tools'] as unknown[] | undefined)?.length
        ? ['tool_choice']
        : [],
  },
];

export const openaiResponses: Acceptance = {
  models: ['gpt-4o', 'gpt-5-mini', 'gpt-5.2', 'o4-mini'],
  callIds,
  rules,
};
