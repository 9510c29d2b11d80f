import type { Databases, LazyDatabases } from '../../store/lazy-databases.js';
import { BytesInProgress } from './bytes-in-progress.js';
import { DatabaseProbe, type DatabaseState } from '../../store/database-state.js';
import { ConversationKeeper } from '../../conversations/keeper.js';
import { KeptToolResults } from '../../grounding/tools/kept-tool-results.js';
import { ProviderHealths } from '../../dispatch/provider-health.js';
import { LastModels } from '../../conversations/last-models.js';
import { NotesKeeper } from '../../conversations/notes-keeper.js';
import { ResponseKeeper } from '../../conversations/response-keeper.js';
import type { ConversationReports } from '../../conversations/reports.js';
import { TitleWriter } from '../../conversations/title-writer.js';
import { BackgroundTasks } from '../../accounts/account-context.js';
import { IssuedKeys } from '../../accounts/issued-keys.js';
import { Passwords } from '../../accounts/passwords.js';
import { RateLimiter } from '../../accounts/rate-limiter.js';
import { SignedIds } from '../../accounts/signed-ids.js';
import { Chooser, type TrainingTerms } from '../../chooser/chooser.js';
import {
  type RequestLogOptions,
  RequestLogWriter,
} from '../../telemetry/requests/request-log-writer.js';
import { type AlertSources, AlertWatch } from '../../telemetry/alerts/alert-watch.js';
import { LiveList } from '../../async/live-list.js';
import type { Cancellation } from '../../dispatch/cancellation.js';
import { GatewayError } from '../../errors.js';
import type { LoadFigures } from '../../telemetry/metrics/scraped-instruments.js';
import { Load, type LoadReport } from './load.js';
import { RecordedAnswers } from '../resume/recorded-answers.js';
import { PriceUpdates } from './price-updates.js';

/** What the state reads from the configuration in force, and the metrics that it reports to. */
interface StateRules {
  readonly maxStoredBytes: () => number;
  readonly trainingTerms: () => TrainingTerms;
  readonly isLearning: () => boolean;
  readonly metrics: ConstructorParameters<typeof Chooser>[1]['metrics'] & LoadReport;
  readonly alerts: Omit<AlertSources, 'store'>;
}

/** What outlives a request; a reload of the configuration leaves it as it is. */
export class GatewayState {
  readonly keys: IssuedKeys;
  readonly limits: RateLimiter;
  readonly ids: SignedIds;
  readonly chooser: Chooser;
  readonly passwords = new Passwords();
  readonly backgroundTasks = new BackgroundTasks();
  readonly requestLog: RequestLogWriter;
  readonly conversations: ConversationKeeper;
  readonly notes: NotesKeeper;
  readonly responses: ResponseKeeper;
  readonly answers: RecordedAnswers;
  readonly titles: TitleWriter;
  readonly lastModels = new LastModels();
  readonly toolResults = new KeptToolResults();
  readonly bytes = new BytesInProgress();
  /** Bytes of whole answers that clients have not read completely; they count in `bytes` too. */
  readonly unread = new BytesInProgress();
  readonly running = new RunningRequests();
  readonly load: Load;
  readonly health = new ProviderHealths();
  readonly alerts: AlertWatch;
  readonly prices: PriceUpdates;
  private readonly probe: DatabaseProbe;

  constructor(
    private readonly databases: LazyDatabases,
    recording: RequestLogOptions,
    conversing: ConversationReports,
    { maxStoredBytes, trainingTerms, isLearning, metrics, alerts }: StateRules,
  ) {
    this.load = new Load(metrics);
    this.probe = new DatabaseProbe(
      databases,
      () => this.conversations.isAway || this.requestLog.isAway,
    );
    this.keys = new IssuedKeys(databases);
    this.prices = new PriceUpdates(recording.report.warn);
    databases.whenOpened(({ store }) => void this.prices.poll(store));
    this.ids = new SignedIds(databases);
    this.chooser = new Chooser(databases, {
      report: recording.report,
      trainingTerms,
      isLearning,
      ids: this.ids,
      flushRequests: () => this.requestLog.flush(),
      metrics,
    });
    this.requestLog = new RequestLogWriter(databases, recording);
    this.alerts = new AlertWatch({
      ...alerts,
      store: async () => {
        await this.requestLog.flush();
        return (await databases.get()).store;
      },
    });
    this.limits = new RateLimiter(
      databases,
      () => this.requestLog.flush(),
      (caller, statuses) => this.alerts.noteUse(caller, statuses),
    );
    this.conversations = new ConversationKeeper(databases, this.ids, conversing.turns, {
      maxStoredBytes,
    });
    this.notes = new NotesKeeper(databases, this.conversations.quota);
    this.responses = new ResponseKeeper(databases, this.conversations.quota);
    this.answers = new RecordedAnswers(databases);
    this.titles = new TitleWriter(
      (accountId, id, title) => this.conversations.rename(accountId, id, title, 'model', true),
      conversing.titles,
    );
  }

  /** @throws GatewayError `unavailable` */
  opened(): Promise<Databases> {
    return this.databases.get();
  }

  /** For readiness, within a second. `queued`: entries of the request log that wait to be written. */
  async state(): Promise<{ database: DatabaseState; queued: number; load: LoadFigures }> {
    const queued = Object.values(this.requestLog.queued).reduce((sum, count) => sum + count, 0);
    return { database: await this.probe.state(), queued, load: this.load.figures() };
  }

  /** Writes what is still to be written, then closes the databases. */
  async close(): Promise<void> {
    this.alerts.close();
    this.prices.close();
    await this.backgroundTasks.done();
    this.keys.close();
    this.titles.close();
    await Promise.all([this.conversations.close(), this.requestLog.close(), this.chooser.close()]);
    await this.databases.close();
  }
}

const retryAfterMs = 5_000;

/** The requests whose model is being called, so that a stopping gateway can cancel them. */
class RunningRequests {
  private readonly running = new LiveList<Cancellation>();
  /** Whether requests were, and still are, cut short because the gateway stops. */
  isCut = false;

  /** Runs a request's work; it is cancelled with `unavailable` if the gateway stops meanwhile. */
  async run<T>(cancellation: Cancellation, work: () => Promise<T>): Promise<T> {
    const entry = this.running.add(cancellation);
    if (this.isCut) cancellation.cancel(stopping());
    try {
      return await work();
    } finally {
      this.running.remove(entry);
    }
  }

  /** Cancels all requests that run, and all that begin later. */
  cut(): void {
    this.isCut = true;
    for (const cancellation of this.running.items()) cancellation.cancel(stopping());
  }
}

const stopping = (): GatewayError =>
  new GatewayError('unavailable', 'the gateway is stopping: send the request again', {
    retryAfterMs,
  });
