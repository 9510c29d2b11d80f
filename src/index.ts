export { createGateway, type Gateway } from './gateway.js';
export type { GatewayOptions, IdentifyUser } from './gateway-options.js';
export type { HostAnswer } from './pipeline/engine/host-users.js';
export type {
  CallReport,
  ReportablePlan,
  ReportedUsage,
} from './pipeline/afterwards/report-call.js';
export type { Log } from './telemetry/log.js';
export type { MetricRegistry } from './telemetry/metrics/metrics.js';
export type { KeyLimits } from './store/contracts/accounts.js';
export type { Scope } from './store/contracts/keys.js';
export { planOf } from './http/context.js';
export { GatewayError, type ErrorCode, type ErrorTraceEntry } from './errors.js';
export {
  ConfigError,
  type ConfigInput,
  type ModelInput,
  type ProviderInput,
} from './config/config.js';
export type { DialectName } from './providers/dialect-names.js';
export type { Routers, SurfaceRouter } from './http/routes.js';
export type { HostCaller } from './accounts/caller.js';
export type { SelectRequest } from './http/direct-methods.js';
export type { RunRequest } from './http/surfaces/openai.js';
export type { SelectModelOptions } from './http/host-stages.js';
export type { DirectOptions } from './pipeline/direct.js';
export type {
  CompletionEvent,
  CompletionFigures,
  CompletionResult,
} from './pipeline/direct-writers.js';
export type {
  Candidate,
  Limits,
  Plan,
  Price,
  RankedCandidate,
  RoutingRequest,
} from './chooser/plan.js';
export type {
  ChatMessage,
  ChatRequest,
  Completion,
  ContentPart,
  ReasoningEffort,
  Usage,
} from './completion.js';
export type { AccountChanges } from './accounts/administration.js';
export type {
  AccountMethods,
  ConversationMethods,
  HostMethods,
  KeyId,
  KeyMethods,
  OwnedId,
  PageOptions,
  PreferenceMethods,
  UsageQuestion,
} from './api/host/host-methods.js';
export type { Account } from './api/accounts.js';
export type {
  ConversationWithMessages,
  StoredConversation,
  StoredMessage,
} from './api/shown-conversation.js';
export type { IssuedKey, Key, KeyTerms, RotationTerms } from './api/keys.js';
export type { List } from './api/page-request.js';
export type { Preference, PreferenceRequest, PreferenceRouter } from './api/preferences.js';
export type { UsageSums } from './api/figures/usage.js';
export type { AccountRole } from './store/contracts/accounts.js';
export type { UsageGrouping, UsageRow } from './store/contracts/requests.js';
