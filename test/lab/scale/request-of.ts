import type { ChatMessage } from '../../../src/completion.js';
import { questionOf } from '../fit/published-evaluations.js';

/** Between a system prompt and what the user says, in prompts of our own. */
export const userMark = '\n\n[USER]\n';

/** The request that a prompt stands for, with its system prompt and its tools. */
export function requestOf(prompt: string): {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly unknown[];
} {
  const { question, tools } = questionOf(prompt);
  const at = question.indexOf(userMark);
  if (at < 0) return { messages: [{ role: 'user', content: question }], tools };
  return {
    messages: [
      { role: 'system', content: question.slice(0, at) },
      { role: 'user', content: question.slice(at + userMark.length) },
    ],
    tools,
  };
}
