import type { Schema } from '../../api/schema.js';
import { texts } from '../../texts/texts.js';

/** Which acts are shown. Days as `YYYY-MM-DD` in the reader's zone; empty: no bound. */
export interface ActFilter {
  readonly act: Act | null;
  readonly from: string;
  readonly to: string;
  /** Of all accounts; false: of one's own. */
  readonly isAll: boolean;
}

/** The start of a day in the reader's zone, or of one that many days later. */
function startOf(day: string, later = 0): number {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + later);
  return at.getTime();
}

/** The parameters of `GET /api/v1/audit`; the last day is shown whole. */
export const filterQuery = ({ act, from, to, isAll }: ActFilter): Record<string, string> => ({
  ...(isAll ? { account: 'all' } : {}),
  ...(act === null ? {} : { act }),
  ...(from === '' ? {} : { from: String(startOf(from)) }),
  ...(to === '' ? {} : { to: String(startOf(to, 1)) }),
});

/** An act that is recorded. */
export type Act = Schema<'AuditResponse'>['act'];

/** What each act is called. */
export const actWords: Readonly<Record<Act, string>> = texts.settings.acts;
