import type { ServerResponse } from 'node:http';
import type { FinishedAnswer } from '../../pipeline/completion-call.js';
import { WholeAnswer } from '../../pipeline/whole-answer.js';
import type { CompletionAnswer } from '../../providers/adapter.js';
import type { Candidate } from '../../chooser/plan.js';
import { sendJson } from '../send-json.js';

/**
 * An answer as an OpenAI completion. The body of a provider with this dialect is forwarded
 * unchanged.
 */
export class OpenAIReply extends WholeAnswer {
  private body: Buffer | null = null;

  constructor(private readonly res: ServerResponse) {
    super();
  }

  override begin(candidate: Candidate): void {
    super.begin(candidate);
    this.body = null;
  }

  override whole(answer: CompletionAnswer, body: Buffer | null): void {
    super.whole(answer, body);
    this.body = body;
  }

  finish(answer: FinishedAnswer): void {
    sendJson(this.res, 200, this.body ?? this.completion(answer));
    this.release();
  }

  protected override release(): void {
    super.release();
    this.body = null;
  }
}
