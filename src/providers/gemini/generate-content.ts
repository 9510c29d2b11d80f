import type { ProviderAdapter } from '../adapter.js';
import { unsupported } from '../failure.js';
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

/**
 * A model's name as part of a path; slashes stay.
 * @throws GatewayError `request_refused` for names that would lead to another path
 */
export function modelPath(model: string, provider: string): string {
  const segments = model.split('/');
  if (segments.some((segment) => /^\.*$|\p{Surrogate}/u.test(segment)))
    throw unsupported(provider, 'a model of this name', 'model');
  return segments.map(encodeURIComponent).join('/');
}

/** The end of a model's URL for a whole or a streamed answer. */
export function operationOf(stream: boolean): string {
  return stream ? ':streamGenerateContent?alt=sse' : ':generateContent';
}
