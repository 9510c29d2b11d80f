import { describe, expect, it } from 'vitest';
import { mailAddressOf } from '../../src/accounts/mail-address.js';

describe('a mail address', () => {
  it.each([
    ['Ada@Example.ORG', 'ada@example.org'],
    ['ada.lovelace+keys@mail.example.org', 'ada.lovelace+keys@mail.example.org'],
    ["o'neil@example.org", "o'neil@example.org"],
    ['root@localhost', 'root@localhost'],
    ['jos\u0065\u0301@ex\u00e4mple.org', 'jos\u00e9@ex\u00e4mple.org'],
    ['J\u030cana@example.org', '\u01f0ana@example.org'],
    [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
  ])('%s is found as %s', (written, kept) => {
    expect(mailAddressOf(written)).toBe(kept);
  });

  it.each([
    '',
    'ada',
    '@example.org',
    'ada@',
    'ada@example.org ',
    'ada lovelace@example.org',
    'ada@example..org',
    'ada@-example.org',
    'ada@example.org.',
    'ada@a@b',
    'ada@example.org,eve@example.net',
    'Ada <ada@example.org>',
    '"ada"@example.org',
    'ada@example.org\r\nBcc: eve@example.net',
    'ada\u0000@example.org',
    'a\u202ed@example.org',
    `${'a'.repeat(65)}@example.org`,
    `a@${'b'.repeat(300)}.org`,
    'ada@[127.0.0.1]',
    'ada;eve@example.org',
  ])('%j is none', (text) => {
    expect(() => mailAddressOf(text)).toThrow('email: must be a mail address');
  });

  it('is checked quickly, however long it is', () => {
    const startedAt = performance.now();
    expect(() => mailAddressOf(`a@${'a-'.repeat(120)}`)).toThrow();
    expect(() => mailAddressOf(`a@${'a.'.repeat(500_000)}`)).toThrow();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
