import type { ServerResponse } from 'node:http';
import type { FinishedAnswer } from '../../pipeline/completion-call.js';
import { WholeAnswer } from '../../pipeline/whole-answer.js';
import { withCompleteCitations } from '../../completion-builder.js';
import { sendJson } from '../send-json.js';

/** An answer as an OpenAI completion; the body of a provider with this dialect as it is. */
export class OpenAIReply extends WholeAnswer {
  constructor(private readonly res: ServerResponse) {
    super();
  }

  finish(answer: FinishedAnswer): void {
    sendJson(this.res, 200, this.body ?? this.translated(answer));
    this.release();
  }

  private translated(answer: FinishedAnswer): object {
    const { choices, ...envelope } = this.completion(answer);
    return {
      ...envelope,
      choices: choices.map((choice) => ({
        ...choice,
        message: withCompleteCitations(choice.message),
      })),
    };
  }
}
