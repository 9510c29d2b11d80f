/** The groups of operations with their descriptions, in the order of the document and of `/docs`. */
export const tags = {
  Completions: 'Answers of models: in the native dialect, and in the shape of OpenAI.',
  'Model selection': 'Choose the best model for a conversation; your application calls it.',
  Models: 'The models that a key may call.',
  Conversations: 'Stored conversations, with their messages.',
  Preferences:
    'What an account prefers of models, and routers that are trained from its evaluations.',
  Feedback: 'Ratings of decisions and answers, and what was learned from them.',
  Usage: 'The request log, and sums of tokens and cost.',
  'API keys': 'Keys of the account, with their scopes, limits and budgets.',
  'Sign-in': 'Accounts of people: sign-up, sign-in and passwords.',
  Accounts: 'The administration of accounts.',
  'Pass-through': "Any path of a provider's own API, with the provider's key added by the gateway.",
  MCP: 'The tools of the gateway for MCP clients, such as editors and agents.',
  'SDK dialect': 'The `/v2` dialect of public SDKs of model selection. Its errors are `{detail}`.',
  Operation: 'Health, metrics, and this description. None of them needs a key by default.',
} as const;

/** The name of a group of operations. */
export type Tag = keyof typeof tags;
