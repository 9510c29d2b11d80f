import type { ProviderAdapter } from '../adapter.js';
import { readGeminiCompletion } from './answer.js';
import { geminiEvents } from './events.js';
import { googleFailure } from './failure.js';

/** The part of an adapter that reads answers, which Gemini and Vertex share. */
export function geminiReaders(
  provider: string,
): Pick<
  ProviderAdapter,
  'speaksInternalDialect' | 'readCompletion' | 'readEvents' | 'readFailure'
> {
  return {
    speaksInternalDialect: false,
    readCompletion: (body) => readGeminiCompletion(provider, body),
    readEvents: (sink) => geminiEvents(provider, sink),
    readFailure: (status, headers, body) => googleFailure(provider, status, headers, body),
  };
}

/** The end of a model's URL for a whole or a streamed answer. */
export function operationOf(stream: boolean): string {
  return stream ? ':streamGenerateContent?alt=sse' : ':generateContent';
}
