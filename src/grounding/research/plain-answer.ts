import { packFacts } from './pack-facts.js';
import type { NotedSource } from './research-notes.js';
import type { ResearchState } from './research-state.js';

const maxTokens = 3_000;

/** An answer without a model: the notes, question by question. */
export function plainAnswer(state: ResearchState): {
  text: string;
  sources: readonly NotedSource[];
} {
  const { text, sources, count } = packFacts(state, state.questions, maxTokens);
  if (count === 0)
    return {
      text: 'This research ended before anything was noted, and no answer was written.',
      sources: [],
    };
  const [notes = ''] = text.split('\n\nSources:');
  const listed = notes.replace(/^Question \d+: (.*)$/gm, '**$1**\n');
  const opening =
    'No answer could be written within the budget of this research. These are its notes.';
  return { text: `${opening}\n\n${listed}`, sources };
}
