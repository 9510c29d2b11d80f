import type { LearningScope } from '../../../store/contracts/learnings.js';
import type { ModelScore } from '../rated-decision.js';
import { BoundedMap } from './bounded-map.js';
import { areAlike, type PromptPrint } from './likeness.js';

/** What a turn that was answered is remembered by: no content. */
export interface AnsweredTurn {
  readonly scope: LearningScope;
  /** The model that answered, as the learner takes it. */
  readonly model: Omit<ModelScore, 'score' | 'at'>;
  readonly print: PromptPrint;
  /** When the answer was over, in ms of this process. */
  readonly endedAt: number;
  /** Whether a later turn has already said something against it. */
  isBlamed: boolean;
}

const maxCallers = 2_000;
const maxConversations = 20_000;
/** So many of a caller's last turns are compared with a new one. */
const maxTurns = 8;
/** A conversation may be corrected for an hour, and a prompt is a retry for minutes. */
const correctedMs = 3_600_000;
const retriedMs = 300_000;

/** The last answered turns in this process. */
export class RecentTurns {
  private readonly callers = new BoundedMap<readonly AnsweredTurn[]>(maxCallers);
  private readonly conversations = new BoundedMap<AnsweredTurn>(maxConversations);

  /** @param now in ms; for tests */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether none is remembered, so that nothing can be said against one. */
  get isEmpty(): boolean {
    return this.callers.isEmpty;
  }

  /** @param continuations the keys under which a request that continues the turn finds it */
  add(caller: string, continuations: readonly string[], turn: AnsweredTurn): void {
    const last = this.callers.get(caller) ?? [];
    this.callers.set(caller, [...last.slice(1 - maxTurns), turn]);
    for (const key of continuations) this.conversations.set(`${caller}\0${key}`, turn);
  }

  /** The turn that a request continues. */
  before(caller: string, continuations: readonly string[]): AnsweredTurn | null {
    for (const key of continuations) {
      const turn = this.conversations.get(`${caller}\0${key}`);
      if (turn && turn.endedAt >= this.now() - correctedMs) return turn;
    }
    return null;
  }

  /**
   * The turn that a prompt retries: the same or nearly so, a few minutes ago, answered before this
   * request came. Null for the third of its kind: then a program sends prompts of one pattern.
   * @param startedAt when the request came, in ms of this process
   */
  retried(caller: string, print: PromptPrint, startedAt: number): AnsweredTurn | null {
    const since = this.now() - retriedMs;
    const alike = (this.callers.get(caller) ?? []).filter(
      (turn) => turn.endedAt >= since && areAlike(turn.print, print),
    );
    const [only] = alike;
    return only && alike.length === 1 && only.endedAt <= startedAt ? only : null;
  }
}
