/** What is known of one way by which requests come in. */
interface SurfaceFacts {
  /** For the documentation. */
  readonly meaning: string;
  /** Whether its requests get a row each in the request log. */
  readonly isLogged: boolean;
  /** Whether a client waits at a connection for an answer, and so may leave before it. */
  readonly isAwaited: boolean;
  /** Whether the gateway itself calls the models that its requests name. */
  readonly callsModels: boolean;
}

/** A surface whose clients wait for a model. */
const completing: Omit<SurfaceFacts, 'meaning'> = {
  isLogged: true,
  isAwaited: true,
  callsModels: true,
};
const background = { ...completing, isAwaited: false };
const unlogged = { isLogged: false, isAwaited: false, callsModels: false };

/**
 * Every way by which requests come in, by the label that it has in metrics, logs and the request
 * log: a closed set. `npm run docs:generate` writes it into docs/operations.md and
 * schemas/request.response.schema.json, from which the dashboard has its filter.
 */
const surfaces = {
  model_select: {
    ...completing,
    callsModels: false,
    meaning: 'Model selection: over HTTP, in code, and as a tool of `/mcp`',
  },
  completions: { ...completing, meaning: "Native completions, also on a host's own route" },
  openai: { ...completing, meaning: '`/v1/chat/completions`' },
  text_completions: { ...completing, meaning: '`/v1/completions`' },
  responses: { ...completing, meaning: '`/v1/responses`' },
  messages: { ...completing, meaning: '`/v1/messages`' },
  direct: { ...background, meaning: "`gateway.run` in a host's own code" },
  reported: {
    ...background,
    callsModels: false,
    meaning: 'Model calls that a host made itself and reported',
  },
  embeddings: { ...completing, meaning: '`/v1/embeddings`' },
  rerank: { ...completing, meaning: '`/v1/rerank`' },
  models: { ...unlogged, meaning: '`/v1/models` and `/v1/messages/count_tokens`' },
  proxy: { ...completing, meaning: 'Pass-through: `/proxy/…`' },
  mcp: { ...completing, meaning: 'The other tools of `/mcp`' },
  shadow: { ...background, meaning: 'Second answers of other models, in the background' },
  resources: { ...unlogged, meaning: 'Accounts, keys, conversations and all else of the API' },
  other: { ...unlogged, meaning: 'Paths that do not exist' },
} satisfies Record<string, SurfaceFacts>;

/** The label of where a request came in. */
export type SurfaceLabel = keyof typeof surfaces;

const known: Readonly<Record<string, SurfaceFacts>> = surfaces;
const labelsWhere = (holds: (facts: SurfaceFacts) => boolean): readonly string[] =>
  Object.keys(known).filter((label) => holds(known[label]!));

/** What each label means, in Markdown. */
export const surfaceMeanings: readonly (readonly [label: string, meaning: string])[] =
  Object.entries(known).map(([label, { meaning }]) => [label, meaning]);

/** Surfaces whose requests get a row each in the request log. */
export const loggedSurfaces = labelsWhere(({ isLogged }) => isLogged);

/** Surfaces whose clients may leave before they are answered. */
export const awaitedSurfaces = labelsWhere(({ isAwaited }) => isAwaited);

/** Whether the gateway calls the models that requests of this surface name. */
export const callsModels = (surface: string): boolean => known[surface]?.callsModels ?? true;

/** Whether a request of this surface only chose a model: its plan is stored as a decision. */
export const isSelection = (surface: string | null): boolean => surface === 'model_select';
