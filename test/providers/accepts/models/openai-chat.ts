import type { Acceptance, Rule, Sent } from '../acceptance.js';
import { chatCallIds } from './chat-call-ids.js';
import { strictAreClosed } from './strict-schemas.js';

interface Message {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; function: { arguments: unknown } }[];
  tool_call_id?: string;
  [field: string]: unknown;
}

const messagesOf = ({ body }: Sent): Message[] => body['messages'] as Message[];
const github = (thread: string): string => `https://github.com/${thread}`;

/** A rule about single messages. */
const onMessages = (
  refuses: string,
  source: string,
  breaks: (message: Message, at: number, all: Message[]) => boolean,
  models?: RegExp,
): Rule => ({
  refuses,
  source,
  ...(models ? { models } : {}),
  find: (sent) =>
    messagesOf(sent).flatMap((message, at, all) =>
      breaks(message, at, all) ? [`messages[${at}] (${message.role})`] : [],
    ),
});

/** A rule about fields of the body. */
const onBody = (
  refuses: string,
  source: string,
  breaks: (body: Sent['body']) => boolean,
  models?: RegExp,
): Rule => ({
  refuses,
  source,
  ...(models ? { models } : {}),
  find: ({ body }) => (breaks(body) ? ['the body'] : []),
});

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const refusesFields = (fields: readonly string[], source: string, models?: RegExp): Rule[] =>
  fields.map((field) =>
    onBody(`'${field}' is not supported`, source, (body) => isGiven(body[field]), models),
  );

/** Fields of messages beyond these are unknown. */
const knowsOnly = (source: string, fields: readonly string[]): Rule =>
  onMessages("property '…' is unsupported", source, (message) =>
    Object.keys(message).some((field) => !fields.includes(field)),
  );

const plain = ['role', 'content', 'name', 'tool_calls', 'tool_call_id'];

const noDeveloper = (source: string): Rule =>
  onMessages('unknown variant `developer`', source, ({ role }) => role === 'developer');

const texts = (source: string, roles: readonly string[]): Rule =>
  onMessages(
    'content must be a string',
    source,
    ({ role, content }) => roles.includes(role) && Array.isArray(content),
  );

/** Results may be lists of texts, but of nothing else. */
const resultsAreTexts = onMessages(
  'tool messages hold text only',
  'https://platform.openai.com/docs/api-reference/chat/create',
  ({ role, content }) =>
    role === 'tool' &&
    Array.isArray(content) &&
    content.some(({ type }: { type: string }) => type !== 'text'),
);

const noEmptyTurns = (source: string): Rule =>
  onMessages(
    'messages must not be empty',
    source,
    ({ role, content, tool_calls: calls }) =>
      role !== 'tool' &&
      !calls?.length &&
      (!(content as string | unknown[] | null)?.length ||
        (Array.isArray(content) &&
          content.some(
            (part: { type: string; text?: string }) => part.type === 'text' && !part.text,
          ))),
  );

const idsOf = ({ tool_calls: calls, tool_call_id: result }: Message): string[] => [
  ...(calls ?? []).map(({ id }) => id),
  ...(result === undefined ? [] : [result]),
];

const callIds = (form: RegExp, refuses: string, source: string, models?: RegExp): Rule =>
  onMessages(refuses, source, (message) => idsOf(message).some((id) => !form.test(id)), models);

const stops = (most: number, source: string, longest = Infinity): Rule =>
  onBody(`at most ${most} stop sequences, none empty`, source, ({ stop }) => {
    const list = typeof stop === 'string' ? [stop] : ((stop ?? []) as string[]);
    return list.length > most || list.some((text) => text === '' || text.length > longest);
  });

const partTypes = ['text', 'image_url', 'file', 'refusal', 'input_audio'];

const ofEachServer: readonly Rule[] = [
  onMessages(
    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
    github('miurla/morphic/issues/136'),
    ({ role }, at, all) =>
      role === 'tool' && all[at - 1]?.role !== 'tool' && !all[at - 1]?.tool_calls,
  ),
  onMessages(
    "Duplicate value for 'tool_call_id'",
    github('agno-agi/agno/issues/5116'),
    ({ tool_calls: calls = [] }) => new Set(calls.map(({ id }) => id)).size < calls.length,
  ),
  onBody(
    "[] is too short - 'tools'",
    github('openai/openai-dotnet/issues/218'),
    ({ tools }) => Array.isArray(tools) && tools.length === 0,
  ),
  onBody(
    "'tool_choice' is only allowed when 'tools' are specified",
    github('BerriAI/litellm/issues/7621'),
    ({ tools, tool_choice: choice }) => !isGiven(tools) && isGiven(choice),
  ),
  onBody(
    "'parallel_tool_calls' is only allowed when 'tools' are specified",
    github('Upsonic/Upsonic/issues/323'),
    ({ tools, parallel_tool_calls: parallel }) => !isGiven(tools) && isGiven(parallel),
  ),
  onBody(
    'Invalid top_logprobs and logprobs value',
    github('deepseek-ai/DeepSeek-V2/issues/9'),
    ({ logprobs, top_logprobs: most }) => isGiven(most) && logprobs !== true,
  ),
  onMessages(
    "Invalid value for 'content': expected a string, got null",
    github('docker/docker-agent/issues/63'),
    (message) =>
      !isGiven(message.content) &&
      !['tool_calls', 'function_call', 'audio', 'refusal'].some((field) => isGiven(message[field])),
  ),
  onMessages(
    "Supported values are: 'text', 'image_url', 'file', 'refusal', …",
    github('QwenLM/qwen-code/issues/1888'),
    ({ content }) =>
      Array.isArray(content) &&
      content.some(({ type }: { type: string }) => !partTypes.includes(type)),
  ),
  onMessages(
    "[] is too short - 'messages.1.tool_calls'",
    github('langchain-ai/langchain/issues/19005'),
    ({ tool_calls: calls }) =>
      calls !== undefined && (calls as unknown) !== null && calls.length === 0,
  ),
  onMessages("None is not of type 'array'", github('openai/openai-python/issues/777'), (message) =>
    ['tool_calls', 'function_call', 'name', 'audio'].some((field) => message[field] === null),
  ),
  onMessages(
    'arguments are JSON in a string',
    github('vllm-project/vllm/issues/19419'),
    (message) =>
      (message.tool_calls ?? []).some(
        ({ function: called }) => typeof called.arguments !== 'string' || called.arguments === '',
      ),
  ),
];

const noMarks = (source: string): Rule => ({
  refuses: "property 'cache_control' is unsupported",
  source,
  find: ({ text }) => (text.includes('"cache_control"') ? ['the body'] : []),
});

const role = (message: Message | undefined): string | undefined => message?.role;
const isInstruction = (message: Message | undefined): boolean =>
  ['system', 'developer'].includes(role(message) ?? '');

const alternates = (source: string, models?: RegExp): Rule[] => [
  onMessages(
    'roles must alternate, and instructions come first',
    source,
    (message, at, all) => {
      const before = all[at - 1];
      if (isInstruction(message)) return before !== undefined && !isInstruction(before);
      if (message.role === 'tool' || before?.tool_calls) return false;
      if (isInstruction(before) || before === undefined) return message.role !== 'user';
      return role(before) === message.role;
    },
    models,
  ),
  onMessages(
    'only one system message',
    source,
    (message, at, all) => isInstruction(message) && isInstruction(all[at - 1]),
    models,
  ),
];

const answerAfterTools = (source: string, models?: RegExp): Rule =>
  onMessages(
    "Unexpected role 'user' after role 'tool'",
    source,
    (message, at, all) =>
      message.role !== 'assistant' && message.role !== 'tool' && role(all[at - 1]) === 'tool',
    models,
  );

const reasoningReturned = (source: string, models: RegExp): Rule =>
  onMessages(
    'reasoning_content must be passed back',
    source,
    (message, _at, all) =>
      message.role === 'assistant' &&
      all.some(({ tool_calls: calls }) => calls?.length) &&
      !message['reasoning_content'],
    models,
  );

const isForced = ({ tool_choice: choice }: Sent['body']): boolean =>
  choice === 'required' || (typeof choice === 'object' && choice !== null);
const isOff = ({ thinking, enable_thinking: enabled }: Sent['body']): boolean =>
  (thinking as { type?: string } | undefined)?.type === 'disabled' || enabled === false;

const noForcedToolWhileThinking = (source: string, models?: RegExp): Rule =>
  onBody(
    'Thinking mode does not support this tool_choice',
    source,
    (body) => isForced(body) && !isOff(body),
    models,
  );

const efforts = (taken: readonly string[], source: string, models?: RegExp): Rule =>
  onBody(
    `'reasoning_effort' is one of ${taken.join(', ') || 'no values'}`,
    source,
    ({ reasoning_effort: effort }) => isGiven(effort) && !taken.includes(effort as string),
    models,
  );

const smallSeeds: Rule = onBody(
  'seed must be within 32 bits',
  github('ggml-org/llama.cpp/issues/11082'),
  ({ seed }) => isGiven(seed) && !((seed as number) >= 0 && (seed as number) < 2 ** 32),
);

/** OpenAI's own models, at each provider that serves them. */
const reasoningModels = /(^|\/)(gpt-[56]|o\d)/;
const openaiReference = 'https://developers.openai.com/api/docs/guides/reasoning';
const openaiModels: readonly Rule[] = [
  ...refusesFields(['max_tokens'], github('ServiceNow/AgentLab/issues/251'), reasoningModels),
  ...refusesFields(
    ['presence_penalty', 'frequency_penalty', 'logit_bias', 'stop'],
    github('crewAIInc/crewAI/issues/2661'),
    reasoningModels,
  ),
  ...['temperature', 'top_p', 'logprobs'].map((field) =>
    onBody(
      `'${field}' is only supported at effort none`,
      github('vercel/ai/pull/10940'),
      (body) => isGiven(body[field]) && body['reasoning_effort'] !== 'none',
      /(^|\/)(gpt-5\.[56]|gpt-6|o\d|gpt-5-)/,
    ),
  ),
  onBody(
    'temperature is only supported at effort none, its default',
    github('langchain-ai/langchain/pull/35424'),
    ({ temperature, reasoning_effort: effort }) =>
      isGiven(temperature) && isGiven(effort) && effort !== 'none',
    /gpt-5\.[1-4]/,
  ),
  efforts(['low', 'medium', 'high'], openaiReference, /(^|\/)o\d/),
  efforts(['minimal', 'low', 'medium', 'high'], openaiReference, /(^|\/)gpt-5-/),
  efforts(['none', 'low', 'medium', 'high', 'xhigh'], openaiReference, /gpt-5\.[2-5]/),
  efforts(
    ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
    github('enricoros/big-AGI/issues/1159'),
    /gpt-5\.6|gpt-6-luna/,
  ),
  efforts(
    ['low', 'medium', 'high', 'xhigh', 'max'],
    'https://developers.openai.com/api/docs/models/gpt-6.2-sol',
    /gpt-6\.2/,
  ),
  efforts([], openaiReference, /gpt-4/),
  {
    ...strictAreClosed('https://developers.openai.com/api/docs/guides/structured-outputs'),
    models: /gpt-(?!oss)|(^|\/)o\d/,
  },
  ...refusesFields(
    ['parallel_tool_calls'],
    github('run-llama/llama_index/issues/20865'),
    /(^|\/)o\d/,
  ),
];
/** Words of other APIs. */
const foreignFields = [
  ...['top_k', 'min_p', 'top_a', 'repetition_penalty', 'thinking', 'enable_thinking'],
  ...['chat_template_kwargs', 'reasoning'],
];
const openaiChatApi: readonly Rule[] = [
  ...refusesFields(foreignFields, github('jimmc414/claude_n_codex_api_proxy/pull/24')),
  onBody(
    'Function tools with reasoning_effort are not supported in /v1/chat/completions',
    github('BerriAI/litellm/pull/34569'),
    ({ tools, reasoning_effort: effort }) => isGiven(tools) && effort !== 'none',
    /gpt-5\.[4-6]|gpt-6-luna/,
  ),
  callIds(/^.{1,40}$/s, 'string too long', github('vercel/ai/issues/5171')),
  stops(4, 'https://platform.openai.com/docs/api-reference/chat/create'),
  resultsAreTexts,
  noMarks(github('BerriAI/litellm/issues/8471')),
  knowsOnly('https://platform.openai.com/docs/api-reference/chat/create', [
    ...plain,
    'refusal',
    'audio',
    'function_call',
    'annotations',
  ]),
];

/** What a server of an open model refuses by the model's chat template. */
const templates: readonly Rule[] = [
  noDeveloper(github('vllm-project/vllm/issues/12190')),
  ...alternates(github('vllm-project/vllm/issues/6862')),
  resultsAreTexts,
];

const mistralOrder =
  'https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py';
const mistralModels = /mistral|ministral|devstral/;
/** Wherever Mistral's models run. */
const mistral: readonly Rule[] = [
  callIds(
    /^[a-zA-Z0-9]{9}$/,
    'Tool call id must be a-z, A-Z, 0-9, with a length of 9',
    github('nearai/ironclaw/issues/1241'),
    mistralModels,
  ),
  answerAfterTools(github('avante-corp/avante.nvim/pull/2695'), mistralModels),
];

const anyHost = (source: string): Rule[] => [
  noDeveloper(source),
  noMarks(source),
  resultsAreTexts,
  knowsOnly(source, plain),
];

interface Provider {
  readonly models: readonly string[];
  readonly rules: readonly Rule[];
}

const providers: Readonly<Record<string, Provider>> = {
  openai: {
    models: ['gpt-4o', 'gpt-5-mini', 'gpt-5.2', 'gpt-5.6', 'gpt-6-luna', 'gpt-6.2-sol', 'o4-mini'],
    rules: openaiChatApi,
  },
  'azure-openai': { models: ['gpt-4o', 'gpt-5-mini', 'gpt-5.2', 'o4-mini'], rules: openaiChatApi },
  groq: {
    models: ['llama-3.3-70b-versatile', 'openai/gpt-oss-120b'],
    rules: [
      strictAreClosed('https://console.groq.com/docs/structured-outputs'),
      knowsOnly(github('janhq/jan/issues/8136'), plain),
      noMarks(github('sst/opencode/issues/1329')),
      ...refusesFields(
        [...foreignFields, 'logit_bias', 'logprobs', 'top_logprobs'],
        'https://console.groq.com/docs/openai',
      ),
      ...refusesFields(['store'], github('fanenr/chatbot/issues/21')),
      ...refusesFields(['verbosity'], github('CherryHQ/cherry-studio/issues/11435')),
      ...refusesFields(['prompt_cache_key'], github('eigent-ai/eigent/issues/1827')),
      ...refusesFields(['metadata'], github('skye-harris/hass_local_openai_llm/issues/59')),
      texts(github('OpenHands/OpenHands/issues/4643'), ['system', 'assistant', 'tool']),
      stops(4, 'https://console.groq.com/docs/api-reference#chat-create'),
      efforts([], github('vercel/ai/pull/8057'), /llama/),
      efforts(['low', 'medium', 'high'], 'https://console.groq.com/docs/reasoning', /gpt-oss/),
      noDeveloper('https://console.groq.com/docs/api-reference#chat-create'),
    ],
  },
  mistral: {
    models: ['mistral-large-latest', 'mistral-large-4', 'mistral-small-latest'],
    rules: [
      noDeveloper(mistralOrder),
      knowsOnly(github('charmbracelet/crush/issues/1590'), [...plain, 'prefix']),
      onMessages(
        'Extra inputs are not permitted: user.name',
        github('Gage-Technologies/mistral-go/pull/2'),
        ({ role: of, name }) => of !== 'tool' && name !== undefined,
      ),
      noMarks(github('charmbracelet/crush/issues/1590')),
      onMessages(
        "Unexpected role 'system' after role 'assistant'",
        mistralOrder,
        (message, at, all) =>
          isInstruction(message) && ['assistant', 'tool'].includes(role(all[at - 1]) ?? ''),
      ),
      onMessages(
        'Expected last role User or Tool (or Assistant with prefix True)',
        github('0xPlaygrounds/rig/pull/1130'),
        (message, at, all) =>
          at === all.length - 1 && message.role === 'assistant' && message['prefix'] !== true,
      ),
      onMessages(
        'Assistant message must have either content or tool_calls',
        mistralOrder,
        ({ role: of, content, tool_calls: calls }) => of === 'assistant' && !content && !calls,
      ),
      efforts(['none', 'high'], github('anomalyco/models.dev/pull/1986'), /small/),
      efforts([], github('NousResearch/hermes-agent/issues/11243'), /large-latest/),
      efforts(
        ['low', 'medium', 'high'],
        'https://docs.mistral.ai/inference/conversations/reasoning',
        /large-4/,
      ),
      resultsAreTexts,
      ...refusesFields(
        ['seed', 'max_completion_tokens', 'stream_options', 'user', 'store', 'logprobs'],
        github('mistralai/platform-docs-public/issues/7'),
      ),
      ...refusesFields(['metadata'], github('OpenHands/OpenHands/issues/11699')),
      ...refusesFields(
        [...foreignFields, 'logit_bias', 'service_tier', 'verbosity'],
        'https://docs.mistral.ai/api',
      ),
    ],
  },
  deepseek: {
    models: ['deepseek-v4-flash', 'deepseek-chat'],
    rules: [
      noDeveloper(github('earendil-works/pi/issues/1048')),
      texts(github('QwenLM/qwen-code/pull/2320'), ['system', 'assistant', 'tool']),
      onMessages(
        'invalid type: sequence, expected a string',
        github('QwenLM/qwen-code/pull/2320'),
        ({ role: of, content }) =>
          of === 'user' &&
          Array.isArray(content) &&
          content.every(({ type }: { type: string }) => type === 'text'),
      ),
      reasoningReturned(github('openclaw/openclaw/issues/73417'), /./),
      noForcedToolWhileThinking(github('deepseek-ai/DeepSeek-V3/issues/1376')),
      stops(16, 'https://api-docs.deepseek.com/api/create-chat-completion'),
    ],
  },
  xai: {
    models: ['grok-3', 'grok-4', 'grok-4.6'],
    rules: [
      noEmptyTurns(github('AstrBotDevs/AstrBot/issues/6447')),
      ...refusesFields(
        ['presence_penalty', 'frequency_penalty', 'stop'],
        github('mnfst/modelparams.dev/pull/330'),
        /grok-4/,
      ),
      efforts([], github('NousResearch/hermes-agent/pull/23435'), /grok-(3|4$)/),
      efforts(['low', 'medium', 'high', 'xhigh'], github('mnfst/modelparams.dev/pull/330'), /4\.6/),
      ...anyHost('https://docs.x.ai/docs/api-reference').filter(
        ({ refuses }) => !refuses.startsWith("property '…"),
      ),
    ],
  },
  together: {
    models: ['openai/gpt-oss-120b', 'mistralai/Mistral-Small-24B'],
    rules: anyHost('https://docs.together.ai/reference/chat-completions-1'),
  },
  fireworks: {
    models: ['accounts/fireworks/models/kimi-k2p6'],
    rules: [
      noDeveloper('https://docs.fireworks.ai/api-reference/post-chatcompletions'),
      noMarks(github('FlowiseAI/Flowise/issues/2866')),
      knowsOnly(github('FlowiseAI/Flowise/issues/2866'), [...plain, 'reasoning_content']),
      reasoningReturned(github('mastra-ai/mastra/issues/12592'), /kimi-k2p6/),
      resultsAreTexts,
    ],
  },
  openrouter: {
    models: ['openai/gpt-5-mini', 'anthropic/claude-sonnet-4.6', 'moonshotai/kimi-k2.6'],
    rules: [
      resultsAreTexts,
      callIds(/^.{1,40}$/s, 'string too long', github('openclaw/openclaw/pull/875')),
    ],
  },
  perplexity: {
    models: ['sonar-pro'],
    rules: [
      ...alternates(github('perplexityai/api-discussion/issues/265')).slice(0, 1),
      onMessages(
        'Last message must have role `user`',
        github('livekit/agents/pull/1529'),
        (message, at, all) => at === all.length - 1 && !['user', 'tool'].includes(message.role),
      ),
      ...anyHost('https://docs.perplexity.ai/api-reference/chat-completions-post'),
    ],
  },
  cerebras: {
    models: ['gpt-oss-120b'],
    rules: [
      ...anyHost(github('Kilo-Org/kilocode/issues/10375')),
      strictAreClosed(github('agno-agi/agno/pull/6014')),
      ...refusesFields(['parallel_tool_calls'], github('agno-agi/agno/issues/4508'), /gpt-oss/),
      ...refusesFields(
        [...foreignFields, 'presence_penalty', 'logit_bias', 'service_tier'],
        'https://inference-docs.cerebras.ai/resources/openai',
      ),
      onBody(
        "Tools with mixed values for 'strict' are not allowed",
        github('RooCodeInc/Roo-Code/issues/10334'),
        ({ tools }) =>
          new Set(
            ((tools ?? []) as { function: { strict?: unknown } }[]).map(
              ({ function: called }) => called.strict === true,
            ),
          ).size > 1,
      ),
      efforts(
        ['low', 'medium', 'high'],
        'https://inference-docs.cerebras.ai/capabilities/reasoning',
      ),
    ],
  },
  nvidia: {
    models: ['mistralai/mistral-small-4-119b-2603', 'qwen/qwen3.6-27b'],
    rules: [...templates, noMarks(github('NousResearch/hermes-agent/issues/20154'))],
  },
  huggingface: {
    models: ['openai/gpt-oss-120b'],
    rules: anyHost('https://huggingface.co/docs/inference-providers/tasks/chat-completion'),
  },
  moonshot: {
    models: ['kimi-k2.6', 'kimi-k2-0905-preview', 'kimi-k3'],
    rules: [
      noEmptyTurns(github('lobehub/lobehub/pull/8419')),
      reasoningReturned(github('continuedev/continue/issues/11600'), /2\.6/),
      noForcedToolWhileThinking(github('can1357/oh-my-pi/issues/1077'), /2\.6/),
      ...refusesFields(
        ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'],
        github('UKGovernmentBEIS/inspect_ai/pull/5156'),
        /2\.6/,
      ),
      onBody(
        "cannot specify both 'thinking' and 'reasoning_effort'",
        github('HKUDS/nanobot/issues/3939'),
        ({ thinking, reasoning_effort: effort }) => isGiven(thinking) && isGiven(effort),
      ),
      stops(5, 'https://platform.moonshot.ai/docs/api/chat'),
      onMessages(
        "the message at position … with role 'assistant' must not be empty",
        github('anomalyco/opencode/issues/39451'),
        ({ role: speaker, content }) => speaker === 'assistant' && content === '',
        /k3/,
      ),
      onBody(
        'tools[].function.strict is not supported',
        github('earendil-works/pi/blob/main/packages/ai/src/providers/openai-completions.ts'),
        ({ tools }) => JSON.stringify(tools ?? []).includes('"strict"'),
      ),
      noDeveloper('https://platform.moonshot.ai/docs/api/chat'),
      noMarks('https://platform.moonshot.ai/docs/api/chat'),
      resultsAreTexts,
    ],
  },
  zai: {
    models: ['glm-5'],
    rules: [
      stops(1, 'https://docs.z.ai/api-reference/llm/chat-completion'),
      onBody(
        'tool_choice is auto',
        'https://docs.z.ai/api-reference/llm/chat-completion',
        isForced,
      ),
      noDeveloper('https://docs.z.ai/api-reference/llm/chat-completion'),
      resultsAreTexts,
    ],
  },
  alibaba: {
    models: ['qwen3-max', 'qwen3.5-plus', 'qwen3.8-max-preview'],
    rules: [
      onBody(
        'The value of the enable_thinking parameter is restricted to True',
        github('earendil-works/pi/issues/7067'),
        ({ enable_thinking: enabled }) => enabled === false,
        /3\.8-max-preview/,
      ),
      noForcedToolWhileThinking(github('cloudwego/eino/issues/994')),
      noDeveloper('https://www.alibabacloud.com/help/en/model-studio/use-qwen-by-calling-api'),
      resultsAreTexts,
    ],
  },
  ollama: { models: ['gpt-oss:20b'], rules: [...templates.slice(0, 1), resultsAreTexts] },
  lmstudio: { models: ['qwen3-8b', 'devstral-small-2'], rules: templates },
  vllm: { models: ['Qwen/Qwen3.6-27B', 'mistralai/Devstral-Small'], rules: templates },
  'openai-compatible': {
    models: ['some-model', 'deepseek-v4-pro'],
    rules: [
      noDeveloper(github('ggml-org/llama.cpp/issues/10893')),
      resultsAreTexts,
      reasoningReturned(github('langchain-ai/docs/issues/3765'), /deepseek-v4/),
    ],
  },
};

const takesLongSeeds = [
  'openai',
  'azure-openai',
  'openrouter',
  'lmstudio',
  'vllm',
  'ollama',
  'openai-compatible',
];

/** The providers that speak OpenAI's chat API. */
export const openaiChat: readonly [api: string, Acceptance][] = Object.entries(providers).map(
  ([api, { models, rules }]) => [
    api,
    {
      models,
      callIds: chatCallIds,
      rules: [
        ...ofEachServer,
        ...openaiModels,
        ...mistral,
        ...rules,
        ...(takesLongSeeds.includes(api) ? [] : [smallSeeds]),
      ],
    },
  ],
);
