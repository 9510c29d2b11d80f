import { namesIn } from '../text/is-object.js';
import { efforts, type ReasoningEffort } from '../completion.js';

/** What a family of models takes of a request's parameters, at every provider or at one. */
export interface ParameterRule {
  /** Matches the model's name, ours or the provider's. */
  readonly models: RegExp;
  readonly refuses?: readonly string[];
  /** Fields that it refuses unless its effort is `none`. */
  readonly refusesReasoning?: readonly string[];
  /** Fields that it refuses where the temperature is 0. */
  readonly refusesGreedy?: readonly string[];
  /** The lowest and the highest values that it takes of fields that are numbers. */
  readonly least?: Readonly<Record<string, number>>;
  readonly most?: Readonly<Record<string, number>>;
  /**
   * The forms of answers that it takes beside text. Another one becomes `json_object`, or none, and
   * words that ask for it. Absent: all.
   */
  readonly formats?: readonly ('json_object' | 'json_schema')[];
  /** True: it takes a form of an answer only without tools. */
  readonly formatsAlone?: true;
  /** True: it takes `json_object` only where messages have the word JSON. */
  readonly saysJson?: true;
  /** The efforts that it takes; empty: it takes none. */
  readonly efforts?: readonly ReasoningEffort[];
  /** True: of all efforts it takes `none` alone, beside its own. */
  readonly takesOnlyNone?: boolean;
  /** True: it reasons only where the request names an effort. */
  readonly restsUnasked?: boolean;
  /** True: the chat API takes function tools at the effort `none` alone, if the model has that. */
  readonly toolsNeedNone?: boolean;
  /** True: the chat API takes `max_completion_tokens` and not `max_tokens`. */
  readonly newerLength?: boolean;
  /** Fields that turn its reasoning off: for the effort `none`, and where a tool is forced. */
  readonly reasoningOff?: Readonly<Record<string, unknown>>;
  /**
   * Keywords that it refuses in a `strict` schema, beside those that OpenAI does. Absent: it takes
   * more than closed schemas without optional fields.
   */
  readonly closedSchemas?: readonly string[];
  /** `auto`: no tool can be forced. */
  readonly toolChoice?: 'auto';
}

/** Words of other APIs, which those that check their fields refuse. */
const foreign = namesIn(`
  top_k min_p top_a repetition_penalty thinking enable_thinking chat_template_kwargs reasoning
  extra_body google
`);
/** Words of OpenAI's own that they refuse too. */
const ofOpenAI = namesIn(`
  metadata store verbosity safety_identifier moderation prompt_cache_retention prompt_cache_options
`);
const likelihoods = namesIn('logit_bias logprobs top_logprobs');

/** From one to another; `minimal` is GPT-5's alone. */
const between = (lowest: ReasoningEffort, highest: ReasoningEffort): readonly ReasoningEffort[] =>
  efforts
    .slice(efforts.indexOf(lowest), efforts.indexOf(highest) + 1)
    .filter((effort) => effort !== 'minimal' || lowest === 'minimal');

const penalties = ['presence_penalty', 'frequency_penalty'];
const sampling = ['temperature', 'top_p', 'logprobs', 'top_logprobs'];
const never = [...penalties, 'logit_bias', 'stop'];
/** Of all that reason. */
const reasons = { newerLength: true, refuses: never, refusesReasoning: sampling };
const rests = { ...reasons, restsUnasked: true };

const named = (pattern: string): RegExp => new RegExp(`(?:^|[/.~])${pattern}`, 'i');
const variants = '-(?:pro|codex|chat|search)';
const release = (minor: string): RegExp => named(`gpt-5[.-]${minor}(?!\\d)(?!.*${variants})`);

/** Of GPT-6, those that can do without reasoning. */
const resting = 'gpt-6(?:-(?:sol|luna)|[.-]1-terra)';

/** Matches names that may have a rule in `openaiModels`. */
export const openaiName = /gpt|(?:^|[/.~])o\d/i;

/** OpenAI's models, wherever they run (API reference, and what users report, 2026-11). */
export const openaiModels: readonly ParameterRule[] = [
  { models: /./, closedSchemas: [] },
  { models: /gpt-oss/i, efforts: between('low', 'high') },
  { models: named('(?:gpt-[34]|gpt-5-chat|chatgpt)'), efforts: [] },
  {
    models: named('o[1-9](?![a-z0-9])'),
    ...reasons,
    refuses: [...never, 'parallel_tool_calls'],
    efforts: between('low', 'high'),
  },
  {
    models: named('gpt-5(?![.-]\\d(?!\\d)|-chat)'),
    ...reasons,
    efforts: between('minimal', 'high'),
  },
  { models: release('1'), ...rests, efforts: between('none', 'high') },
  { models: release('[23]'), ...rests, efforts: between('none', 'xhigh') },
  { models: release('4'), ...rests, efforts: between('none', 'xhigh'), toolsNeedNone: true },
  { models: release('5'), ...reasons, efforts: between('none', 'xhigh'), toolsNeedNone: true },
  { models: release('[6-9]'), ...reasons, efforts: between('none', 'max'), toolsNeedNone: true },
  { models: named(`gpt-5[.-]\\d${variants}`), ...reasons, efforts: between('low', 'xhigh') },
  { models: named('gpt-5(?:[.-]1)?-codex(?!-max)'), efforts: between('low', 'high') },
  { models: named('gpt-5[.-]\\d-pro'), efforts: between('medium', 'xhigh') },
  { models: named('gpt-5-pro'), efforts: ['high'] },
  { models: named('gpt-5[.-]\\d-chat'), efforts: ['medium'] },
  { models: named(resting), ...reasons, efforts: between('none', 'max'), toolsNeedNone: true },
  {
    models: named(`(?!${resting})gpt-(?:[6-9]|\\d\\d)`),
    ...reasons,
    efforts: between('low', 'max'),
    toolsNeedNone: true,
  },
];

/** Fields that providers refuse without another one. */
export const onlyWith: readonly (readonly [field: string, needed: string])[] = [
  ['top_logprobs', 'logprobs'],
  ['tool_choice', 'tools'],
  ['parallel_tool_calls', 'tools'],
];

/** Fields that turn reasoning off at DeepSeek, Moonshot and Z.AI. */
const reasoningOff = { thinking: { type: 'disabled' } };

/** Most servers that are not OpenAI's refuse 0 (0 < top_p <= 1). */
const least = { top_p: 0.01 };

/** What other makers' models take, at the providers that serve them. */
export const parameterRules = {
  openai: [{ models: /./, refuses: foreign, closedSchemas: [], saysJson: true }],
  // vLLM, which NVIDIA uses too
  vllm: [{ models: /./, least }],
  // its models search with each answer
  perplexity: [{ models: /./, least, formats: ['json_schema'] }],
  // V4 reasons unless told not to, and then no tool can be forced
  deepseek: [
    { models: /./, reasoningOff, least, formats: ['json_object'], saysJson: true },
    { models: /reasoner/, refuses: ['logprobs', 'top_logprobs'] },
  ],
  // GLM, at Z.AI: it forces no tool
  glm: [
    { models: /./, toolChoice: 'auto', reasoningOff, least, most: { temperature: 1 } },
    { models: /./, formats: ['json_object'] },
  ],
  // at Alibaba: it forces no tool while it reasons
  qwen: [
    { models: /./, most: { temperature: 1.99 }, saysJson: true },
    // these reason always
    { models: /thinking|qwq|3\.8-max-preview/i, toolChoice: 'auto', refuses: ['enable_thinking'] },
    {
      models: /^qwen(?!.*(thinking|3\.8-max-preview))/i,
      reasoningOff: { enable_thinking: false },
    },
  ],
  // each mode of Kimi has one temperature, and takes no other
  kimi: [
    { models: /./, most: { temperature: 1 } },
    { models: /k2\.?[56]/, reasoningOff },
    { models: /k2\.?7|thinking/, toolChoice: 'auto' },
    { models: /k2\.?[5-9]|k[3-9]/, refuses: ['temperature', 'top_p', ...penalties] },
  ],
  grok: [
    { models: /grok-(3-mini|[4-9]|code)/, refuses: [...penalties, 'stop'] },
    { models: /grok-(2|3(?!-mini)|4(?!\.[3-9])|code)/, efforts: [] },
    { models: /grok(?!-4\.[6-9])/, efforts: between('low', 'high') },
    { models: /grok-4\.[6-9]/, efforts: between('low', 'xhigh') },
  ],
  // only some of Mistral's models reason, at one level
  mistral: [
    { models: /./, refuses: [...foreign, ...ofOpenAI, ...likelihoods, 'user', 'service_tier'] },
    { models: /./, least, most: { temperature: 1.5 } },
    { models: /./, refusesGreedy: ['top_p'] },
    { models: /large(?!-[4-9](?!\d))|codestral|devstral|ministral|pixtral|nemo|saba/, efforts: [] },
    { models: /large-[4-9](?!\d)/, efforts: between('low', 'high') },
    { models: /small|medium/, efforts: ['none', 'high'] },
  ],
  // what Groq serves
  groq: [
    { models: /./, closedSchemas: namesIn('minItems maxItems') },
    { models: /./, refuses: [...foreign, ...ofOpenAI, ...likelihoods, 'prompt_cache_key'] },
    { models: /./, refuses: ['modalities', 'audio', 'prediction'] },
    { models: /./, formatsAlone: true, saysJson: true },
    { models: /^(?!.*(gpt-oss|kimi|llama-4))/, formats: ['json_object'] },
    { models: /^(?!.*(gpt-oss|qwen))/, efforts: [] },
    { models: /qwen/, takesOnlyNone: true },
  ],
  // Gemini 3 is the first that takes a form beside tools; 4 refuses what earlier ones ignored
  gemini: [
    { models: /gemini-(1|2)[.-]/i, formatsAlone: true },
    { models: /gemini-[4-9]/i, refuses: penalties, most: { n: 1 } },
  ],
  cerebras: [
    { models: /./, closedSchemas: namesIn('minItems maxItems pattern format') },
    { models: /./, refuses: [...foreign, ...ofOpenAI, ...penalties, 'logit_bias', 'service_tier'] },
    { models: /gpt-oss/, refuses: ['parallel_tool_calls'] },
    { models: /glm/, takesOnlyNone: true },
  ],
} satisfies Record<string, readonly ParameterRule[]>;
