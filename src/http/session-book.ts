import { LRUCache } from 'lru-cache';
import type { SessionBook } from './parts.js';

const mostSessions = 100_000;

/** Sessions in this process's memory, the latest hundred thousand. */
export function createSessionBook(): SessionBook {
  const owners = new LRUCache<string, string>({ max: mostSessions });
  return {
    add: (sessionId, account) => void owners.set(sessionId, account),
    has: (sessionId, account) => owners.get(sessionId) === account,
  };
}
