import { messages } from './messages/messages.js';
import { native } from './native.js';
import { openai } from './openai.js';
import { compactResponses, responses } from './responses/responses.js';
import type { CompletionSurface } from './surface.js';
import { textCompletions } from './text-completions.js';

/**
 * All surfaces that complete. Routes, errors before a route, the description of the API and what is
 * prepared at the start follow from this list.
 */
export const completionSurfaces: readonly CompletionSurface[] = [
  native,
  openai,
  textCompletions,
  responses,
  messages,
  compactResponses,
];

/** The paths of a surface. */
export const pathsOf = ({ path, deprecatedPaths = {} }: CompletionSurface): string[] => [
  path,
  ...Object.keys(deprecatedPaths),
];

/** The surface whose path a URL has, under any mount path; null: none. */
export function surfaceAt(url: string): CompletionSurface | null {
  const path = url.toLowerCase().replace(/\/?(\?.*)?$/, '');
  const found = completionSurfaces.flatMap((surface) =>
    pathsOf(surface)
      .filter((own) => path.endsWith(own))
      .map((own) => ({ surface, length: own.length })),
  );
  // one path may be the end of another
  return found.sort((a, b) => b.length - a.length)[0]?.surface ?? null;
}
