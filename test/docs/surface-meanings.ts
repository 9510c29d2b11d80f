import type { SurfaceLabel } from '../../src/surface-labels.js';

/**
 * What each surface is, for the table in docs/operations.md. A new label does not compile without a
 * line here.
 */
export const surfaceMeanings: Record<SurfaceLabel, string> = {
  model_select: 'Model selection: over HTTP, in code, and as a tool of `/mcp`',
  completions: "Native completions, also on a host's own route",
  openai: '`/v1/chat/completions`',
  text_completions: '`/v1/completions`',
  responses: '`/v1/responses`',
  messages: '`/v1/messages`',
  direct: "`gateway.run` in a host's own code",
  reported: 'Model calls that a host made itself and reported',
  embeddings: '`/v1/embeddings`',
  rerank: '`/v1/rerank`',
  models: '`/v1/models` and `/v1/messages/count_tokens`',
  proxy: 'Pass-through: `/proxy/…`',
  mcp: 'The other tools of `/mcp`',
  shadow: 'Second answers of other models, in the background',
  resources: 'Accounts, keys, conversations and all else of the API',
  other: 'Paths that do not exist',
};
