import type { LazyDatabases } from '../store/lazy-databases.js';
import type { LearningScope } from '../store/contracts/learnings.js';
import type { FeedbackRow } from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';
import type { WriteBehindReport } from '../store/write-behind.js';
import { AnswerPaces } from '../models/answer-paces.js';
import { type AppraisalSources, appraise } from './appraise.js';
import { AnswerCorrections } from './answer-length/answer-corrections.js';
import { LearningCache } from './learning/learning-cache.js';
import {
  type AnsweredRequest,
  learnLength,
  learnPace,
  outcomesOf,
} from './learning/learn-from-request.js';
import { OutcomeCounts } from './learning/outcome-counts.js';
import {
  type FeedbackTerms,
  type NewFeedback,
  type Rater,
  recordFeedback,
} from './learning/record-feedback.js';
import { forgetLearned, forgetRatings } from './learning/forget-learned.js';
import { type LearningSettings, showLearning, shownLearning } from './learning/show-learning.js';
import { shippedRouter } from './outlook/shipped-outlook.js';
import type { Candidate, Ranker } from './plan.js';
import type { Retraction } from './learning/evidence.js';
import { shippedPredictor } from './predictor/shipped-predictor.js';
import type { Margins } from './rank-by-tradeoff.js';
import { rankers } from './rankers/index.js';
import { RunningShadows, ShadowBudget } from './savings/shadow-limits.js';
import { PreferenceCache } from './training/preference-cache.js';
import { trainNow } from './training/run-training.js';
import { Trainings } from './training/trainings.js';
import type { TrainingTerms } from './training/custom/custom-rows.js';
import { formatOf } from './training/custom/evaluation-rows.js';
import { abilitiesByKind } from './outlook/ability-of.js';

export type { Retraction, TrainingTerms };
export { knownModels } from './outlook/model-abilities.js';
export { savingsOf } from './savings/period-savings.js';
export { applyPreference, candidatesOfPlan } from './apply-preference.js';
export { answeredChoice, openChoice } from './savings/weighed-choice.js';
export { whyPassedOver } from './training/preference-cache.js';

interface ChooserOptions {
  readonly report: WriteBehindReport;
  /** Whether ratings and outcomes are taken in, as the configuration in force says. */
  readonly isLearning: () => boolean;
  /** What the configuration in force says of trainings. */
  readonly trainingTerms: () => TrainingTerms;
  readonly ids: FeedbackTerms['ids'];
  /** Resolves when finished requests are in the store. */
  readonly flushRequests: () => Promise<void>;
  readonly metrics: {
    rated(): void;
    answerLength(provider: string, model: string, ratio: number): void;
  };
}

/**
 * Chooses models and learns how they do: the one door to all that ranks, learns, trains and counts
 * what choosing saved. It outlives configurations, and never calls a provider.
 */
export class Chooser {
  /** How fast the models' answers came, in this process. */
  readonly paces = new AnswerPaces();
  /** The second answers that are being asked for, and what they may cost. */
  readonly shadows: { readonly running: RunningShadows; readonly budget: ShadowBudget };
  readonly preferences: PreferenceCache;
  readonly trainings: Trainings;
  readonly learning: LearningCache;
  private readonly corrections = new AnswerCorrections();
  private readonly outcomes: OutcomeCounts;

  constructor(
    private readonly databases: LazyDatabases,
    private readonly options: ChooserOptions,
  ) {
    const { report, trainingTerms, flushRequests } = options;
    this.preferences = new PreferenceCache(databases, report.warn);
    this.trainings = new Trainings(databases, {
      terms: trainingTerms,
      onTrained: (preference) => this.preferences.changed(preference),
      warn: report.warn,
    });
    this.learning = new LearningCache(databases, { router: shippedRouter, warn: report.warn });
    this.outcomes = new OutcomeCounts(databases, {
      report,
      hasFaults: (scope) => this.learning.hasFaults(scope),
    });
    this.shadows = {
      running: new RunningShadows(),
      budget: new ShadowBudget(databases, flushRequests),
    };
  }

  /** What is known of a model before anything is asked, and its published abilities by kind. */
  describe(candidate: Candidate, sources: Omit<AppraisalSources, 'paces'>) {
    const known = appraise(
      candidate,
      { promptTokens: 0, weighsTime: true },
      { ...sources, paces: this.paces },
    );
    return { known, abilities: () => abilitiesByKind(known) };
  }

  /** What puts candidates in order under a configuration. */
  ranker({ ranker, ...margins }: Margins & { readonly ranker: keyof typeof rankers }): Ranker {
    const { corrections } = this;
    return rankers[ranker]({ predictor: shippedPredictor, ...margins, corrections });
  }

  /** Learns the pace and length of a request's answer, and how its models did. Never throws. */
  learn(request: AnsweredRequest): void {
    const { caller, record } = request;
    const ratio = learnLength(this.corrections, request);
    if (ratio !== null)
      this.options.metrics.answerLength(record.provider ?? '', record.model ?? '', ratio);
    learnPace(this.paces, request);
    if (!this.options.isLearning() || record.attempts.length === 0) return;
    this.outcomes.add(
      { accountId: caller.accountId, preferenceId: record.preferenceId ?? '' },
      caller.keyId,
      outcomesOf(request),
    );
  }

  /**
   * Stores feedback and, where choices learn, learns from it.
   * @throws GatewayError `not_found` with the field, if the subject does not exist or belongs to
   * another account; `unavailable`
   */
  async rate(rater: Rater, feedback: NewFeedback): Promise<FeedbackRow> {
    const { ids, metrics, isLearning } = this.options;
    const learning = isLearning() ? this.learning : null;
    const terms = { ids, settled: () => this.settled(), learning };
    const rated = await recordFeedback(terms, rater, feedback);
    if (rated.isLearned) metrics.rated();
    return rated.row;
  }

  /** What a scope has learned, for people. @throws GatewayError `unavailable` */
  async show(scope: LearningScope, settings: LearningSettings): Promise<object> {
    return shownLearning(settings, await this.learning.show(scope));
  }

  /**
   * Forgets what a scope has learned, or a part of it, and what waits to be learned. False if
   * nothing that it names was stored.
   * @param part null: everything
   * @throws GatewayError `unavailable`
   */
  forget(scope: LearningScope, part: Retraction | null): Promise<boolean> {
    return this.outcomes.forget(scope, part, async () => {
      const wasLearned = await this.learning.forget(scope, part);
      // the preferences of the rated requests are found in the log
      const { feedback } = await this.settled();
      const wasCounted = await forgetRatings(feedback, scope, part);
      return wasLearned || wasCounted;
    });
  }

  /** As `show`, of a store that no gateway has open or that another one has. */
  static async showStored(
    store: Store,
    scope: LearningScope,
    settings: LearningSettings,
  ): Promise<object> {
    return shownLearning(settings, await showLearning(store, scope, shippedRouter(), Date.now()));
  }

  /** As `forget`, in a store that no gateway has open or that another one has. */
  static async forgetStored(
    store: Store,
    scope: LearningScope,
    part: Retraction | null,
  ): Promise<boolean> {
    const wasLearned = await forgetLearned(store, scope, part, Date.now());
    const wasCounted = await forgetRatings(store.feedback, scope, part);
    return wasLearned || wasCounted;
  }

  /** Trains in this process, and waits for the end. @throws Error that says what is wrong */
  static readonly trainNow = trainNow;

  /** The format of evaluations, by their first character. */
  static readonly formatOf = formatOf;

  /** Writes what is still to be written, and stops. */
  async close(): Promise<void> {
    await this.trainings.close();
    this.preferences.close();
    this.learning.close();
    await this.outcomes.close();
  }

  private async settled(): Promise<Store> {
    const { store } = await this.databases.get();
    await this.options.flushRequests();
    return store;
  }
}
