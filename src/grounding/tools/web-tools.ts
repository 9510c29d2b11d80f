import { inTurns } from '../../async/turns.js';
import { GatewayError } from '../../errors.js';
import { packPassages } from '../search/passages/pack-passages.js';
import { cutQuery } from '../search/domains.js';
import type { Recency } from '../search/search-engine.js';
import type { GatewayTool, ToolResult, ToolRun } from './gateway-tool.js';
import type { ReadSource } from './request-sources.js';
import { failureText, type WebAccess } from './web-access.js';

/** The toolkit of the tools for the web. */
export const webToolkit = 'web';
/** The name of the tool that searches. */
export const searchToolName = 'web_search';
const fetchToolName = 'web_fetch';

/** What the tools for the web are made with. */
export interface WebToolOptions {
  readonly access: WebAccess;
  /** About how many tokens a result may have, asked before each. */
  readonly resultTokens: () => number;
  /** What the conversation asks, for choosing passages of a page. */
  readonly question: string;
  /** What one search costs at most, in USD; null: unknown. */
  readonly searchPriceUsd: number | null;
  /** Whether a search that fails ends the request. */
  readonly required: boolean;
}

const maxQueryLength = 400;
const recencies: readonly string[] = ['day', 'week', 'month', 'year'];
/** What a title, an address and a date take of a result's tokens. */
const tokensPerSource = 60;

/** The two tools with which a model searches the web and reads its pages. */
export function webTools(options: WebToolOptions): GatewayTool[] {
  const shared = { toolkit: webToolkit, approval: 'none', maxCalls: null } as const;
  return [
    {
      ...shared,
      name: searchToolName,
      priceUsd: options.searchPriceUsd,
      definition: { type: 'function', function: searchFunction },
      run: (args, run) => search(options, args, run),
    },
    {
      ...shared,
      name: fetchToolName,
      priceUsd: 0,
      definition: { type: 'function', function: fetchFunction },
      run: async (args, run) => {
        const { access, resultTokens, question } = options;
        const { signal } = run;
        if (typeof args['url'] !== 'string') return failed('url: give the address of a page');
        if (access.pagesLeft <= 0)
          return failed('no further pages may be read; answer with what was read');
        const asked = typeof args['question'] === 'string' ? args['question'] : question;
        try {
          const { page, source } = await access.read(args['url'], signal);
          const passages = await fitting([{ ...source, text: page.text }], asked, resultTokens());
          const text = passages.get(source.id) ?? page.text.slice(0, resultTokens());
          return { text: `${headOf(source)}\n${text}`, isError: false, costUsd: 0 };
        } catch (error) {
          if (signal.aborted) throw error;
          return failed(`the page could not be read: ${failureText(error)}`);
        }
      },
    },
  ];
}

const searchFunction = {
  name: searchToolName,
  description:
    'Searches the web. Returns numbered sources with passages that fit the query. Cite a source by its number in brackets, such as [1].',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to search for, in a few words.' },
      recency: {
        type: 'string',
        enum: [...recencies],
        description: 'Only pages that are at most this old.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
};

const fetchFunction = {
  name: fetchToolName,
  description:
    'Reads one page whose address is in search results, in the conversation or on a page that was read. Returns its text, or the passages that fit the question where it is long.',
  parameters: {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'The address of the page.' },
      question: { type: 'string', description: 'What to look for on a long page.' },
    },
    required: ['url'],
    additionalProperties: false,
  },
};

/** What one search cost, with the engines that failed; unknown where one of them is. */
export class SearchCost {
  usd: number | null = 0;

  readonly add = (costUsd: number | null): void => {
    this.usd = this.usd === null || costUsd === null ? null : this.usd + costUsd;
  };
}

const failed = (text: string): ToolResult => ({ text, isError: true, costUsd: 0 });

async function search(
  { access, resultTokens, required }: WebToolOptions,
  { query, recency }: Readonly<Record<string, unknown>>,
  { signal }: ToolRun,
): Promise<ToolResult> {
  if (typeof query !== 'string' || query.trim() === '')
    return failed('query: give the words to search for');
  if (access.searchesLeft <= 0)
    return failed('no further searches are allowed; answer with what was found');
  const age = recencies.includes(recency as string) ? (recency as Recency) : null;
  const cost = new SearchCost();
  try {
    const wish = { query: cutQuery(query, maxQueryLength), recency: age };
    const found = await access.search(wish, signal, cost.add);
    const text = await foundText(found, wish.query, resultTokens());
    return { text, isError: false, costUsd: cost.usd };
  } catch (error) {
    if (signal.aborted || (required && error instanceof GatewayError)) throw error;
    return { ...failed(`the search failed: ${failureText(error)}`), costUsd: cost.usd };
  }
}

/** Sources as a model reads them: number, title, address, date, and passages that fit. */
export async function foundText(
  found: readonly ReadSource[],
  question: string,
  maxTokens: number,
): Promise<string> {
  if (found.length === 0) return 'Nothing was found.';
  const passages = await fitting(found, question, maxTokens);
  return found
    .map((source) => {
      const text = passages.get(source.id) ?? source.snippet;
      return text === '' ? headOf(source) : `${headOf(source)}\n${text}`;
    })
    .join('\n\n');
}

function headOf({ id, title, url, publishedAt }: ReadSource): string {
  const date = publishedAt === null ? '' : `, published ${publishedAt.slice(0, 10)}`;
  return `[${id}] ${title} (${url}${date})`;
}

/** The passages that fit a question, by the ids of their sources. */
async function fitting(
  sources: readonly ReadSource[],
  question: string,
  maxTokens: number,
): Promise<ReadonlyMap<number, string>> {
  const limits = { maxTokens, tokensPerText: tokensPerSource };
  const packed = await inTurns(packPassages(question, sources, limits));
  return new Map(
    packed.map(({ source, passages }) => [sources[source]!.id, passages.join('\n…\n')]),
  );
}
