import type { ChatRequest, ToolDefinition } from '../../completion.js';
import { type Fields, present, table } from '../../text/is-object.js';
import { fitParameters, seedOf } from '../fit-parameters.js';
import { parameterRules } from '../model-parameters.js';
import { readToolChoice } from '../tool-choice.js';
import { type ContentsOptions, toConversation } from './contents.js';
import { type SearchFilter, googleSearchTool } from './web-search.js';

export interface GeminiRequestOptions extends Omit<ContentsOptions, 'foreignSignature'> {
  searchFilter: SearchFilter;
}

/** Google documents this value for calls in a history that another model made. */
const foreignSignature = 'skip_thought_signature_validator';

/** Google's own fields that a request may contain, and their names in Google's `extra_body`. */
const nativeFields = {
  safetySettings: 'safety_settings',
  cachedContent: 'cached_content',
  labels: 'labels',
};

/**
 * The body of generateContent and streamGenerateContent.
 * @throws GatewayError `request_refused` for content that Gemini does not support
 */
export function toGenerateContent(
  given: ChatRequest,
  model: string,
  options: GeminiRequestOptions,
): Fields {
  const request = { ...given };
  fitParameters(request, [model], parameterRules.gemini);
  const google = googleExtras(request);
  const config = generationConfig(request, model, google);
  const tools = toTools(request, googleSearchTool(request, model, options.searchFilter));
  const choice = tools.length > 0 ? toToolConfig(request.tool_choice) : null;
  const body: Fields = {
    ...toConversation(request.messages, {
      ...options,
      foreignSignature: thinksInLevels(model) ? foreignSignature : null,
    }),
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice ? { toolConfig: choice } : {}),
    ...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
  };
  for (const [name, alias] of Object.entries(nativeFields)) {
    const value = request[name] ?? google[alias] ?? google[name];
    if (value !== undefined && value !== null) body[name] = value;
  }
  return body;
}

/** Google's own OpenAI-compatible endpoint takes Google's fields in `extra_body.google`. */
function googleExtras(request: ChatRequest): Fields {
  const extra = request['extra_body'] as { google?: Fields } | null | undefined;
  return extra?.google ?? (request['google'] as Fields | null | undefined) ?? {};
}

const maxStopSequences = 5;

/** Google's seeds have 32 bits; of a longer one the lowest count, so that seeds stay different. */
const int32 = (seed: number | null): number | null =>
  seed && Number(BigInt.asIntN(32, BigInt(Math.trunc(seed))));

function generationConfig(request: ChatRequest, model: string, google: Fields): Fields {
  const stop = [request.stop ?? []].flat().filter(Boolean).slice(0, maxStopSequences);
  const modalities = request['modalities'] as string[] | null | undefined;
  return present({
    temperature: request.temperature,
    topP: request.top_p,
    topK: request['top_k'],
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
    stopSequences: stop.length > 0 ? stop : null,
    seed: int32(seedOf(request)),
    candidateCount: request.n !== 1 ? request.n : null,
    presencePenalty: request['presence_penalty'],
    frequencyPenalty: request['frequency_penalty'],
    responseLogprobs: request['logprobs'] === true ? true : null,
    logprobs: request['logprobs'] === true ? request['top_logprobs'] : null,
    responseModalities: modalities?.some((name) => name !== 'text')
      ? modalities.map((name) => name.toUpperCase())
      : null,
    ...responseFormat(request.response_format),
    thinkingConfig:
      google['thinking_config'] ??
      google['thinkingConfig'] ??
      thinkingConfig(request.reasoning_effort, model),
    ...(request['generationConfig'] as Fields | null | undefined),
  });
}

function responseFormat(format: ChatRequest['response_format']): Fields {
  if (format?.type === 'json_object') return { responseMimeType: 'application/json' };
  if (format?.type === 'json_schema')
    return { responseMimeType: 'application/json', responseJsonSchema: format.json_schema?.schema };
  return {};
}

/**
 * Functions become declarations. A tool without a function is one of Google's own (`{googleSearch:
 * {}}`) and stays unchanged.
 */
function toTools(request: ChatRequest, search: object[]): Fields[] {
  const functions = (request.tools ?? []).filter(hasFunction);
  const native = (request.tools ?? []).filter((tool) => !hasFunction(tool)) as Fields[];
  return [
    ...(functions.length > 0 ? [{ functionDeclarations: functions.map(toDeclaration) }] : []),
    ...native,
    ...(search as Fields[]),
  ];
}

const hasFunction = (tool: Partial<ToolDefinition>): boolean => tool.function !== undefined;

/**
 * `parametersJsonSchema` takes full JSON Schema ($ref, anyOf, additionalProperties); `parameters`
 * takes only the subset in OpenAPI.
 */
const toDeclaration = ({ function: { name, description, parameters } }: ToolDefinition): Fields =>
  present({ name, description, parametersJsonSchema: parameters });

function toToolConfig(choice: ChatRequest['tool_choice']): Fields | null {
  if (choice === null || choice === undefined) return null;
  const { mode, names } = readToolChoice(choice);
  // VALIDATED is AUTO with a list of names, which AUTO does not take
  const auto = typeof choice === 'string' ? 'AUTO' : 'VALIDATED';
  const calling = mode === 'required' ? 'ANY' : choice === 'none' ? 'NONE' : auto;
  return {
    functionCallingConfig: {
      mode: calling,
      ...(names?.length ? { allowedFunctionNames: names } : {}),
    },
  };
}

/**
 * Thinking budgets of Gemini 2.5 in tokens, as Google's own OpenAI-compatible endpoint sets them.
 */
const budgets: Record<string, number> = table({
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
});

/**
 * True for Gemini 3 and later, whose thinking has levels and whose calls need signatures. Unknown
 * Gemini models count as new.
 */
const thinksInLevels = (model: string): boolean =>
  /gemini/i.test(model) && !/gemini-(1|2)[.-]/i.test(model) && !/embedding/i.test(model);

/** The thinking of a reasoning effort, thoughts included. Null: no effort, or no thinking model. */
function thinkingConfig(
  effort: string | null | undefined,
  model: string,
): Record<string, unknown> | null {
  if (effort === null || effort === undefined) return null;
  const pro = /pro/i.test(model);
  if (/gemini-2\.5/i.test(model)) {
    const budget = budgets[effort];
    if (budget === undefined) return null;
    // 2.5 Pro always thinks; 128 tokens is its minimum
    return {
      thinkingBudget: budget === 0 && pro ? 128 : budget,
      includeThoughts: effort !== 'none',
    };
  }
  if (!thinksInLevels(model)) return null;
  return { thinkingLevel: levelOf(effort, model, pro), includeThoughts: effort !== 'none' };
}

function levelOf(effort: string, model: string, pro: boolean): string {
  if (effort === 'none' || effort === 'minimal')
    // 3.7 Flash is the first that refuses it
    return !pro && /gemini-(3(\.[1-6])?-flash|3[.\d]*-flash-lite|flash-lite)/i.test(model)
      ? 'minimal'
      : 'low';
  if (effort === 'xhigh' || effort === 'max')
    return /gemini-4-(hydrogen|neon)/i.test(model) ? 'xhigh' : 'high';
  // the first Gemini 3 Pro has only low and high
  return effort === 'medium' && /gemini-3-pro/i.test(model) ? 'high' : effort;
}

/** The end of a model's URL for a whole or a streamed answer. */
export const operationOf = (stream: boolean): string =>
  stream ? ':streamGenerateContent?alt=sse' : ':generateContent';
