/** What is known of one way by which requests come in. */
interface SurfaceFacts {
  /** Whether its requests get a row each in the request log. */
  readonly isLogged: boolean;
  /** Whether a client waits at a connection for an answer, and so may leave before it. */
  readonly isAwaited: boolean;
  /** Whether the gateway itself calls the models that its requests name. */
  readonly callsModels: boolean;
}

/** A surface whose clients wait for a model. */
const completing: SurfaceFacts = { isLogged: true, isAwaited: true, callsModels: true };
const background: SurfaceFacts = { ...completing, isAwaited: false };
const unlogged: SurfaceFacts = { isLogged: false, isAwaited: false, callsModels: false };

/**
 * Every way by which requests come in, by the label that it has in metrics, logs and the request
 * log: a closed set. `npm run docs:generate` writes it into docs/operations.md, with what each
 * means, and into schemas/request.response.schema.json, from which the dashboard has its filter.
 */
const surfaces = {
  model_select: { ...completing, callsModels: false },
  completions: completing,
  openai: completing,
  text_completions: completing,
  responses: completing,
  messages: completing,
  direct: background,
  // what a host called itself
  reported: { ...background, callsModels: false },
  embeddings: completing,
  rerank: completing,
  models: unlogged,
  proxy: completing,
  mcp: completing,
  shadow: background,
  resources: unlogged,
  other: unlogged,
} satisfies Record<string, SurfaceFacts>;

/** The label of where a request came in. */
export type SurfaceLabel = keyof typeof surfaces;

const known: Readonly<Record<string, SurfaceFacts>> = surfaces;
const labelsWhere = (holds: (facts: SurfaceFacts) => boolean): readonly string[] =>
  Object.keys(known).filter((label) => holds(known[label]!));

/** Surfaces whose requests get a row each in the request log. */
export const loggedSurfaces = labelsWhere(({ isLogged }) => isLogged);

/** Surfaces whose clients may leave before they are answered. */
export const awaitedSurfaces = labelsWhere(({ isAwaited }) => isAwaited);

/** Whether the gateway calls the models that requests of this surface name. */
export const callsModels = (surface: string): boolean => known[surface]?.callsModels ?? true;

/** Whether a request of this surface only chose a model: its plan is stored as a decision. */
export const isSelection = (surface: string | null): boolean => surface === 'model_select';
