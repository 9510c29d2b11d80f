import type { PubSub } from '../../contracts/counters.js';
import type { RedisLink } from './link.js';

/** What replicas tell each other, by Redis's publish and subscribe. */
export class RedisPubSub implements PubSub {
  private readonly listeners = new Map<string, ((text: string) => void)[]>();

  /** @param onWarning hears of listeners that throw: nobody else would */
  constructor(
    private readonly link: Pick<RedisLink, 'isUp' | 'send'>,
    private readonly channel: string,
    private readonly processId: string,
    private readonly onWarning: (warning: string) => void,
  ) {}

  tell(topic: string, text: string): void {
    this.link
      .send(['PUBLISH', this.channel, JSON.stringify([this.processId, topic, text])])
      .catch(() => undefined);
  }

  hear(topic: string, listener: (text: string) => void): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  /** What has come over the channel. Never throws. */
  receive(message: string): void {
    const [from, topic, text] = wordsOf(message);
    if (from === this.processId || topic === undefined || text === undefined) return;
    for (const listener of this.listeners.get(topic) ?? []) {
      try {
        listener(text);
      } catch (error) {
        this.onWarning(
          `what was heard of ${topic} was not understood: ${error instanceof Error ? error.message : 'unknown'}`,
        );
      }
    }
  }
}

/** Whoever else writes to that Redis may say anything. */
function wordsOf(message: string): string[] {
  try {
    const words: unknown = JSON.parse(message);
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : [];
  } catch {
    return [];
  }
}
