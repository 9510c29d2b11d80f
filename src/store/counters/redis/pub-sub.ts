import { messageOf } from '../../../errors.js';
import type { PubSub } from '../../contracts/counters.js';
import type { RedisLink } from './link.js';

/** Messages between replicas, by Redis's own publish and subscribe. */
export class RedisPubSub implements PubSub {
  private readonly listeners = new Map<string, ((text: string) => void)[]>();

  /** @param onWarning gets a message when a listener throws */
  constructor(
    private readonly link: Pick<RedisLink, 'isUp' | 'send'>,
    private readonly channel: string,
    private readonly processId: string,
    private readonly onWarning: (warning: string) => void,
  ) {}

  publish(topic: string, text: string): void {
    this.link
      .send(['PUBLISH', this.channel, JSON.stringify([this.processId, topic, text])])
      .catch(() => undefined);
  }

  subscribe(topic: string, listener: (text: string) => void): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  /** Passes a message of the channel to the listeners. Never throws. */
  receive(message: string): void {
    const [from, topic, text] = partsOf(message);
    if (from === this.processId || topic === undefined || text === undefined) return;
    for (const listener of this.listeners.get(topic) ?? []) {
      try {
        listener(text);
      } catch (error) {
        this.onWarning(`a message on ${topic} could not be processed: ${messageOf(error)}`);
      }
    }
  }
}

/** The parts of a message; none if another program wrote it. */
function partsOf(message: string): string[] {
  try {
    const parts: unknown = JSON.parse(message);
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : [];
  } catch {
    return [];
  }
}
