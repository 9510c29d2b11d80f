/** One page as the fixtures below tell it. */
export interface FoundPage {
  title: string;
  url: string;
  text: string;
  /** ISO, with a time. */
  date?: string;
}

/** What each engine answers in its own shape, with the fields around that it sends too. */
export const answerOf = {
  searxng: (pages: readonly FoundPage[], unresponsive: string[] = []) => ({
    query: 'lamps',
    number_of_results: 0,
    results: pages.map(({ title, url, text, date }, index) => ({
      template: 'default.html',
      url,
      title,
      content: text,
      publishedDate: date?.replace(/Z$/, '') ?? null,
      pubdate: date ?? '',
      img_src: '',
      thumbnail: '',
      engine: 'mojeek',
      engines: ['mojeek'],
      parsed_url: ['https', new URL(url).host, '/', '', '', ''],
      positions: [index + 1],
      priority: '',
      score: 1 / (index + 1),
      category: 'general',
    })),
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: ['lamps near me'],
    unresponsive_engines: unresponsive.map((name) => [name, 'timeout']),
  }),
  brave: (pages: readonly FoundPage[]) => ({
    type: 'search',
    query: { original: 'lamps', more_results_available: true, spellcheck_off: false },
    mixed: { type: 'mixed', main: [], top: [], side: [] },
    ...(pages.length === 0
      ? {}
      : {
          web: {
            type: 'search',
            family_friendly: true,
            results: pages.map(({ title, url, text, date }) => ({
              type: 'search_result',
              subtype: 'generic',
              title,
              url,
              description: text,
              is_source_local: false,
              is_live: false,
              language: 'en',
              profile: { name: 'Example', url, long_name: 'example.org', img: '' },
              meta_url: { scheme: 'https', netloc: new URL(url).host, path: '' },
              ...(date ? { page_age: date.replace(/\.\d+Z$/, ''), age: '2 weeks ago' } : {}),
            })),
          },
        }),
  }),
  tavily: (pages: readonly FoundPage[], raw: string | null = null) => ({
    query: 'lamps',
    follow_up_questions: null,
    answer: null,
    images: [],
    results: pages.map(({ title, url, text, date }) => ({
      url,
      title,
      content: text,
      score: 0.81,
      raw_content: raw,
      ...(date ? { published_date: new Date(date).toUTCString() } : {}),
    })),
    response_time: 1.09,
    request_id: '123e4567-e89b-12d3-a456-426614174111',
  }),
  exa: (pages: readonly FoundPage[], whole?: string) => ({
    requestId: 'b5947044c4b78efa9552a7c89b306d95',
    resolvedSearchType: 'neural',
    results: pages.map(({ title, url, text, date }) => ({
      id: url,
      title,
      url,
      publishedDate: date ?? null,
      author: '',
      highlights: [text],
      highlightScores: [0.46],
      ...(whole === undefined ? {} : { text: whole }),
    })),
    costDollars: { total: 0.005 },
  }),
  serper: (pages: readonly FoundPage[]) => ({
    searchParameters: { q: 'lamps', type: 'search', num: 10, engine: 'google' },
    organic: pages.map(({ title, url, text, date }, index) => ({
      title,
      link: url,
      snippet: text,
      position: index + 1,
      ...(date ? { date: englishDate(date) } : {}),
    })),
    peopleAlsoAsk: [],
    relatedSearches: [{ query: 'desk lamps' }],
    credits: 1,
  }),
  perplexity: (pages: readonly FoundPage[]) => ({
    results: pages.map(({ title, url, text, date }) => ({
      title,
      url,
      snippet: text,
      date: date?.slice(0, 10) ?? null,
      last_updated: '2026-10-01',
    })),
    id: 'e38104d5-6bd7-4d82-bc4e-0a21179d1f77',
    server_time: null,
  }),
};

/** `Mar 5, 2026` */
const englishDate = (iso: string): string =>
  new Date(iso).toLocaleDateString('en-US', {
    dateStyle: 'medium',
    timeZone: 'UTC',
  });
