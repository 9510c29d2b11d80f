import type { ChatMessage } from '../../completion.js';
import type { Candidate } from '../../chooser/plan.js';

/** Asks a model to go on with what another one began. */
const goOn: ChatMessage = { role: 'user', content: 'Go on.' };

/** Calls and results of the rounds before, and turns that a provider paused. */
export class RoundHistory {
  private readonly entries: { message: ChatMessage; pausedBy: Candidate | null }[] = [];

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  add(...messages: readonly ChatMessage[]): void {
    for (const message of messages) this.entries.push({ message, pausedBy: null });
  }

  /** Adds a turn that is to be sent back as it is, for the model to go on with. */
  pause(message: ChatMessage, pausedBy: Candidate): void {
    this.entries.push({ message, pausedBy });
  }

  /** As a candidate gets it: of a turn that another one paused, only the text is known to it. */
  of(candidate: Candidate): ChatMessage[] {
    const messages = this.entries.flatMap(({ message, pausedBy }) => {
      if (pausedBy === null || pausedBy === candidate) return [message];
      return message.content ? [{ role: 'assistant', content: message.content }] : [];
    });
    const last = this.entries.at(-1);
    const isTakenOver = last?.pausedBy && last.pausedBy !== candidate && last.message.content;
    return isTakenOver ? [...messages, goOn] : messages;
  }
}
