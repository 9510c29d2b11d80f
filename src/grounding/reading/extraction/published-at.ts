const numeric =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?/;
/** As in feeds: `Tue, 05 May 2026 10:00:00 +0200`. */
const written = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4}(?: \d{2}:\d{2}(?::\d{2})?)?/;

/**
 * A date of a document as an ISO date and time, or null. A time without a zone counts as UTC, as
 * does a date without a time, so that the result does not depend on this machine.
 */
export function publishedAt(text: string | null | undefined): string | null {
  const date = text?.trim().slice(0, 64) ?? '';
  const parts = numeric.exec(date);
  const ms = parts ? numericDate(parts) : writtenDate(date);
  const year = new Date(ms).getUTCFullYear();
  return year >= 1990 && year <= 2100 ? new Date(ms).toISOString() : null;
}

function numericDate(parts: RegExpExecArray): number {
  const [, year, month = '', day = '', hour = '0', minute = '00', second = '00', zone = 'Z'] =
    parts;
  const two = (text: string): string => text.padStart(2, '0');
  return Date.parse(
    `${year}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}${zone.replace(/(\d{2}):?(\d{2})$/, '$1:$2')}`,
  );
}

function writtenDate(date: string): number {
  const found = written.exec(date)?.[0];
  if (found === undefined) return NaN;
  const zone = date.slice(found.length).trim();
  return Date.parse(`${found} ${/^([+-]\d{4}|[A-Z]{1,4})$/.test(zone) ? zone : 'UTC'}`);
}
