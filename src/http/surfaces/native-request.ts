import type { ChatMessage } from '../../completion.js';

/** The body of `POST /api/v1/completions`, as its schema accepts it. */
export interface NativeRequest {
  messages: ChatMessage[];
  models: string[];
  fallback_models?: string[] | null;
  stream?: boolean | null;
  temperature?: number | null;
  maxTokens?: number | null;
  maxRetries?: number | null;
  search?: boolean | null;
  conversationId?: string | null;
  store?: boolean | null;
  order?: 'ranked' | 'given' | null;
  tradeoff?: 'cost' | 'latency' | null;
  preference_id?: string | null;
  previous_session?: string | null;
  research?: boolean | null;
  toolkits?: string[] | null;
}
