import type { ChatRequest, ToolDefinition } from '../../completion.js';
import { toConversation } from './contents.js';
import { thinkingConfig, thinksInLevels } from './thinking.js';

export interface GeminiRequestOptions {
  /** The configured provider's name, for messages. */
  provider: string;
  /** Whether the ids of tool calls are sent. */
  callIds: boolean;
}

type Json = Record<string, unknown>;

/** Documented by Google for calls in a history that the model did not make itself. */
const foreignSignature = 'skip_thought_signature_validator';

/** Fields of Google's own that a request may carry as they are, and their names in Google's `extra_body`. */
const nativeFields = {
  safetySettings: 'safety_settings',
  cachedContent: 'cached_content',
  labels: 'labels',
};

/** The body of generateContent and streamGenerateContent. @throws GatewayError `request_refused` for content that Gemini has no part for */
export function toGenerateContent(
  request: ChatRequest,
  model: string,
  options: GeminiRequestOptions,
): Json {
  const google = googleExtras(request);
  const config = generationConfig(request, model, google);
  const tools = toTools(request);
  const choice = tools.length > 0 ? toToolConfig(request.tool_choice) : null;
  const body: Json = {
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

/** Google's own OpenAI-compatible endpoint takes what is Google's in `extra_body.google`. */
function googleExtras(request: ChatRequest): Json {
  const extra = request['extra_body'] as { google?: Json } | null | undefined;
  return extra?.google ?? (request['google'] as Json | null | undefined) ?? {};
}

/** Without what is absent: Gemini refuses nulls. */
function present(fields: Json): Json {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

function generationConfig(request: ChatRequest, model: string, google: Json): Json {
  const modalities = request['modalities'] as string[] | null | undefined;
  return present({
    temperature: request.temperature,
    topP: request.top_p,
    topK: request['top_k'],
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
    stopSequences: typeof request.stop === 'string' ? [request.stop] : request.stop,
    seed: request.seed,
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
    ...(request['generationConfig'] as Json | null | undefined),
  });
}

function responseFormat(format: ChatRequest['response_format']): Json {
  if (format?.type === 'json_object') return { responseMimeType: 'application/json' };
  if (format?.type === 'json_schema')
    return { responseMimeType: 'application/json', responseJsonSchema: format.json_schema?.schema };
  return {};
}

/** Functions become declarations; a tool without a function is one of Google's own (`{googleSearch: {}}`) and stays as it is. */
function toTools(request: ChatRequest): Json[] {
  const functions = (request.tools ?? []).filter(hasFunction);
  const native = (request.tools ?? []).filter((tool) => !hasFunction(tool)) as Json[];
  if (request['web_search_options']) native.push({ googleSearch: {} });
  return [
    ...(functions.length > 0 ? [{ functionDeclarations: functions.map(toDeclaration) }] : []),
    ...native,
  ];
}

const hasFunction = (tool: Partial<ToolDefinition>): boolean => tool.function !== undefined;

/** `parametersJsonSchema` takes JSON Schema as it is ($ref, anyOf, additionalProperties), where `parameters` takes OpenAPI's subset only. */
function toDeclaration({ function: { name, description, parameters } }: ToolDefinition): Json {
  return present({ name, description, parametersJsonSchema: parameters });
}

interface AllowedTools {
  mode?: string;
  tools?: { function?: { name: string } }[];
}

function toToolConfig(choice: ChatRequest['tool_choice']): Json | null {
  if (choice === null || choice === undefined) return null;
  if (typeof choice === 'string')
    return callingConfig({ none: 'NONE', auto: 'AUTO', required: 'ANY' }[choice]);
  if (choice.function) return callingConfig('ANY', [choice.function.name]);
  const allowed = choice['allowed_tools'] as AllowedTools | undefined;
  const names = allowed?.tools?.flatMap((tool) => tool.function?.name ?? []) ?? [];
  // VALIDATED is AUTO with a list of names, which AUTO itself does not take
  return callingConfig(allowed?.mode === 'required' ? 'ANY' : 'VALIDATED', names);
}

function callingConfig(mode: string, names: string[] = []): Json {
  return {
    functionCallingConfig: { mode, ...(names.length > 0 ? { allowedFunctionNames: names } : {}) },
  };
}
