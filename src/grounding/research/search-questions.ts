import { inParallel } from './in-parallel.js';
import { untilAborted } from './research-clock.js';
import type { ResearchRun } from './research-run.js';
import type { QuestionQuery } from './research-state.js';

/** How many searches a round makes: a third of the steps at most, so that pages can be read. */
function searchesOf({ width, ledger, roundsLeft }: ResearchRun): number {
  const { steps } = ledger.left;
  const wide = Math.max(width.searches, Math.floor(steps / (4 * roundsLeft)));
  return Math.min(wide, Math.max(1, Math.floor(steps / 3)));
}

/** Searches for what open questions need. A search that fails is left out. */
export async function searchQuestions(run: ResearchRun, signal: AbortSignal): Promise<void> {
  const queries = run.state.nextQueries(searchesOf(run));
  await inParallel(queries, (query) => searchOne(run, query, signal));
}

async function searchOne(
  run: ResearchRun,
  asked: QuestionQuery,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, state, web } = run;
  if (ledger.stoppedBy !== null) return;
  const price = { steps: 1, tokens: 0, costUsd: web.searchPriceUsd };
  const reservation = await run.reserve(price, signal);
  if (reservation === null) return;
  try {
    const { results, costUsd } = await untilAborted(web.search(asked.query, signal), signal);
    reservation.settle({ steps: 1, tokens: 0, costUsd });
    state.addResults(asked, results);
    run.hasSearched = true;
    run.report(`Searched for “${asked.query}”: ${results.length} results.`);
  } catch (error) {
    reservation.settleAtMost();
    if (signal.aborted) throw error;
    state.failQuery(asked.query);
    run.searchError = error instanceof Error ? error : new Error(String(error));
    run.report(`The search for “${asked.query}” failed.`);
  } finally {
    run.queries.push(asked.query);
  }
}
