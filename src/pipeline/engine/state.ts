import type { LazyDatabases, Databases } from '../../store/lazy-databases.js';
import { BytesInProgress } from './bytes-in-progress.js';
import { RunningRequests } from './running-requests.js';
import { RunningShadows } from './running-shadows.js';
import { DatabaseProbe, type DatabaseState } from '../../store/database-state.js';
import { ConversationKeeper } from '../../conversations/keeper.js';
import { KeptToolResults } from '../../grounding/tools/kept-tool-results.js';
import { ProviderHealths } from '../../dispatch/provider-health.js';
import { LastModels } from '../../conversations/last-models.js';
import { NotesKeeper } from '../../conversations/notes-keeper.js';
import type { ConversationReports } from '../../conversations/reports.js';
import { TitleWriter } from '../../conversations/title-writer.js';
import { BackgroundTasks } from '../../accounts/background-tasks.js';
import { IssuedKeys } from '../../accounts/issued-keys.js';
import { Passwords } from '../../accounts/passwords.js';
import { RateLimiter } from '../../accounts/rate-limiter.js';
import { ShadowBudget } from '../../accounts/shadow-budget.js';
import { PreferenceCache } from '../../accounts/preference-cache.js';
import { SignedIds } from '../../accounts/signed-ids.js';
import type { Retraction } from '../../chooser/predictor/online-state.js';
import { forgetRatings } from '../../chooser/savings/forget-ratings.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import { LearningCache } from '../../chooser/learning/learning-cache.js';
import { RecentTurns } from '../../chooser/learning/signals/recent-turns.js';
import { SignalCounts } from '../../chooser/learning/signals/signal-counts.js';
import { OutcomeCounts } from '../../chooser/learning/outcome-counts.js';
import {
  type RequestLogOptions,
  RequestLogWriter,
} from '../../telemetry/requests/request-log-writer.js';
import { shippedRouter } from '../../chooser/outlook/shipped-outlook.js';
import { shippedPredictor } from '../../chooser/predictor/shipped-predictor.js';
import type { TrainingTerms } from '../../chooser/training/terms.js';
import { tuningReader } from '../../chooser/training/tuning-reader.js';
import { Trainings } from '../../chooser/training/trainings.js';

/** What the configuration in force says. */
interface StateRules {
  readonly maxStoredBytes: () => number;
  readonly trainingTerms: () => TrainingTerms;
}

/**
 * What the gateway remembers beyond a request. It outlives configurations: a reload swaps the
 * runtime, not this.
 */
export class GatewayState {
  readonly keys: IssuedKeys;
  readonly limits: RateLimiter;
  readonly ids: SignedIds;
  readonly preferences: PreferenceCache;
  readonly trainings: Trainings;
  readonly learning: LearningCache;
  readonly outcomes: OutcomeCounts;
  readonly signals: SignalCounts;
  readonly turns = new RecentTurns();
  readonly passwords = new Passwords();
  readonly backgroundTasks = new BackgroundTasks();
  readonly requestLog: RequestLogWriter;
  readonly conversations: ConversationKeeper;
  readonly notes: NotesKeeper;
  readonly titles: TitleWriter;
  readonly lastModels = new LastModels();
  readonly toolResults = new KeptToolResults();
  readonly bytes = new BytesInProgress();
  readonly running = new RunningRequests();
  readonly shadows = new RunningShadows();
  readonly health = new ProviderHealths();
  readonly shadowBudget: ShadowBudget;
  private readonly probe: DatabaseProbe;

  constructor(
    private readonly databases: LazyDatabases,
    recording: RequestLogOptions,
    conversing: ConversationReports,
    { maxStoredBytes, trainingTerms }: StateRules,
  ) {
    this.probe = new DatabaseProbe(
      databases,
      () => this.conversations.isAway || this.requestLog.isAway,
    );
    this.keys = new IssuedKeys(databases);
    this.ids = new SignedIds(databases);
    this.preferences = new PreferenceCache(databases, tuningReader(recording.report.warn));
    this.trainings = new Trainings(databases, {
      predictor: shippedPredictor,
      terms: trainingTerms,
      onTrained: (preference) => this.preferences.changed(preference),
      warn: recording.report.warn,
    });
    this.learning = new LearningCache(databases, {
      router: shippedRouter,
      warn: recording.report.warn,
    });
    this.outcomes = new OutcomeCounts(databases, {
      report: recording.report,
      hasFaults: (scope) => this.learning.hasFaults(scope),
    });
    this.signals = new SignalCounts(databases, recording.report);
    this.requestLog = new RequestLogWriter(databases, recording);
    this.limits = new RateLimiter(databases, () => this.requestLog.flush());
    this.shadowBudget = new ShadowBudget(databases, () => this.requestLog.flush());
    this.conversations = new ConversationKeeper(databases, this.ids, conversing.turns, {
      maxStoredBytes,
    });
    this.notes = new NotesKeeper(databases, this.conversations.quota);
    this.titles = new TitleWriter(
      (accountId, id, title) => this.conversations.rename(accountId, id, title, 'model', true),
      conversing.titles,
    );
  }

  /** @throws GatewayError `unavailable` */
  opened(): Promise<Databases> {
    return this.databases.get();
  }

  /** Of the database, for readiness. Within a second. */
  async state(): Promise<{ database: DatabaseState; queued: number }> {
    const queued = Object.values(this.requestLog.queued).reduce((sum, count) => sum + count, 0);
    return { database: await this.probe.state(), queued };
  }

  /**
   * Forgets what a scope has learned, or a part of it, and what waits to be learned. False if
   * nothing that it names was stored.
   * @throws GatewayError `unavailable`
   */
  forgetLearning(scope: LearningScope, part: Retraction | null): Promise<boolean> {
    return this.outcomes.forget(scope, part, async () => {
      const wasLearned = await this.learning.forget(scope, part);
      const { store } = await this.opened();
      // the preferences of the rated requests are found in the log
      await this.requestLog.flush();
      const wasCounted = await forgetRatings(store.feedback, scope, part);
      this.signals.forget(scope, part);
      return wasLearned || wasCounted;
    });
  }

  /** What is still to be written is written; then the databases are closed. */
  async close(): Promise<void> {
    await Promise.all([this.backgroundTasks.done(), this.trainings.close()]);
    this.keys.close();
    this.preferences.close();
    this.learning.close();
    this.titles.close();
    await Promise.all([
      this.conversations.close(),
      this.requestLog.close(),
      this.outcomes.close(),
      this.signals.close(),
    ]);
    await this.databases.close();
  }
}
