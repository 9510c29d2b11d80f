import { type UrlCitation, type Usage, usageOfAnswer, withCounts } from '../../completion.js';
import { objectsIn } from '../../text/is-object.js';
import { urlCitation } from '../answer-chunks.js';

/** A source in Converse's format. Only some locations have an address. */
export interface ConverseCitation {
  title?: string;
  /** For a search result: the source that the caller gave, often an address. */
  source?: string;
  sourceContent?: { text?: string }[];
  location?: { web?: { url?: string } };
}

/** Token counts of Converse. `inputTokens` excludes cache reads and writes (2026-05). */
export interface ConverseUsage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadInputTokens?: number;
  cacheWriteInputTokens?: number;
  /** The cache writes by how long they are kept. */
  cacheDetails?: readonly { ttl?: string; inputTokens?: number }[];
}

/** The start of a tool call. AWS itself runs calls of type `server_tool_use`. */
export interface ConverseToolUse {
  toolUseId?: string;
  name?: string;
  type?: string;
  input?: object | null;
}

/** One block of a whole answer. */
export interface ContentBlock {
  text?: string;
  reasoningContent?: {
    reasoningText?: { text?: string; signature?: string };
    redactedContent?: string;
  };
  toolUse?: ConverseToolUse;
  citationsContent?: { content?: { text?: string }[]; citations?: ConverseCitation[] };
}

/** A whole answer of Converse. */
export interface ConverseAnswer {
  output?: { message?: { content?: ContentBlock[] } };
  stopReason?: string;
  additionalModelResponseFields?: { stop_sequence?: unknown } | null;
  usage?: ConverseUsage;
}

/** Translates usage; null if there is none. Bedrock's `totalTokens` is the sum of all counts. */
export function converseUsage(reported: ConverseUsage | undefined): Usage | null {
  const usage = withCounts(reported);
  if (!usage) return null;
  const cachedTokens = usage.cacheReadInputTokens ?? 0;
  const cacheWriteTokens = usage.cacheWriteInputTokens ?? 0;
  return usageOfAnswer({
    promptTokens: (usage.inputTokens ?? 0) + cachedTokens + cacheWriteTokens,
    completionTokens: usage.outputTokens ?? 0,
    cachedTokens,
    cacheWriteTokens,
    hourCacheWriteTokens: objectsIn(usage.cacheDetails).find(({ ttl }) => ttl === '1h')
      ?.inputTokens,
  });
}

/**
 * Translates citations that have a web address; page numbers of an uploaded document have none.
 * @param start,end the cited range of the answer's text, in UTF-16 units
 */
export const readCitations = (
  citations: readonly ConverseCitation[],
  start: number,
  end: number,
): UrlCitation[] =>
  objectsIn(citations).flatMap((citation) => {
    const url: unknown = citation.location?.web?.url ?? citation.source ?? '';
    if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return [];
    const content = objectsIn(citation.sourceContent)
      .map((piece) => piece.text ?? '')
      .join('');
    return [urlCitation({ url, title: citation.title, content }, start, end)];
  });
