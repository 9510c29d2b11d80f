import type { ServerResponse } from 'node:http';
import { type CompletionChunk, type UrlCitation, type Usage } from '../../completion.js';
import type { AnswerSource } from '../../conversations/answered-message.js';
import type { JoinedConversation } from '../../conversations/keeper.js';
import type { Costs } from '../../routing/cost.js';
import type { Candidate } from '../../routing/plan.js';
import type { FinishedAnswer } from '../../pipeline/completion-call.js';
import { usageCounts } from '../../pipeline/keep-turn.js';
import type { FieldWarning } from '../../pipeline/request.js';

/**
 * What all native answers contain, streamed or not: ids, conversation title, sources. Sets the id
 * headers when created.
 */
export class NativeEnvelope {
  readonly responseMessageId: string;
  private readonly sources = new Map<string, AnswerSource>();

  constructor(
    res: ServerResponse,
    private readonly conversation: JoinedConversation,
    private readonly warnings: readonly FieldWarning[],
  ) {
    this.responseMessageId = conversation.answerId;
    res.setHeader('conversationId', conversation.id);
    res.setHeader('responseMessageId', this.responseMessageId);
  }

  /** Forgets the sources of a failed attempt. */
  dropSources(): void {
    this.sources.clear();
  }

  /** Collects the sources that a chunk cites. */
  collectSources(chunk: CompletionChunk): void {
    for (const { delta } of chunk.choices) this.cite(delta.annotations);
    // Perplexity lists its sources in a field of the chunk, not in the message
    const results = chunk['search_results'];
    if (Array.isArray(results))
      for (const result of results as { url?: string; title?: string; snippet?: string }[])
        this.addSource(result.url, result.title, result.snippet);
  }

  cite(annotations: readonly UrlCitation[] | null | undefined): void {
    for (const annotation of annotations ?? []) {
      const citation = annotation.url_citation as UrlCitation['url_citation'] | undefined;
      this.addSource(citation?.url, citation?.title, citation?.content);
    }
  }

  message(text: string, reasoning: string): object {
    return {
      role: 'assistant',
      type: 'text',
      content: [{ type: 'text', text }],
      ...(reasoning ? { reasoning } : {}),
      ...(this.sources.size > 0 ? { sources: [...this.sources.values()] } : {}),
    };
  }

  /** The sources collected so far. */
  cited(): AnswerSource[] {
    return [...this.sources.values()];
  }

  names(candidate: Candidate): {
    provider: string;
    model: string;
    responseMessageId: string;
  } {
    return {
      provider: candidate.provider ?? '',
      model: candidate.model,
      responseMessageId: this.responseMessageId,
    };
  }

  /** The fields of a complete answer. */
  closing(answer: FinishedAnswer): object {
    return {
      finishReason: answer.finishReason,
      usage: nativeUsage(answer.usage, answer.costs),
      latency: answer.latencyMs,
      ttft: answer.ttftMs,
      conversationId: this.conversation.id,
      conversationTitle: this.conversation.title,
      ...(answer.stored === false ? { conversationStored: false } : {}),
      ...(answer.errorTrace.length > 0 ? { errorTrace: answer.errorTrace } : {}),
      ...(this.warnings.length > 0 ? { warnings: this.warnings } : {}),
    };
  }

  private addSource(
    url: string | undefined,
    title: string | undefined,
    snippet: string | undefined,
  ): void {
    if (url && !this.sources.has(url))
      this.sources.set(url, { title: title ?? '', url, snippet: snippet ?? '' });
  }
}

/** Usage with the native field names. */
export function nativeUsage(usage: Usage, costs: Costs): object {
  return Object.assign(usageCounts(usage), { costs });
}
