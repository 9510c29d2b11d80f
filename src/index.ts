export { createGateway, type Gateway, type GatewayOptions } from './gateway.js';
export { planOf } from './http/context.js';
export { GatewayError, type ErrorCode, type ErrorTraceEntry } from './errors.js';
export { ConfigError, type ConfigInput } from './config/config.js';
export type { SelectModelOptions } from './http/select-model.js';
export type {
  Candidate,
  Explanation,
  Limits,
  Plan,
  Price,
  RankedCandidate,
  RoutingRequest,
} from './routing/plan.js';
export type { ChatMessage, ChatRequest, ContentPart } from './completion.js';
