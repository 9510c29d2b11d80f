import type { WebAccess } from '../../grounding/tools/web-access.js';
import { foundText, SearchCost } from '../../grounding/tools/web-tools.js';
import { cutQuery } from '../../grounding/search/domains.js';
import type { ReadSource } from '../../grounding/tools/request-sources.js';

const maxQueryLength = 300;
const pagesRead = 3;
/** Shorter texts are what an engine tells of a page, not its content. */
const minContentLength = 1_500;

/** What one search before an answer came to. */
export interface OnceFound {
  /** For the model; '': nothing was found. */
  readonly material: string;
  readonly costUsd: number | null;
}

/**
 * Searches once for the question and reads the best pages where the engine sent no texts: for
 * models that call no tools. Pages that cannot be read are left out.
 * @throws GatewayError as `WebSearch.search`
 */
export async function searchOnce(
  access: WebAccess,
  question: string,
  maxTokens: number,
  signal: AbortSignal,
): Promise<OnceFound> {
  const query = cutQuery(question.replace(/\s+/g, ' '), maxQueryLength);
  if (query === '') return { material: '', costUsd: 0 };
  const cost = new SearchCost();
  const found = await access.search({ query, recency: null }, signal, cost.add);
  const thin = found.slice(0, pagesRead).filter(({ text }) => text.length < minContentLength);
  await Promise.all(
    thin.map(({ url }) =>
      access.read(url, signal).catch((error: unknown) => ignore(signal, error)),
    ),
  );
  const whole = found.map((source): ReadSource => access.sources.byId(source.id) ?? source);
  const material = whole.length === 0 ? '' : foundText(whole, question, maxTokens);
  return { material, costUsd: cost.usd };
}

function ignore(signal: AbortSignal, error: unknown): void {
  if (signal.aborted) throw error;
}
