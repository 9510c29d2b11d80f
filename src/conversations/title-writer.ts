import pLimit from 'p-limit';
import { type ChatMessage, type ChatRequest, type Usage } from '../completion.js';
import { CollectedText } from '../dispatch/collected-text.js';
import { Cancellation } from '../dispatch/cancellation.js';
import { ChatCall } from '../dispatch/chat-call.js';
import { type Attempt, executePlan } from '../dispatch/execute-plan.js';
import type { Provider } from '../dispatch/provider.js';
import { GatewayError } from '../errors.js';
import type { Candidate, Limits } from '../chooser/plan.js';
import { contentText } from '../text/content-text.js';
import { conversationTitle } from './conversation-title.js';

/** The model that writes titles. */
export interface TitleModel {
  readonly candidate: Candidate;
  /** Undefined if the configuration has no such provider. */
  readonly provider: Provider | undefined;
  onAttempt(attempt: Attempt): void;
  /** In USD; null if unknown. */
  costOf(usage: Usage): number | null;
}

/** A conversation without a written title. */
export interface Untitled {
  readonly accountId: string;
  readonly conversationId: string;
  readonly messages: readonly ChatMessage[];
  readonly answer: string;
}

/** A written title, for the log. */
export interface WrittenTitle {
  readonly model: string;
  readonly usage: Usage | null;
  readonly costUsd: number | null;
}

/** Where titles are reported. */
export interface TitleReports {
  written(title: WrittenTitle): void;
  failed(error: unknown): void;
}

type Rename = (accountId: string, conversationId: string, title: string) => Promise<unknown>;

const maxConcurrent = 4;
const maxWaiting = 100;
const titleTimeoutMs = 60_000;
const limits: Limits = {
  retriesPerCandidate: 1,
  firstEventTimeoutMs: titleTimeoutMs,
  idleTimeoutMs: titleTimeoutMs,
  totalTimeoutMs: titleTimeoutMs,
};
/** Enough for a model that reasons first. */
const maxTokens = 1_000;
const instruction =
  'Write a title for the conversation below: at most six words, in its own language, without quotation marks. Answer with the title alone.';

/**
 * Has a model write titles in the background, a few at a time. When many wait already, further
 * conversations keep the title that was derived from their first message.
 */
export class TitleWriter {
  private readonly limit = pLimit(maxConcurrent);
  private readonly underWay = new Set<Cancellation>();

  constructor(
    private readonly rename: Rename,
    private readonly reports: TitleReports,
  ) {}

  /** Returns at once; failures are only reported. */
  write(model: TitleModel, untitled: Untitled): void {
    if (this.limit.pendingCount < maxWaiting)
      void this.limit(() => this.writeTitle(model, untitled));
  }

  /** Cancels what is under way, and drops what waits. */
  close(): void {
    this.limit.clearQueue();
    for (const cancellation of this.underWay)
      cancellation.cancel(new GatewayError('unavailable', 'the gateway is stopping'));
  }

  private async writeTitle(model: TitleModel, untitled: Untitled): Promise<void> {
    const cancellation = new Cancellation();
    this.underWay.add(cancellation);
    try {
      const writer = new CollectedText();
      const ask = { chat: requestOf(untitled), writer };
      const { usage } = await executePlan({
        plan: { candidates: [model.candidate], limits },
        stream: false,
        callOf: (target) => new ChatCall(target, ask),
        cancellation,
        providerOf: () => model.provider,
        onAttempt: model.onAttempt,
      });
      const title = titleOf(writer.written);
      if (title !== null) await this.rename(untitled.accountId, untitled.conversationId, title);
      this.reports.written({
        model: model.candidate.label,
        usage,
        costUsd: usage && model.costOf(usage),
      });
    } catch (error) {
      this.reports.failed(error);
    } finally {
      this.underWay.delete(cancellation);
    }
  }
}

/** Quotes the conversation in one message: given as messages, models tend to continue it. */
function requestOf({ messages, answer }: Untitled): ChatRequest {
  const asked = contentText(messages.find(({ role }) => role === 'user')?.content).slice(0, 2_000);
  return {
    messages: [
      { role: 'system', content: instruction },
      {
        role: 'user',
        content: `<user>\n${asked}\n</user>\n<assistant>\n${answer.slice(0, 1_000)}\n</assistant>`,
      },
    ],
    max_tokens: maxTokens,
  };
}

/** A title from what the model wrote; null if nothing is left. */
function titleOf(written: string): string | null {
  const bare = written
    .trim()
    .replace(/^title:\s*/i, '')
    .replace(/^["'“”«»„‘’]+|["'“”«»„‘’.]+$/gu, '')
    .trim();
  return bare === '' ? null : conversationTitle([{ role: 'user', content: bare }]);
}
