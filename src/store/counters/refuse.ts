import type { Claim, Verdict } from '../contracts/counters.js';
import { isBudget, minuteMs, periodOf, usedInMinute } from './period.js';

/** How far a limit is used: of a minute's, this minute's and the last one's count; of a budget, what is settled and what is held. */
export type Use = readonly [number, number];

/** Calls under way come to an end, and most hold far more than they use. */
const heldRetryMs = 5_000;

/** How much of a claim's limit that is at a time, in all. */
export const usedOf = (claim: Claim, [first, second]: Use, now: number): number =>
  isBudget(claim) ? first + second : usedInMinute(first, second, now);

/**
 * The answer to claims of which at least one does not fit.
 * @param uses in the order of the claims
 */
export function refuse(
  claims: readonly Claim[],
  uses: readonly Use[],
  now: number,
): Extract<Verdict, { outcome: 'refused' }> {
  const waits = claims.map((claim, index) => {
    const use = uses[index] ?? [0, 0];
    return {
      claim,
      used: Math.ceil(usedOf(claim, use, now)),
      retryAfterMs: waitMs(claim, use, now),
    };
  });
  return {
    outcome: 'refused',
    ...waits.reduce((longest, other) =>
      other.retryAfterMs > longest.retryAfterMs ? other : longest,
    ),
  };
}

function waitMs(claim: Claim, use: Use, now: number): number {
  if (usedOf(claim, use, now) + claim.amount <= claim.limit) return 0;
  return isBudget(claim)
    ? budgetWaitMs(claim, use, periodOf(claim.measure, now).endsAt - now)
    : minuteWaitMs(claim, use, now);
}

function budgetWaitMs({ limit, amount }: Claim, [settled]: Use, untilEndMs: number): number {
  return settled + amount <= limit ? Math.min(heldRetryMs, untilEndMs) : untilEndMs;
}

/** When enough of the minutes' counts has faded, if nobody takes more meanwhile. */
function minuteWaitMs({ limit, amount }: Claim, [current, previous]: Use, now: number): number {
  const leftMs = minuteMs - (now % minuteMs);
  if (amount > limit) return minuteMs;
  if (current + amount <= limit) return leftMs - mostLeftMs(previous, limit - current - amount);
  return leftMs + minuteMs - mostLeftMs(current, limit - amount);
}

/** So many ms before its minute ends `count` has faded to at most `room`. */
function mostLeftMs(count: number, room: number): number {
  if (count <= room) return minuteMs;
  const leftMs = Math.floor((room / count) * minuteMs);
  return (count * leftMs) / minuteMs <= room ? leftMs : leftMs - 1;
}
