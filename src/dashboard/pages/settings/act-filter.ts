/** Which acts are shown. Days as `YYYY-MM-DD` in the reader's zone; empty: no bound. */
export interface ActFilter {
  readonly act: string | null;
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
export function filterQuery({ act, from, to, isAll }: ActFilter): Record<string, string> {
  return {
    ...(isAll ? { account: 'all' } : {}),
    ...(act === null ? {} : { act }),
    ...(from === '' ? {} : { from: String(startOf(from)) }),
    ...(to === '' ? {} : { to: String(startOf(to, 1)) }),
  };
}

/** The acts that are recorded, as `GET /api/v1/audit` knows them. */
export const acts = [
  'account.claim',
  'account.claim-code',
  'account.create',
  'account.change',
  'account.delete',
  'account.export',
  'account.password',
  'account.reset-link',
  'account.sign-in',
  'account.sign-in-failed',
  'account.sign-out',
  'account.sign-up',
  'config.apply',
  'config.refuse',
  'conversation.delete',
  'conversation.export',
  'key.create',
  'key.change',
  'key.revoke',
  'key.rotate',
  'learning.forget',
  'preference.delete',
] as const;
