import { type Acceptance, type CallOrResult, type Rule, valuesIn } from '../acceptance.js';
import { rolesAlternate, userBegins, userEnds } from './turns.js';

type Block = Readonly<Record<string, unknown>>;
interface Turn {
  readonly role: string;
  readonly content: readonly Block[];
}
type Body = Parameters<Rule['find']>[0]['body'];

const turnsOf = ({ messages }: Body): readonly Turn[] => messages as readonly Turn[];
const idOf = (block: unknown): unknown => (block as { toolUseId?: unknown }).toolUseId;

const callIds: Acceptance['callIds'] = (body) =>
  turnsOf(body)
    .flatMap(({ content }) => content)
    .flatMap(({ toolUse, toolResult }): CallOrResult[] => {
      if (toolUse) return [['call', idOf(toolUse)]];
      return toolResult ? [['result', idOf(toolResult)]] : [];
    });

const issues = 'https://github.com';
const converse =
  'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html';
const topFields = new Set([
  ...['messages', 'system', 'inferenceConfig', 'toolConfig', 'outputConfig'],
  ...['additionalModelRequestFields', 'guardrailConfig', 'performanceConfig', 'serviceTier'],
  ...['requestMetadata', 'promptVariables', 'additionalModelResponseFieldPaths'],
]);
const extraOf = (body: Body): Block => (body['additionalModelRequestFields'] ?? {}) as Block;
const thinks = (body: Body): boolean =>
  ['enabled', 'adaptive'].includes(
    String((extraOf(body)['thinking'] as Block | undefined)?.['type']),
  );

const rules: readonly Rule[] = [
  userBegins(
    turnsOf,
    'A conversation must start with a user message',
    `${issues}/langgenius/dify/issues/12340`,
  ),
  userEnds(
    turnsOf,
    'The model that you are using requires the last turn in the conversation to be a user message',
    `${issues}/i-am-bee/beeai-framework/issues/753`,
    /4-[6-9]|openai/,
  ),
  rolesAlternate(
    turnsOf,
    'A conversation must alternate between user and assistant roles',
    `${issues}/langchain-ai/langchain-aws/issues/130`,
  ),
  {
    refuses: 'a field that Converse does not have',
    source: converse,
    find: ({ body }) => Object.keys(body).filter((field) => !topFields.has(field)),
  },
  {
    refuses: 'The text field in the ContentBlock object is blank',
    source: `${issues}/continuedev/continue/issues/9767`,
    find: ({ body }) =>
      [...valuesIn([body['messages'], body['system']])]
        .filter(([, value]) => {
          const { text } = (value ?? {}) as Block;
          return typeof text === 'string' && text.trim() === '';
        })
        .map(([place]) => place),
  },
  {
    refuses: 'toolUseId: must match [a-zA-Z0-9_-]+ and have at most 64 characters',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html',
    find: ({ body }) =>
      callIds(body).flatMap(([, id]) => (/^[\w-]{1,64}$/.test(String(id)) ? [] : [String(id)])),
  },
  {
    refuses: 'Expected toolResult blocks for the toolUse ids of the turn before',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html',
    find: ({ body }) =>
      turnsOf(body).flatMap(({ content }, index, all) => {
        const answered = (all[index + 1]?.content ?? []).map(({ toolResult = {} }) =>
          idOf(toolResult),
        );
        return content
          .flatMap(({ toolUse }) => (toolUse ? [idOf(toolUse)] : []))
          .filter((id) => !answered.includes(id))
          .map(String);
      }),
  },
  {
    refuses:
      'The toolConfig field must be defined when using toolUse and toolResult content blocks',
    source: `${issues}/langgenius/dify/issues/17545`,
    find: ({ body }) => (callIds(body).length > 0 && !body['toolConfig'] ? ['toolConfig'] : []),
  },
  {
    refuses: "For 'object' type, 'additionalProperties' must be explicitly set to false",
    source: `${issues}/future-agi/future-agi/pull/412`,
    find: ({ body }) => {
      const schemas = [...valuesIn(body['outputConfig'])].flatMap(([place, value]) =>
        place.endsWith('jsonSchema.schema') ? [JSON.parse(String(value)) as unknown] : [],
      );
      return [...valuesIn(schemas)].flatMap(([place, value]) => {
        const one = (value ?? {}) as Block;
        return one['type'] === 'object' && one['additionalProperties'] !== false ? [place] : [];
      });
    },
  },
  {
    refuses: 'stopSequences: must not be empty',
    source:
      'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html',
    find: ({ body }) => {
      const { stopSequences = [] } = (body['inferenceConfig'] ?? {}) as {
        stopSequences?: string[];
      };
      return stopSequences.filter((sequence) => sequence.trim() === '');
    },
  },
  {
    refuses: 'Thinking may not be enabled when tool_choice forces tool use',
    source: `${issues}/can1357/oh-my-pi/issues/341`,
    models: /claude/,
    find: ({ body }) => {
      const { toolChoice = {} } = (body['toolConfig'] ?? {}) as { toolChoice?: object };
      return thinks(body) && ('any' in toolChoice || 'tool' in toolChoice) ? ['thinking'] : [];
    },
  },
];

export const bedrock: Acceptance = {
  models: [
    'anthropic.claude-sonnet-4-6',
    'anthropic.claude-opus-5-5',
    'amazon.nova-pro-v1:0',
    'openai.gpt-oss-120b-1:0',
  ],
  callIds,
  rules,
};
