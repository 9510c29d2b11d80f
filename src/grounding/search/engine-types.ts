/** The kind of a search engine: which API it has. */
export type EngineType =
  'searxng' | 'brave' | 'tavily' | 'exa' | 'serper' | 'perplexity' | 'custom';
