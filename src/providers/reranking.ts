import type { ProviderSettings, TaskAdapter, UpstreamRequest } from './adapter.js';
import { deploymentOf } from './called-model.js';
import { providerFailure, unreadable } from './failure.js';
import { parseJson } from './json.js';
import { statedCostUsd } from './openai-compatible/usage.js';
import { type Fields, objectsIn } from '../text/is-object.js';

/** An answer of Cohere, Jina and vLLM (`results`), or of Voyage and Fireworks (`data`). */
interface Ranking {
  readonly id?: unknown;
  readonly results?: unknown;
  readonly data?: unknown;
  readonly error?: unknown;
  readonly usage?: Fields;
  readonly meta?: {
    readonly billed_units?: { readonly search_units?: unknown; readonly input_tokens?: unknown };
    readonly tokens?: { readonly input_tokens?: unknown };
  };
}

const textOf = (document: unknown): unknown =>
  typeof document === 'object' && document !== null && 'text' in document
    ? document.text
    : document;

/** The first number, which some servers write as text. */
const numberIn = (...values: readonly unknown[]): number | null =>
  values
    .flatMap((value) => (typeof value === 'string' ? parseFloat(value) : value))
    .find(isNumber) ?? null;
const isNumber = (value: unknown): value is number => Number.isFinite(value);

/**
 * Reranking by `POST <baseUrl>/rerank`, which providers answer almost alike. Documents go as plain
 * text, which all of them take. How many come back, and whether with their text, is done here: the
 * names of these fields differ.
 * @param post makes the request of a body
 */
export function rerankAdapter(
  settings: ProviderSettings,
  post: (body: object, model: string, apiKey: string | null) => UpstreamRequest,
): TaskAdapter {
  const provider = settings.name;
  return {
    buildRequest({ top_n: _topN, return_documents: _wantsDocuments, ...body }, model, apiKey) {
      const documents = documentsIn(body).map(textOf);
      const called = deploymentOf(settings, model) ?? model;
      return post({ ...body, model: called, documents }, model, apiKey);
    },
    readAnswer(body, model, request) {
      const given = parseJson(body) as Ranking | null;
      if (given?.error)
        throw providerFailure({ provider, status: null, reason: JSON.stringify(given.error) });
      const { usage, meta } = given ?? {};
      const billed = meta?.billed_units;
      // OpenRouter has them beside its cost
      const searches = numberIn(billed?.search_units, usage?.['search_units']);
      const tokens = numberIn(
        ...[usage?.['total_tokens'], usage?.['prompt_tokens']],
        ...[meta?.tokens?.input_tokens, billed?.input_tokens],
      );
      return {
        answer: {
          ...(typeof given?.id === 'string' ? { id: given.id } : {}),
          model,
          results: resultsOf(provider, given, request),
          ...(tokens === null ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
          meta: { billed_units: searches === null ? {} : { search_units: searches } },
        },
        promptTokens: tokens,
        costUsd: statedCostUsd(usage),
        ...(searches === null ? {} : { searches }),
      };
    },
  };
}

const documentsIn = ({ documents }: Fields): readonly unknown[] => documents as readonly unknown[];

/** The results in the client's shape, best first, as many as it asked for. */
function resultsOf(provider: string, given: Ranking | null, request: Fields): object[] {
  const list = Array.isArray(given) ? given : (given?.results ?? given?.data);
  if (!Array.isArray(list)) throw unreadable(provider, 'the body has no results');
  const documents = documentsIn(request);
  const results = objectsIn(list as Fields[]).map((one) => {
    const index = numberIn(one['index']);
    const score = numberIn(one['relevance_score'], one['score']);
    if (index === null || score === null || !(index in documents))
      throw unreadable(provider, 'a result has no index or no score');
    return { index, relevance_score: score };
  });
  results.sort((a, b) => b.relevance_score - a.relevance_score);
  const { top_n: wanted, return_documents: withDocuments } = request;
  return results
    .slice(0, typeof wanted === 'number' ? wanted : undefined)
    .map((one) =>
      withDocuments === true ? { ...one, document: { text: textOf(documents[one.index]) } } : one,
    );
}
