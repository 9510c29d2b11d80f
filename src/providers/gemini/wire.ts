/** A piece of a turn, as generateContent takes and gives it. Bytes are base64. */
export interface GeminiPart {
  text?: string;
  /** True for a summary of the model's reasoning. */
  thought?: boolean;
  /** Opaque; to be handed back on the same part. */
  thoughtSignature?: string;
  inlineData?: { mimeType?: string; data?: string };
  fileData?: { mimeType?: string; fileUri: string };
  functionCall?: GeminiFunctionCall;
  functionResponse?: { id?: string; name: string; response: unknown };
  executableCode?: { language?: string; code?: string };
  codeExecutionResult?: { outcome?: string; output?: string };
}

/** A call of a function. Vertex may spread one over several parts (`willContinue`), its arguments in `partialArgs`. */
export interface GeminiFunctionCall {
  id?: string;
  name?: string;
  args?: Record<string, unknown>;
  partialArgs?: PartialArgument[];
  willContinue?: boolean;
}

/** One value within a call's arguments; a string may come in several pieces. */
export interface PartialArgument {
  jsonPath?: string;
  stringValue?: string;
  numberValue?: number;
  boolValue?: boolean;
  nullValue?: unknown;
  willContinue?: boolean;
}

/** One turn: role `user` or `model`. */
export interface GeminiContent {
  role?: string;
  parts?: GeminiPart[];
}

interface GroundingSource {
  uri?: string;
  title?: string;
  text?: string;
  fileSearchStore?: string;
}

/** What an answer rests on. Offsets count UTF-8 bytes, not characters. */
export interface GroundingMetadata {
  groundingChunks?: {
    web?: GroundingSource;
    retrievedContext?: GroundingSource;
    maps?: GroundingSource;
  }[];
  groundingSupports?: {
    segment?: { startIndex?: number; endIndex?: number; text?: string };
    groundingChunkIndices?: number[];
  }[];
}

/** A token with its natural logarithm of probability. */
export interface TokenLogprob {
  token?: string;
  logProbability?: number;
}

/** One of the answers, or what is new of it in a stream. */
export interface GeminiCandidate {
  index?: number;
  content?: GeminiContent;
  finishReason?: string;
  finishMessage?: string;
  groundingMetadata?: GroundingMetadata;
  logprobsResult?: {
    chosenCandidates?: TokenLogprob[];
    topCandidates?: { candidates?: TokenLogprob[] }[];
  };
}

/** `promptTokenCount` includes cached tokens; `candidatesTokenCount` does not include thoughts. */
export interface UsageMetadata {
  promptTokenCount?: number;
  toolUsePromptTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
  cachedContentTokenCount?: number;
  totalTokenCount?: number;
}

/** A whole body of generateContent, or one event of a stream. */
export interface GeminiResponse {
  candidates?: GeminiCandidate[];
  promptFeedback?: { blockReason?: string; blockReasonMessage?: string };
  usageMetadata?: UsageMetadata;
  modelVersion?: string;
  responseId?: string;
  /** RFC 3339; Vertex only. */
  createTime?: string;
  error?: unknown;
}

/** The objects of a list that should hold nothing else: what a provider sends is believed only so far. */
export function objectsIn<Entry extends object>(list: readonly Entry[] | undefined): Entry[] {
  return Array.isArray(list)
    ? list.filter((entry: unknown): entry is Entry => typeof entry === 'object' && entry !== null)
    : [];
}
