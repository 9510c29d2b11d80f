import { isLimited } from '../accounts/caller-limits.js';
import type { Candidate } from '../chooser/plan.js';
import type { Admission } from '../dispatch/candidate-attempts.js';
import type { Hedging } from '../dispatch/hedging.js';
import type { Hedge } from '../dispatch/race.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import type { GatewayRequest } from './request.js';
import type { RequestReservation } from './request-reservation.js';

/** Hedges a request while `Hedging` and its caller's limits have room for a second call. */
export class HedgedCall implements Hedge {
  /** The second call's; null: there is none, or no limit applies. */
  reservation: RequestReservation | null = null;
  private hasTaken = false;
  private isCalled = false;
  readonly admit: Admission = (candidate) => this.reservation?.admit(candidate) ?? null;

  constructor(
    private readonly parts: GatewayParts,
    private readonly request: GatewayRequest,
    private readonly hedging: Hedging,
    private readonly onCall: ((candidate: Candidate) => void) | undefined,
  ) {
    hedging.count(request.caller.accountId);
  }

  afterMs(candidate: Candidate): number | null {
    return this.hasTaken ? null : this.hedging.afterMs(candidate);
  }

  async begin(candidate: Candidate): Promise<boolean> {
    const { hedging, request, parts } = this;
    const { caller, reservation } = request;
    if (!hedging.take(caller.accountId)) return false;
    this.hasTaken = true;
    if (!isLimited(caller)) return true;
    const reserved = reservation?.beside(candidate, (most) =>
      parts.state.limits.reserve(caller, most),
    );
    this.reservation = (await reserved?.catch(() => null)) ?? null;
    return this.reservation !== null;
  }

  called(candidate: Candidate): void {
    this.isCalled = true;
    this.onCall?.(candidate);
  }

  /** The request is over. */
  settle(): void {
    this.reservation?.settle();
    if (this.hasTaken && !this.isCalled) this.hedging.giveBack(this.request.caller.accountId);
  }
}

/** Undefined: the request is not hedged. @param onCall receives the second call's candidate */
export function hedgedCall(
  parts: GatewayParts,
  request: GatewayRequest,
  onCall?: (candidate: Candidate) => void,
): HedgedCall | undefined {
  const { call, surface, snapshot } = request;
  const isHedged = call?.streamFromProvider && call.hedge !== false && surface !== 'shadow';
  if (!snapshot.hedging || !isHedged) return undefined;
  return new HedgedCall(parts, request, snapshot.hedging, onCall);
}
