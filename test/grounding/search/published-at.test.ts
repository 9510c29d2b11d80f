import { describe, expect, it } from 'vitest';
import { isTooOld, publishedAt } from '../../../src/grounding/search/published-at.js';

const now = Date.parse('2026-11-22T12:00:00Z');

describe('the date of a page', () => {
  it.each([
    ['2026-03-05', '2026-03-05'],
    ['2026-03-05T10:30:00', '2026-03-05T10:30:00.000Z'],
    ['2026-03-05 10:30', '2026-03-05T10:30:00.000Z'],
    ['2026-03-05T10:30:00.123456', '2026-03-05T10:30:00.123Z'],
    ['2026-03-05T10:30:00+02:00', '2026-03-05T08:30:00.000Z'],
    ['2026-03-05T10:30:00Z', '2026-03-05T10:30:00.000Z'],
    ['Thu, 05 Mar 2026 10:30:00 GMT', '2026-03-05T10:30:00.000Z'],
    ['Mar 5, 2026', '2026-03-05'],
    ['5 March 2026', '2026-03-05'],
    ['March 5, 2026', '2026-03-05'],
    ['3 days ago', '2026-11-19'],
    ['1 week ago', '2026-11-15'],
    ['2 hours ago', '2026-11-22T10:00:00.000Z'],
    ['an hour ago', '2026-11-22T11:00:00.000Z'],
    ['Yesterday', '2026-11-21'],
  ])('%s is %s', (said, expected) => expect(publishedAt(said, now)).toBe(expected));

  it.each([
    ...['', 'recently', '2026', '12', '5. März 2026', '2026年3月5日', '0001-01-01T00:00:00'],
    ...['2026-13-45', '2027-01-01', 'Lamps 5 2026 are here', '1 fortnight ago', '5 days'],
    ...['Mar 5, 2026'.padEnd(60, 'x'), 20260305, null, undefined, {}],
  ])('%j is unknown', (said) => expect(publishedAt(said, now)).toBeNull());

  it('decides what is too old, with a day of grace; unknown dates are not', () => {
    expect(isTooOld('2026-11-15', 'week', now)).toBe(false);
    expect(isTooOld('2026-11-13', 'week', now)).toBe(true);
    expect(isTooOld(null, 'day', now)).toBe(false);
    expect(isTooOld('1999-01-01', null, now)).toBe(false);
  });
});
