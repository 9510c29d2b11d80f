import { randomUUID } from 'node:crypto';
import {
  makeUsage,
  toOpenAIUsage,
  type CompletionMessage,
  type ToolCall,
  type UrlCitation,
  type Usage,
} from '../../completion.js';
import type { CompletionAnswer } from '../adapter.js';
import { malformedOutput } from './failure.js';

/** A source as Converse names it. Only some locations have an address. */
export interface Citation {
  title?: string;
  /** Of a search result: what the caller named as its source, often an address. */
  source?: string;
  sourceContent?: { text?: string }[];
  location?: { web?: { url?: string } };
}

/** Token counts of Converse. `inputTokens` leaves out what came from the cache or went into it (2026-05). */
export interface ConverseUsage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadInputTokens?: number;
  cacheWriteInputTokens?: number;
}

/** The start of a tool call; `server_tool_use` is run by AWS itself and is nobody's to answer. */
export interface ToolUse {
  toolUseId?: string;
  name?: string;
  type?: string;
  input?: unknown;
}

interface ContentBlock {
  text?: string;
  reasoningContent?: {
    reasoningText?: { text?: string; signature?: string };
    redactedContent?: string;
  };
  toolUse?: ToolUse;
  citationsContent?: { content?: { text?: string }[]; citations?: Citation[] };
}

/** A whole answer of Converse. */
export interface ConverseAnswer {
  output?: { message?: { content?: ContentBlock[] } };
  stopReason?: string;
  usage?: ConverseUsage;
}

/** `totalTokens` in Bedrock's own answers is the sum of all four: so is this. */
export function readUsage(usage: ConverseUsage | undefined): Usage | null {
  if (!usage) return null;
  const cachedTokens = usage.cacheReadInputTokens ?? 0;
  const cacheWriteTokens = usage.cacheWriteInputTokens ?? 0;
  return makeUsage({
    promptTokens: (usage.inputTokens ?? 0) + cachedTokens + cacheWriteTokens,
    completionTokens: usage.outputTokens ?? 0,
    cachedTokens,
    cacheWriteTokens,
  });
}

/** @throws GatewayError where Bedrock says that the model's output was malformed */
export function readStopReason(provider: string, stopReason: string, calledTools: boolean): string {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'guardrail_intervened':
    case 'content_filtered':
    case 'refusal':
      return 'content_filter';
    case 'malformed_model_output':
    case 'malformed_tool_use':
      throw malformedOutput(provider, stopReason);
    default:
      // end_turn, stop_sequence, tool_use: the last also ends a turn in which only AWS's own tools were called
      return calledTools ? 'tool_calls' : 'stop';
  }
}

/** False for the calls that AWS answers by itself. */
export function isOurs(toolUse: ToolUse): boolean {
  return toolUse.type !== 'server_tool_use';
}

/**
 * Only citations with a web address: page numbers of an uploaded document have none.
 * @param start,end the stretch of the answer's text that they stand for, in UTF-16 units
 */
export function readCitations(
  citations: readonly Citation[],
  start: number,
  end: number,
): UrlCitation[] {
  return citations.flatMap((citation) => {
    const url = citation.location?.web?.url ?? citation.source ?? '';
    if (!/^https?:\/\//i.test(url)) return [];
    const content = (citation.sourceContent ?? []).map((piece) => piece.text ?? '').join('');
    return [
      {
        type: 'url_citation' as const,
        url_citation: {
          url,
          ...(citation.title ? { title: citation.title } : {}),
          ...(content ? { content } : {}),
          start_index: start,
          end_index: end,
        },
      },
    ];
  });
}

/** A thought that must be handed back as it came; null where it has no signature and needs not. */
export function signedThought(text: string, signature: string): unknown {
  return signature ? { type: 'reasoning.text', text, signature } : null;
}

/**
 * Bedrock wraps the provider's opaque text into base64 once more; unwrapped it is what Anthropic's own interface sends,
 * so that a conversation can go on there. Byte for byte: Latin-1 loses nothing.
 */
export function sealedThought(redactedContent: string): unknown {
  return {
    type: 'reasoning.encrypted',
    data: Buffer.from(redactedContent, 'base64').toString('latin1'),
  };
}

interface Gathered {
  text: string;
  thoughts: string;
  details: unknown[];
  calls: ToolCall[];
  annotations: UrlCitation[];
}

function gather(block: ContentBlock, into: Gathered): void {
  if (block.text) into.text += block.text;
  if (block.citationsContent) {
    const start = into.text.length;
    into.text += (block.citationsContent.content ?? []).map((piece) => piece.text ?? '').join('');
    into.annotations.push(
      ...readCitations(block.citationsContent.citations ?? [], start, into.text.length),
    );
  }
  const { reasoningText, redactedContent } = block.reasoningContent ?? {};
  if (reasoningText) {
    into.thoughts += reasoningText.text ?? '';
    const detail = signedThought(reasoningText.text ?? '', reasoningText.signature ?? '');
    if (detail) into.details.push(detail);
  }
  if (redactedContent) into.details.push(sealedThought(redactedContent));
  if (block.toolUse && isOurs(block.toolUse)) {
    const { toolUseId, name, input } = block.toolUse;
    into.calls.push({
      id: toolUseId ?? '',
      type: 'function',
      function: { name: name ?? '', arguments: JSON.stringify(input ?? {}) },
    });
  }
}

function makeMessage(found: Gathered): CompletionMessage {
  return {
    role: 'assistant',
    content: found.text || null,
    ...(found.thoughts ? { reasoning_content: found.thoughts } : {}),
    ...(found.details.length > 0 ? { reasoning_details: found.details } : {}),
    ...(found.calls.length > 0 ? { tool_calls: found.calls } : {}),
    ...(found.annotations.length > 0 ? { annotations: found.annotations } : {}),
  };
}

/** Translates a whole answer. @returns null where it is no answer of Converse */
export function readConverse(
  provider: string,
  answer: ConverseAnswer,
  model: string,
): CompletionAnswer | null {
  const blocks = answer.output?.message?.content;
  if (!Array.isArray(blocks) || (blocks.length === 0 && !answer.stopReason)) return null;
  const found: Gathered = { text: '', thoughts: '', details: [], calls: [], annotations: [] };
  for (const block of blocks) gather(block, found);
  const usage = readUsage(answer.usage);
  return {
    completion: {
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model,
      choices: [
        {
          index: 0,
          message: makeMessage(found),
          finish_reason: answer.stopReason
            ? readStopReason(provider, answer.stopReason, found.calls.length > 0)
            : null,
        },
      ],
      usage: usage && toOpenAIUsage(usage),
    },
    usage,
  };
}
