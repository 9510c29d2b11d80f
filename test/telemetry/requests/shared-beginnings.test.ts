import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SharedBeginnings } from '../../../src/telemetry/requests/shared-beginnings.js';
import { runs } from '../../helpers/runs.js';

const long = (text: string) => ({ role: 'user', content: text.repeat(1_000) });

describe('the beginning of a conversation', () => {
  it('is where it was stored first, for every later turn', () => {
    const beginnings = new SharedBeginnings();
    const turns = ['a', 'b', 'c', 'd'].map(long);
    const first = beginnings.of('ann', turns.slice(0, 1));
    expect(first.shared).toBeNull();
    first.stored('one');
    beginnings.of('ann', turns.slice(0, 3)).stored('two');
    expect(beginnings.of('ann', turns).shared).toEqual({ after: 'two', count: 3 });
    expect(beginnings.of('ann', [turns[0], long('x')]).shared).toEqual({ after: 'one', count: 1 });
  });

  it("is not that of another account's conversation, of other messages or of a few words", () => {
    const beginnings = new SharedBeginnings();
    beginnings.of('ann', [long('a')]).stored('one');
    beginnings.of('ann', [{ role: 'user', content: 'hi' }]).stored('two');
    expect(beginnings.of('bob', [long('a')]).shared).toBeNull();
    expect(beginnings.of('ann', [long('b'), long('a')]).shared).toBeNull();
    expect(beginnings.of('ann', [{ role: 'user', content: 'hi' }]).shared).toBeNull();
  });

  it('is not looked for in lists of so many messages that it would take long', () => {
    const beginnings = new SharedBeginnings();
    const many = Array.from({ length: 4_001 }, () => long('a'));
    beginnings.of('ann', many).stored('one');
    expect(beginnings.of('ann', many).shared).toBeNull();
    beginnings.of('ann', many.slice(1)).stored('two');
    expect(beginnings.of('ann', many.slice(1)).shared).toEqual({ after: 'two', count: 4_000 });
  });

  it('is stored anew after an hour, because the earlier request is deleted sooner', () => {
    let now = 0;
    const beginnings = new SharedBeginnings(() => now);
    beginnings.of('ann', [long('a')]).stored('one');
    now = 3_600_000;
    const later = beginnings.of('ann', [long('a')]);
    expect(later.shared).toBeNull();
    later.stored('two');
    expect(beginnings.of('ann', [long('a')]).shared).toEqual({ after: 'two', count: 1 });
  });

  it('never needs more than sixteen other requests, and always names the same messages', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(30)), { maxLength: 60 }), (requests) => {
        const beginnings = new SharedBeginnings();
        const stored = new Map<string, { messages: object[]; after: string | null }>();
        for (const [index, [kind, length]] of requests.entries()) {
          const messages = Array.from({ length }, (_, at) => long(`${at < 5 ? 0 : kind}.${at} `));
          const beginning = beginnings.of('ann', messages);
          const { after = null, count = 0 } = beginning.shared ?? {};
          if (after !== null)
            expect(stored.get(after)?.messages.slice(0, count)).toEqual(messages.slice(0, count));
          beginning.stored(String(index));
          stored.set(String(index), { messages, after });
          let depth = 0;
          for (let at = after; at !== null; at = stored.get(at)?.after ?? null) depth++;
          expect(depth).toBeLessThanOrEqual(16);
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
