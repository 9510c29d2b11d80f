const dayMs = 86_400_000;
const unitMs: Readonly<Record<string, number>> = {
  second: 1_000,
  sec: 1_000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  year: 365 * dayMs,
};

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const isoTime =
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const age = /^(\d{1,4}|an?) (second|sec|minute|min|hour|day|week|month|year)s? ago$/i;
const maxDateLength = 40;
const earliest = Date.UTC(1900, 0);

/**
 * When a page was published, from what an engine says: ISO 8601, an HTTP date, a date in English
 * words (`Mar 5, 2024`), or an age (`3 days ago`). Times without a zone are taken as UTC.
 * @param now in ms since 1970
 * @returns a date, or date and time in UTC where the time is known; null if it is not understood,
 * before 1900, or later than tomorrow
 */
export function publishedAt(said: unknown, now: number): string | null {
  if (typeof said !== 'string') return null;
  const text = said.trim();
  if (text.length > maxDateLength) return null;
  const { at, hasTime } = momentOf(text, now);
  if (!(at >= earliest && at <= now + dayMs)) return null;
  const iso = new Date(at).toISOString();
  return hasTime ? iso : iso.slice(0, 10);
}

function momentOf(text: string, now: number): { at: number; hasTime: boolean } {
  if (isoDate.test(text)) return { at: Date.parse(text), hasTime: false };
  const zone = isoTime.exec(text);
  if (zone) {
    const written = text.replace(' ', 'T').replace(',', '.');
    return { at: Date.parse(zone[1] === undefined ? `${written}Z` : written), hasTime: true };
  }
  if (/^yesterday$/i.test(text)) return { at: now - dayMs, hasTime: false };
  const [, count, unit = ''] = age.exec(text) ?? [];
  if (count !== undefined) {
    const ms = unitMs[unit.toLowerCase()] ?? 0;
    // an age in days says nothing of the time of day
    return { at: now - (Number.parseInt(count, 10) || 1) * ms, hasTime: ms < dayMs };
  }
  // only with a day, a month's name and a year: the parser guesses much else
  const isWords = /[a-z]{3}/i.test(text) && /\b\d{1,2}\b/.test(text) && /\b\d{4}\b/.test(text);
  if (!isWords) return { at: NaN, hasTime: false };
  // without a zone it is parsed in the machine's
  const hasZone = /\b(GMT|UTC|[A-Z]{1,2}ST|[A-Z]{1,2}DT)\b|[+-]\d{4}$/.test(text);
  return { at: Date.parse(hasZone ? text : `${text} UTC`), hasTime: /\d:\d/.test(text) };
}

const recencyDays = { day: 1, week: 7, month: 31, year: 366 } as const;

/** Whether a page says that it is older than allowed, with a day's grace for zones. */
export function isTooOld(
  published: string | null,
  recency: keyof typeof recencyDays | null,
  now: number,
): boolean {
  if (published === null || recency === null) return false;
  return Date.parse(published) < now - (recencyDays[recency] + 1) * dayMs;
}

/** The start of the period that a recency names, as `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const startOfRecency = (recency: keyof typeof recencyDays, now: number): string =>
  new Date(now - recencyDays[recency] * dayMs).toISOString();
