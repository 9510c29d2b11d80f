import type { ErrorCode, GatewayError } from '../errors.js';

/** When a failing model is set aside, and for how long. Times in ms. */
export interface BreakerRules {
  readonly enabled: boolean;
  /** Failures in a row that open a circuit. */
  readonly failures: number;
  /** Timeouts in a row that open it. */
  readonly timeouts: number;
  readonly openMs: number;
  readonly maxOpenMs: number;
}

/** One failed call. `at` in ms since 1970. */
export interface Cause {
  readonly at: number;
  readonly model: string;
  readonly code: ErrorCode;
  /** The provider's status; null if it did not answer. */
  readonly status: number | null;
  /** The failure in the provider's words: for administrators only. */
  readonly message: string;
}

/** A model, a key or a whole provider that failed and has not succeeded since. */
export interface Circuit {
  /** Empty: all models. */
  readonly model: string;
  /** The fingerprint of a key; empty: all keys. */
  readonly mark: string;
  /** In a row. A timeout counts for several. */
  failures: number;
  cause: Cause;
  /** Ms since 1970 until which it is not called unless nothing else is left; null: it is closed. */
  openUntil: number | null;
  /** Whether a probe, the one request that tests it, is on its way. */
  isProbing: boolean;
  /** When it opened, and how often in a row. */
  since: number;
  openings: number;
}

/** What replicas tell each other of a circuit. `forMs`: how long it is open; null: it is closed. */
export type CircuitChange = Omit<Circuit, 'openUntil'> & { readonly forMs: number | null };

/** Why a candidate is called after all others. `until` in ms since 1970. */
export type Demotion = Pick<Cause, 'code' | 'status'> & { readonly until: number };

/** The rest of a key that the provider refused. */
const refusedRestMs = 600_000;
/** The longest rest: a provider may state an absurd wait. */
const maxStatedMs = 86_400_000;
/** Failures that are further apart are not in a row. */
const maxGapMs = 600_000;
/** A longer wait that a provider asks for opens the circuit at once. */
const minStatedWaitMs = 8_000;
/** A key's rest after a rate limit that states no wait: at first, doubling, and at most. */
const firstLimitMs = 1_000;
const maxLimitMs = 60_000;
/** A bound, because clients choose the names of models. */
const maxCircuits = 1_000;
const maxOpenings = 30;

/** Failures of the provider; all others are the client's, the gateway's, or of one key. */
const counted: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'connection_failed',
  'upstream_error',
  'upstream_overloaded',
  'upstream_timeout',
  'unreadable_answer',
  'provider_auth',
  'quota_exhausted',
]);

/** Monotonic, unlike `Date.now`. @returns ms since 1970 */
const steadyNow = (): number => performance.timeOrigin + performance.now();

/**
 * The circuit breaker of one provider: a circuit for each model that fails, for each key that rests,
 * and for the provider itself, which counts calls without an answer. Outlives configurations.
 */
export class Breaker {
  private readonly circuits = new Map<string, Circuit>();

  /**
   * @param rules null: nothing is set aside
   * @param onChange receives each circuit that opens, is probed or closes
   * @param now ms since 1970; must never go back
   */
  constructor(
    public rules: BreakerRules | null = null,
    private readonly onChange: (change: CircuitChange) => void = () => undefined,
    private readonly now: () => number = steadyNow,
  ) {}

  /** Whether nothing has failed since it last succeeded. */
  get isCalm(): boolean {
    return this.circuits.size === 0;
  }

  /** Why a model is called after all other candidates; null: it is not. @param marks of all keys */
  demotion(model: string, marks: readonly string[]): Demotion | null {
    if (this.isCalm || !this.rules?.enabled) return null;
    const [longest] = [this.at(''), this.at(model), this.limit(model, marks)]
      .filter((circuit) => this.isOpen(circuit))
      .sort((one, other) => untilOf(other) - untilOf(one));
    if (!longest) return null;
    const { code, status } = longest.cause;
    return { code, status, until: untilOf(longest) };
  }

  isSetAside(model: string): boolean {
    return this.ofModel(model).some((circuit) => this.isOpen(circuit));
  }

  /** When the rest of a key ends, for this model or for all, in ms since 1970; 0: it does not rest. */
  restUntil(model: string, mark: string): number {
    const rest = this.restOf(model, mark);
    return this.isOpen(rest) ? untilOf(rest) : 0;
  }

  /**
   * Call before a model is called. Where its circuit is due for a probe, this request is the probe.
   * @param leaseMs after this time another request may become one
   * @returns the circuits that it probes; none: the model is called although its circuit is open;
   * null: the circuit is closed
   */
  begin(model: string, leaseMs: number): readonly Circuit[] | null {
    const open = this.ofModel(model).filter(({ openUntil }) => openUntil !== null);
    if (open.length === 0) return null;
    const due = open.filter((circuit): boolean => !this.isOpen(circuit));
    for (const circuit of due)
      this.change(circuit, { openUntil: this.now() + leaseMs, isProbing: true });
    return due.map((circuit) => ({ ...circuit }));
  }

  /** Call when a trial is over: what it probed and is still half open may be probed again. */
  release(trial: readonly Circuit[]): void {
    for (const { model, openUntil } of trial) {
      const circuit = this.at(model);
      // not the probe of another request, as after the lease or of another model's call
      if (circuit?.isProbing && circuit.openUntil === openUntil)
        this.change(circuit, { openUntil: this.now(), isProbing: false });
    }
  }

  /**
   * The model answers with this key: closes its circuits.
   * @param isTrial whether `begin` returned a trial
   * @param calledAt by `performance.now()`
   */
  succeeded(model: string, mark: string, isTrial: boolean, calledAt: number): void {
    if (this.isCalm) return;
    // a call from before a circuit opened says little
    for (const circuit of this.ofModel(model))
      if (circuit.openUntil === null || isTrial) this.close(circuit);
    for (const circuit of [this.at('', mark), this.at(model, mark)])
      if (circuit && circuit.since <= performance.timeOrigin + calledAt) this.close(circuit);
  }

  /** Counts a failure, if it is one of the provider. @param answered whether headers had come */
  failed(model: string, error: GatewayError, answered: boolean, isTimeout: boolean): void {
    const { rules } = this;
    if (!rules?.enabled || !(isTimeout || counted.has(error.code))) return;
    this.count(rules, model, model, error, isTimeout);
    const isAway = isTimeout || error.code === 'connection_failed';
    if (isAway && !answered) this.count(rules, '', model, error, isTimeout);
  }

  /** A key rests: ten minutes for all models if it was refused, else for a model's rate limit. */
  rest(model: string, mark: string, error: GatewayError, statedMs = error.retryAfterMs): void {
    const isRefused = error.recovery === 'next_key';
    const ms = isRefused ? refusedRestMs : statedMs;
    const circuit = this.failing(isRefused ? '' : model, mark, error, model);
    const isResting = untilOf(circuit) > this.now();
    // several calls of one moment meet one rate limit
    if (ms === null && isResting) return;
    if (!isResting) circuit.since = this.now();
    const forMs = ms ?? Math.min(maxLimitMs, firstLimitMs * 2 ** circuit.openings);
    const until = this.now() + Math.min(forMs, maxStatedMs);
    this.open(circuit, Math.max(untilOf(circuit), until));
  }

  /** Takes over another replica's change. @param ageMs the age of its message */
  apply({ forMs, ...told }: CircuitChange, ageMs: number): void {
    if (forMs === null) this.circuits.delete(nameOf(told.model, told.mark));
    else this.keep({ ...told, openUntil: this.now() + Math.min(forMs, maxStatedMs) - ageMs });
  }

  /** The circuits that are not closed, and the keys that rest. */
  list(): (Circuit & { readonly state: 'open' | 'half_open' })[] {
    return [...this.circuits.values()].flatMap((circuit) => {
      if (circuit.openUntil === null || (circuit.mark !== '' && !this.isOpen(circuit))) return [];
      const isOpen = !circuit.isProbing && this.isOpen(circuit);
      return [{ ...circuit, state: isOpen ? 'open' : 'half_open' } as const];
    });
  }

  /** Closes the circuits of models, as where the provider's settings were changed. */
  reset(): void {
    for (const circuit of this.circuits.values()) if (circuit.mark === '') this.close(circuit);
  }

  private at(model: string, mark = ''): Circuit | undefined {
    return this.circuits.get(nameOf(model, mark));
  }

  private ofModel(model: string): Circuit[] {
    return this.isCalm
      ? []
      : [this.at(''), this.at(model)].filter((circuit) => circuit !== undefined);
  }

  private isOpen(circuit: Circuit | undefined): circuit is Circuit {
    return untilOf(circuit) > this.now();
  }

  private restOf(model: string, mark: string): Circuit | undefined {
    const [all, own] = [this.at('', mark), this.at(model, mark)];
    return untilOf(own) > untilOf(all) ? own : all;
  }

  /** The rate limit that ends first, where all keys rest, and not only because they are refused. */
  private limit(model: string, marks: readonly string[]): Circuit | undefined {
    const rests = marks.map((mark) => this.restOf(model, mark));
    if (!rests.every((rest) => this.isOpen(rest)) || rests.every((rest) => rest.model === ''))
      return undefined;
    return rests.reduce((one, other) => (untilOf(other) < untilOf(one) ? other : one));
  }

  private count(
    rules: BreakerRules,
    scope: string,
    model: string,
    error: GatewayError,
    isTimeout: boolean,
  ): void {
    const now = this.now();
    const known = this.at(scope);
    // the call began before the circuit opened, or was a last resort
    if (this.isOpen(known) && !known.isProbing) return;
    const isInRow = known !== undefined && now - known.cause.at < maxGapMs;
    const circuit = this.failing(scope, '', error, model);
    circuit.failures =
      (isInRow ? known.failures : 0) + (isTimeout ? rules.failures / rules.timeouts : 1);
    const statedMs = Math.min(error.retryAfterMs ?? 0, maxStatedMs);
    // sums of fractions are not exact
    const isOver = circuit.failures >= rules.failures - 1e-9 || statedMs > minStatedWaitMs;
    this.keep(circuit);
    if (circuit.openUntil === null && !isOver) return;
    // one model that hangs says nothing of the others; a host that cannot be reached does
    const failing = [...this.circuits.values()].filter(({ mark }) => mark === '').length - 1;
    if (scope === '' && error.code !== 'connection_failed' && failing < 2) return;
    const growingMs = Math.min(rules.maxOpenMs, rules.openMs * 2 ** circuit.openings);
    this.open(circuit, now + Math.max(growingMs, statedMs));
  }

  /** A copy of a circuit with this failure as its first. @param scope empty: all models */
  private failing(scope: string, mark: string, error: GatewayError, model: string): Circuit {
    const known = this.at(scope, mark);
    const { code, upstreamStatus: status, message } = error;
    return {
      model: scope,
      mark,
      failures: 1,
      cause: { at: this.now(), model, code, status, message },
      openUntil: known?.openUntil ?? null,
      isProbing: false,
      since: known?.openUntil ? known.since : this.now(),
      openings: known?.openings ?? 0,
    };
  }

  private open(circuit: Circuit, until: number): void {
    const openings = Math.min(circuit.openings + 1, maxOpenings);
    this.change(circuit, { openUntil: until, openings });
  }

  private keep(circuit: Circuit): void {
    const name = nameOf(circuit.model, circuit.mark);
    if (this.circuits.size >= maxCircuits && !this.circuits.has(name)) this.circuits.clear();
    this.circuits.set(name, circuit);
  }

  /** Keeps a circuit in another state, and reports it. */
  private change(circuit: Circuit, to: Partial<Circuit> = {}): void {
    this.keep(circuit);
    const { openUntil, ...rest } = Object.assign(circuit, to);
    this.onChange({ ...rest, forMs: Math.max(0, Math.round((openUntil ?? 0) - this.now())) });
  }

  private close(circuit: Circuit): void {
    const { openUntil, ...rest } = circuit;
    this.circuits.delete(nameOf(circuit.model, circuit.mark));
    if (openUntil !== null) this.onChange({ ...rest, forMs: null });
  }
}

const nameOf = (model: string, mark: string): string => `${model}\0${mark}`;
const untilOf = (circuit: Circuit | undefined): number => circuit?.openUntil ?? 0;
