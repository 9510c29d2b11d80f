import type { LimitCharge, ReserveResult } from '../contracts/counters.js';
import { isBudget, minuteMs, periodOf, usedInMinute } from './period.js';

/**
 * The two numbers of a limit's usage: for a sliding minute the counts of the current and the
 * previous minute, for a budget the settled and the reserved amount.
 */
export type UsedPair = readonly [number, number];

/** When to retry if only reservations are in the way: they end soon, and most use far less. */
const reservedRetryMs = 5_000;

/** How much of a charge's limit is used at `now`, in all. */
export const usedOf = (charge: LimitCharge, [first, second]: UsedPair, now: number): number =>
  isBudget(charge) ? first + second : usedInMinute(first, second, now);

/** The answer if at least one charge does not fit. @param uses in the order of the charges */
export function refuse(
  charges: readonly LimitCharge[],
  uses: readonly UsedPair[],
  now: number,
): Extract<ReserveResult, { outcome: 'refused' }> {
  const waits = charges.map((charge, index) => {
    const use = uses[index] ?? [0, 0];
    return {
      charge,
      used: Math.ceil(usedOf(charge, use, now)),
      retryAfterMs: waitMs(charge, use, now),
    };
  });
  // a budget that is too small never fits, however long the wait for another is
  const tooSmall = waits.find(({ charge }) => isBudget(charge) && charge.amount > charge.limit);
  const longest = waits.reduce((most, other) =>
    other.retryAfterMs > most.retryAfterMs ? other : most,
  );
  return { outcome: 'refused', ...(tooSmall ?? longest) };
}

/** The answer if the spending on some budgets has not been set; other charges are left out. */
export const budgetUnknown = (
  charges: readonly LimitCharge[],
  now: number,
): Extract<ReserveResult, { outcome: 'budget_unknown' }> => ({
  outcome: 'budget_unknown',
  charges: charges
    .filter(isBudget)
    .map((charge) => ({ ...charge, since: periodOf(charge.measure, now).startsAt })),
});

function waitMs(charge: LimitCharge, use: UsedPair, now: number): number {
  if (usedOf(charge, use, now) + charge.amount <= charge.limit) return 0;
  return isBudget(charge)
    ? budgetWaitMs(charge, use, periodOf(charge.measure, now).endsAt - now)
    : minuteWaitMs(charge, use, now);
}

const budgetWaitMs = (
  { limit, amount }: LimitCharge,
  [settled]: UsedPair,
  untilEndMs: number,
): number => (settled + amount <= limit ? Math.min(reservedRetryMs, untilEndMs) : untilEndMs);

/** When enough of the counts has faded, if nothing else is counted meanwhile. */
function minuteWaitMs(
  { limit, amount }: LimitCharge,
  [current, previous]: UsedPair,
  now: number,
): number {
  const leftMs = minuteMs - (now % minuteMs);
  if (amount > limit) return minuteMs;
  if (current + amount <= limit) return leftMs - maxLeftMs(previous, limit - current - amount);
  return leftMs + minuteMs - maxLeftMs(current, limit - amount);
}

/** How many ms before the end of its minute `count` has faded to at most `room`. */
function maxLeftMs(count: number, room: number): number {
  if (count <= room) return minuteMs;
  const leftMs = Math.floor((room / count) * minuteMs);
  return (count * leftMs) / minuteMs <= room ? leftMs : leftMs - 1;
}
