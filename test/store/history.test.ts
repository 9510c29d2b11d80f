import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, firstUnstored } from '../../src/store/history.js';

const letters = (text: string): string[] => text.split('');

describe('a message is recognized', () => {
  it('whether its text is a string or a single text block, and whatever white space surrounds it', () => {
    const digest = digestOf({ role: 'user', content: 'Hello' });
    expect(digest).toMatch(/^[0-9a-f]{32}$/);
    expect(digestOf({ role: 'user', content: [{ type: 'text', text: 'Hello' }] })).toBe(digest);
    expect(
      digestOf({
        role: 'user',
        content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }],
      }),
    ).toBe(digest);
    expect(digestOf({ role: 'user', content: '\nHello ' })).toBe(digest);
  });

  it('but not with another role, text or part', () => {
    const digests = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'hello' },
      { role: 'user', content: null },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'text', text: 'Hello' },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
      },
      {
        role: 'user',
        content: '[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]',
      },
    ].map(digestOf);
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('stored messages are not added again', () => {
  const cases: [title: string, stored: string, sent: string, fresh: string][] = [
    ['the first messages', '', 'abc', 'abc'],
    ['the usual continuation', 'aA', 'aAb', 'b'],
    ['a client that has cut off the oldest messages', 'aAbBcC', 'cCd', 'd'],
    ['an answer that is asked for again', 'aAbB', 'aAb', ''],
    ['a continuation after that', 'aAbBX', 'aAbXc', 'c'],
    ['a last question that is asked otherwise', 'aAbB', 'aAx', 'x'],
    ['a continuation after that, too', 'aAbBxX', 'aAxXc', 'c'],
    ['a client that sends only the newest message', 'aAbB', 'c', 'c'],
    ['a client that sums up its oldest messages', 'aAbBcC', 'SbBcCd', 'd'],
    ['a client whose first message changes every time', 'aAbB', 'zAbBc', 'c'],
    ['another dialogue that shares one message', 'aAbB', 'xXBy', 'xXBy'],
    ['a turn that was not stored, though it ends as the last did', 'aK', 'aKbKc', 'bKc'],
    ['results of tools after the call', 'aT', 'aTr', 'r'],
  ];
  it.each(cases)('%s: of %s and %s, new is %s', (_title, stored, sent, fresh) => {
    expect(sent.slice(firstUnstored(letters(stored), letters(sent)))).toBe(fresh);
  });

  it('a dialogue that continues is stored once and completely, however often its messages repeat', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('a', 'b')), { maxLength: 20 }),
        (turns) => {
          const stored: string[] = [];
          const history: string[] = [];
          for (const [question, answer] of turns) {
            history.push(`user ${question}`);
            stored.push(...history.slice(firstUnstored(stored, history)), `assistant ${answer}`);
            history.push(`assistant ${answer}`);
          }
          expect(stored).toEqual(history);
        },
      ),
    );
  });

  it('takes time proportional to the number of messages, however they repeat', () => {
    const many = new Array<string>(100_000).fill('a');
    const startedAt = performance.now();
    expect(firstUnstored(many, ['x', ...many])).toBe(100_001);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('sending the same again adds no message', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
        fc.string(),
        (sent, answer) => {
          expect(firstUnstored([...sent, answer], sent)).toBe(sent.length);
        },
      ),
    );
  });

  it('every message is stored exactly once while a client continues, cuts, regenerates and rephrases, in any order', () => {
    const move = fc.oneof(
      fc.constant('continue' as const),
      fc.constant('again' as const),
      fc.record({ otherwise: fc.nat(8) }),
      fc.record({ cut: fc.nat(4) }),
    );
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const client = new Client();
        for (const next of moves) client.move(next);
        expect(client.stored).toEqual([...new Set(client.stored)]);
        expect(client.stored).toHaveLength(client.made);
      }),
    );
  });
});

/** Sends its whole history; every message that it makes is new. */
class Client {
  readonly stored: string[] = [];
  made = 0;
  private history: string[] = [];

  move(next: 'continue' | 'again' | { otherwise: number } | { cut: number }): void {
    if (typeof next === 'object' && 'cut' in next) {
      this.history = this.history.slice(next.cut * 2);
      return;
    }
    if (next === 'again' && this.history.length > 0) this.history.pop();
    else {
      if (typeof next === 'object') this.history = this.history.slice(0, next.otherwise * 2);
      this.history.push(this.make());
    }
    this.stored.push(...this.history.slice(firstUnstored(this.stored, this.history)));
    const answer = this.make();
    this.stored.push(answer);
    this.history.push(answer);
  }

  private make(): string {
    this.made += 1;
    return `message ${this.made}`;
  }
}
