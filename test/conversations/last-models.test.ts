import { describe, expect, it } from 'vitest';
import { historyKey, LastModels } from '../../src/conversations/last-models.js';

const says = (role: string, content: string): { role: string; content: string } => ({
  role,
  content,
});
const history = [
  says('system', 'be brief'),
  says('user', 'Hi'),
  says('assistant', 'Hello'),
  says('user', 'And now?'),
];

describe('the last model', () => {
  it('is known by account and key, for an hour', () => {
    let now = 1_000;
    const models = new LastModels(() => now);
    models.add('ann', 'a', { provider: 'p', model: 'm' });
    expect(models.find('ann', 'a')).toEqual({ provider: 'p', model: 'm' });
    expect([models.find('bob', 'a'), models.find('ann', 'b')]).toEqual([null, null]);
    now += 3_590_000;
    expect(models.find('ann', 'a')).not.toBeNull();
    now += 20_000;
    expect(models.find('ann', 'a')).toBeNull();
  });

  it('is forgotten after those of twenty thousand other conversations', () => {
    const models = new LastModels();
    for (let at = 0; at <= 20_000; at++)
      models.add('ann', String(at), { provider: 'p', model: 'm' });
    expect([models.find('ann', '0'), models.find('ann', '1')]).toEqual([
      null,
      { provider: 'p', model: 'm' },
    ]);
  });
});

describe('a history', () => {
  it('is recognized when the answer and the next question follow it', () => {
    expect(
      historyKey([...history, says('assistant', 'Now.'), says('user', 'Thanks')], history.length),
    ).toBe(historyKey(history));
  });

  it('is the same as text and as one block of text', () => {
    expect(historyKey([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }])).toBe(
      historyKey([says('user', 'Hi')]),
    );
  });

  it('is different with another text, role, length or order', () => {
    const long = 'x'.repeat(100_000);
    const others = [
      history.slice(0, 3),
      [says('system', 'be brief'), says('user', 'Ho'), ...history.slice(2)],
      [says('user', 'be brief'), ...history.slice(1)],
      [...history].reverse(),
      [says('user', long)],
      [says('user', `${long}x`)],
      [says('user', `y${long.slice(1)}`)],
      [says('user', 'a\0user\0b')],
      [{ role: 'user', content: null }],
      [],
    ];
    expect(new Set([history, ...others].map((one) => historyKey(one))).size).toBe(
      others.length + 1,
    );
  });

  it('takes bounded time, however long it is', () => {
    const text = 'x'.repeat(1_000_000);
    const long = Array.from({ length: 100_000 }, () => says('user', text));
    const startedAt = performance.now();
    historyKey(long);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
