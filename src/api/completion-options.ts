import { matchesGlob } from '../models/access-rules.js';
import { type Call, endpointsOf } from './endpoint.js';

const endpoint = endpointsOf({ tag: 'Completions', scope: 'completions' });
const path = '/api/v1/completion-options';

/** What the caller's completions may ask for here beside a model, and their limits. */
export const getCompletionOptions = endpoint('get', path, 'getCompletionOptions', {
  summary: 'What completions may ask for: search, research, toolkits, and the size of requests',
  response: 'completion-options.response',
  run({ snapshot, caller }: Call) {
    const { grounding, limits, conversations } = snapshot;
    const { maxUses, maxResults, maxToolSteps, research } = grounding.limits;
    const engines = [...grounding.enginePrices].map(([name, usd]) => ({
      name,
      pricePerThousandUsd: usd === null ? null : usd * 1_000,
    }));
    return {
      object: 'completion_options',
      maxBodyBytes: limits.maxBodyBytes,
      maxToolSteps,
      storesConversations: conversations.store,
      search: { engines, maxUses, maxResults },
      research: grounding.search === null ? null : research,
      toolkits: grounding.toolkits.names.filter((name) =>
        caller.toolkits.some((glob) => matchesGlob(glob, name)),
      ),
    };
  },
});
