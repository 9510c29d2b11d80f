import { GatewayError } from '../errors.js';
import type { Candidate } from '../chooser/plan.js';
import { type Admission, type AttemptContext, CandidateAttempts } from './candidate-attempts.js';
import { Cancellation } from './cancellation.js';
import type { Provider } from './provider.js';
import type { AttemptAnswer } from './upstream-call.js';

/** Decides for one request whether a second call begins beside one that is late. */
export interface Hedge {
  /** After how many ms without content a call to this model is late; null: never. */
  afterMs(candidate: Candidate): number | null;
  /** Asks whether the second call may begin now. Never rejects. */
  begin(candidate: Candidate): Promise<boolean>;
  /** The second call is made, now or again. */
  called(candidate: Candidate): void;
  /** The admission of the second call. */
  readonly admit: Admission;
}

/** A call to a candidate, and the keys that another call uses. */
export interface CandidateCall {
  readonly candidate: Candidate;
  readonly provider: Provider;
  readonly isLast: boolean;
  readonly usedKeys: (string | null)[];
}

/** One of the two calls, with its retries. */
interface Lane<Answer extends AttemptAnswer> {
  readonly call: CandidateCall;
  readonly cancellation: Cancellation;
  attempts: CandidateAttempts<Answer> | null;
  hasLost: boolean;
  end: { readonly answer: Answer } | { readonly error: unknown } | null;
}

/**
 * Calls a candidate, and a second one beside it where the first is late. The first content decides:
 * it cancels the other call before any of it is written, so that the client gets one answer.
 */
export class Race<Answer extends AttemptAnswer> {
  private readonly lanes: Lane<Answer>[] = [];
  private winner: Lane<Answer> | null = null;
  /** The lane that ended last. */
  private last: Lane<Answer> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private second: Promise<void> | null = null;

  constructor(
    private readonly context: AttemptContext<Answer>,
    private readonly hedge: Hedge,
    private readonly plan: {
      takeSecond(first: CandidateAttempts<Answer>): CandidateCall | null;
      giveBack(call: CandidateCall): void;
    },
  ) {}

  /**
   * @param afterMs after which the call is late
   * @returns who answered; `hedged`: the second call did
   * @throws as `CandidateAttempts`, for the call that had the first content, else ended last
   */
  async run(
    call: CandidateCall,
    afterMs: number,
  ): Promise<Answer & { candidate: Candidate; hedged?: true }> {
    const { cancellation, admit } = this.context;
    this.timer = setTimeout(() => {
      this.second = this.callSecond();
    }, afterMs);
    const running = this.start(call, admit);
    cancellation.onCancel((reason) => this.cancel(reason));
    await running;
    clearTimeout(this.timer);
    // also where it has lost: what it used is counted before the answer ends
    await this.second;
    cancellation.onCancel(null);
    const lane = (this.winner ?? this.last)!;
    const hedged = lane === this.lanes[0] ? null : ({ hedged: true } as const);
    if (lane.end && 'answer' in lane.end)
      return { candidate: lane.call.candidate, ...hedged, ...lane.end.answer };
    for (const other of this.lanes) if (other.hasLost) this.plan.giveBack(other.call);
    throw lane.end?.error;
  }

  private async callSecond(): Promise<void> {
    const [first] = this.lanes;
    const call = first?.attempts && this.plan.takeSecond(first.attempts);
    if (!call) return;
    const isAllowed = await this.hedge.begin(call.candidate);
    const isLate = !this.winner && !first.end && !this.context.cancellation.reason;
    if (isAllowed && isLate) await this.start(call, this.hedge.admit);
    else this.plan.giveBack(call);
  }

  /** Resolves when the call is over, however it ended. */
  private async start(call: CandidateCall, admit: Admission | null): Promise<void> {
    const { callOf, cancellation: ofRequest } = this.context;
    const cancellation = new Cancellation();
    const lane: Lane<Answer> = { call, cancellation, attempts: null, hasLost: false, end: null };
    const hedged = this.lanes.push(lane) > 1;
    if (ofRequest.reason) cancellation.cancel(ofRequest.reason);
    const context: AttemptContext<Answer> = {
      ...this.context,
      admit,
      cancellation,
      callOf: (target) => {
        if (hedged) this.hedge.called(call.candidate);
        return callOf({ ...target, claim: () => this.claim(lane) });
      },
      hedged,
    };
    const { candidate, provider, isLast, usedKeys } = call;
    lane.attempts = new CandidateAttempts(context, candidate, provider, isLast, usedKeys);
    try {
      lane.end = { answer: await lane.attempts.run() };
    } catch (error) {
      lane.end = { error };
    }
    this.last = lane;
  }

  /** The lane has content, which is about to be written. */
  private claim(lane: Lane<Answer>): void {
    if (lane.hasLost) throw lost();
    this.winner = lane;
    clearTimeout(this.timer);
    this.cancelAllBut(lane);
  }

  /** The client left, or the gateway stops: one call ends for that reason, the other has lost. */
  private cancel(reason: GatewayError): void {
    clearTimeout(this.timer);
    const lead = this.winner ?? this.lanes.find(({ end }) => end === null);
    this.cancelAllBut(lead);
    lead?.cancellation.cancel(reason);
  }

  /** Cancels the other calls that are under way. */
  private cancelAllBut(winner: Lane<Answer> | undefined): void {
    for (const lane of this.lanes) {
      if (lane === winner || lane.end) continue;
      lane.hasLost = true;
      lane.cancellation.cancel(lost());
    }
  }
}

const lost = (): GatewayError =>
  new GatewayError('hedge_lost', 'cancelled: the other call of a hedged request came first');
