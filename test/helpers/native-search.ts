import type { WrittenConfig } from '../../src/config/config.js';
import { searchAnswers, type SearchAnswer } from './search-answers.js';
import { splitEvents } from './recorded.js';
import type { Step, UpstreamCall } from './upstream.js';

/** Providers whose models search by themselves, at one scripted address. */
export const searchingProviders = (url: string): NonNullable<WrittenConfig['providers']> => ({
  responses: { api: 'openai-responses', baseUrl: `${url}/v1`, apiKey: 'k' },
  claude: { api: 'anthropic', baseUrl: url, apiKey: 'k' },
  google: { api: 'gemini', baseUrl: `${url}/v1beta`, apiKey: 'k' },
  pplx: { api: 'perplexity', baseUrl: url, apiKey: 'k' },
  router: { api: 'openrouter', baseUrl: `${url}/v1`, apiKey: 'k' },
  plain: { api: 'openai-compatible', baseUrl: `${url}/v1` },
});

const named = new Map(searchAnswers);

/** A label of `searchingProviders`, and what its model answers. */
export const searchingModels: readonly (readonly [label: string, SearchAnswer])[] = [
  ['responses/gpt-5.2', named.get("OpenAI's Responses API")!],
  ['claude/claude-sonnet-4-5', named.get('Anthropic')!],
  ['google/gemini-3.5-flash', named.get('Gemini')!],
  ['pplx/sonar', named.get('Perplexity')!],
  ['router/deepseek/deepseek-chat', named.get('OpenRouter')!],
];

export const searchAnswerOf = (label: string): SearchAnswer =>
  searchingModels.find(([one]) => one === label)![1];

/** The answer as one JSON body, whatever was asked for. */
export const wholeAnswer = ({ whole }: SearchAnswer): Step => ({
  raw: Buffer.from(JSON.stringify(whole)),
  contentType: 'application/json',
});

/** The answer as events. @param events the bytes in other pieces */
export const streamedAnswer = ({ stream }: SearchAnswer, events?: Buffer[]): Step => ({
  raw: Buffer.from(stream),
  contentType: 'text/event-stream',
  writes: 'events',
  events: events ?? splitEvents(Buffer.from(stream), 'sse'),
});

/** Whole or as events, as it was asked for. */
export const asAsked =
  (answer: SearchAnswer) =>
  ({ path, body }: UpstreamCall): Step =>
    body?.['stream'] === true || path.includes('stream')
      ? streamedAnswer(answer)
      : wholeAnswer(answer);
