/** A part of a turn in requests and answers of generateContent. Bytes are base64. */
export interface GeminiPart {
  text?: string;
  /** True for a summary of the model's reasoning. */
  thought?: boolean;
  /** Opaque; must be sent back on the same part. */
  thoughtSignature?: string;
  inlineData?: { mimeType?: string; data?: string };
  fileData?: { mimeType?: string; fileUri: string };
  functionCall?: GeminiFunctionCall;
  functionResponse?: { id?: string; name: string; response: unknown };
  executableCode?: { language?: string; code?: string };
  codeExecutionResult?: { output?: string };
}

/** A function call. Vertex may spread one over several parts (`willContinue`, `partialArgs`). */
export interface GeminiFunctionCall {
  id?: string;
  name?: string;
  args?: Record<string, unknown>;
  partialArgs?: PartialArgument[];
  willContinue?: boolean;
}

/** One value within a call's arguments; a string may arrive in several pieces. */
export interface PartialArgument {
  jsonPath?: string;
  stringValue?: string;
  numberValue?: number;
  boolValue?: boolean;
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

/** The sources of an answer. Offsets count UTF-8 bytes, not characters. */
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
  webSearchQueries?: unknown;
}

/** A token with the natural logarithm of its probability. */
export interface TokenLogprob {
  token?: string;
  logProbability?: number;
}

/** One of the answers, or a stream's next piece of it. */
export interface GeminiCandidate {
  index?: number;
  content?: GeminiContent;
  finishReason?: string;
  groundingMetadata?: GroundingMetadata;
  logprobsResult?: {
    chosenCandidates?: TokenLogprob[];
    topCandidates?: { candidates?: TokenLogprob[] }[];
  };
}

/** Tokens by modality: `TEXT`, `AUDIO`, `IMAGE`, … */
export type ModalityTokens = readonly { modality?: string; tokenCount?: number }[] | null;

/** `promptTokenCount` includes cached tokens; `candidatesTokenCount` does not include thoughts. */
export interface UsageMetadata {
  promptTokenCount?: number;
  promptTokensDetails?: ModalityTokens;
  cacheTokensDetails?: ModalityTokens;
  candidatesTokensDetails?: ModalityTokens;
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
