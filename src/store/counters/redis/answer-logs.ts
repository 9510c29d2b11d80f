import { setTimeout as wait } from 'node:timers/promises';
import {
  type AnswerLogs,
  type LogEntry,
  type LogEntryKind,
  type LogPlace,
  placeOf,
} from '../../contracts/answer-logs.js';
import type { RedisLink } from './link.js';
import { appendEntryScript, unsettledScript } from './scripts.js';

const maxEntries = 200;
const firstPollMs = 20;
/** The link to Redis is shared, so a reader polls instead of blocking it. */
const maxPollMs = 200;
/** Within this, every live process has found Redis again and renewed its notes. */
const settleMs = 10_000;

/** Logs that replicas share: one stream of Redis each, with the place of an entry as its id. */
export class RedisAnswerLogs implements AnswerLogs {
  readonly isShared = true;

  constructor(
    private readonly link: Pick<RedisLink, 'run' | 'send'>,
    private readonly prefix: string,
  ) {}

  async append(log: string, entry: LogEntry, keepMs: number): Promise<void> {
    const { kind, first, text } = entry;
    const place = placeOf(entry).join('-');
    const args = [String(keepMs), place, String(first), kind, text];
    await this.link.run(appendEntryScript, [this.keyOf(log)], args);
  }

  async read(
    log: string,
    from: LogPlace,
    waitMs: number,
    minLeftMs = 0,
  ): Promise<readonly LogEntry[] | null> {
    const endAt = performance.now() + waitMs;
    for (let pollMs = firstPollMs; ; pollMs = Math.min(maxPollMs, pollMs * 1.5)) {
      const found = await this.readNow(log, from, minLeftMs);
      const leftMs = endAt - performance.now();
      if (found === null || found.length > 0 || leftMs <= 0) return found;
      await wait(Math.min(pollMs, leftMs));
    }
  }

  async claim(note: string, text: string, keepMs: number): Promise<string | null> {
    const set = ['SET', this.keyOf(note), text, 'PX', String(keepMs), 'NX'];
    for (;;) {
      const [, leftMs, known] = await Promise.all([
        this.link.send(set),
        this.unsettledMs(),
        this.get(note),
      ]);
      if (known !== null && known !== text) return known;
      // else it has expired between the two, or an emptied Redis may have lost another's note, which
      // its owner is about to set again
      if (known !== null && leftMs === 0) return null;
      await wait(Math.min(leftMs, maxPollMs));
    }
  }

  /** @param isBack whether Redis was away for so long that notes may have expired */
  async unsettledMs(isBack = false): Promise<number> {
    const args = [String(settleMs), isBack ? '1' : '0'];
    return Number(await this.link.run(unsettledScript, [`${this.prefix}notes-since`], args));
  }

  async set(note: string, text: string, keepMs: number): Promise<void> {
    await this.link.send(['SET', this.keyOf(note), text, 'PX', String(keepMs)]);
  }

  async get(note: string): Promise<string | null> {
    const text = await this.link.send(['GET', this.keyOf(note)]);
    return typeof text === 'string' ? text : null;
  }

  async expire(names: readonly string[], keepMs: number): Promise<void> {
    await Promise.all(
      names.map((name) => this.link.send(['PEXPIRE', this.keyOf(name), String(keepMs)])),
    );
  }

  private async readNow(
    log: string,
    from: LogPlace,
    minLeftMs: number,
  ): Promise<LogEntry[] | null> {
    const key = this.keyOf(log);
    const start = from.join('-');
    const rows = await this.link.send(['XRANGE', key, start, '+', 'COUNT', String(maxEntries)]);
    const entries = Array.isArray(rows) ? rows.map(entryOf) : [];
    if (entries.length > 0) return entries;
    // negative: there is none
    return Number(await this.link.send(['PTTL', key])) < minLeftMs ? null : [];
  }

  private keyOf(name: string): string {
    return `${this.prefix}{${name}}:answer`;
  }
}

/** As Redis answers it: the place, then names and values in turn. */
function entryOf(row: unknown): LogEntry {
  const [place, fields] = row as [string, string[]];
  const [, first = '', , kind = '', , text = ''] = fields;
  const last = Number.parseInt(place, 10);
  return { kind: kind as LogEntryKind, first: Number(first), last, text };
}
