import type { CustomEngineConfig } from '../../../config/search-config.js';
import { atPointer } from '../../../text/json-values.js';
import type { RawResult, SearchDialect, SearchQuery } from '../search-engine.js';
import { parseUrl } from '../../../text/parse-url.js';
import { isObject } from '../../../text/is-object.js';

type Values = Readonly<Record<string, string | number>>;

/** The names that stand in braces. What is not asked for is replaced by nothing. */
const placeholders = /\{(query|count|recency|country|language)\}/g;

const valuesOf = (query: SearchQuery): Values => ({
  query: query.query,
  count: query.maxResults,
  recency: query.recency ?? '',
  country: query.country ?? '',
  // no request names one
  language: '',
});

const filled = (
  template: string,
  values: Values,
  encode: (text: string) => string = (text) => text,
): string => template.replace(placeholders, (_, name: string) => encode(String(values[name])));

/** A string that is one placeholder becomes its value; a number stays one. */
function filledJson(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const name = /^\{([a-z]+)\}$/.exec(value)?.[1] ?? '';
    return Object.hasOwn(values, name) ? values[name] : filled(value, values);
  }
  if (Array.isArray(value)) return value.map((item) => filledJson(item, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filledJson(item, values)]),
  );
}

/** UTF-8 has no halves of surrogate pairs, at which `encodeURIComponent` throws. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const absolute = (link: unknown, address: string): unknown =>
  typeof link === 'string' ? (parseUrl(link, address)?.href ?? link) : link;

function resultAt(item: unknown, pointers: CustomEngineConfig, address: string): RawResult {
  const at = (pointer: string | null): unknown =>
    pointer === null ? undefined : atPointer(item, pointer);
  return {
    title: at(pointers.title),
    url: absolute(at(pointers.link), address),
    snippet: at(pointers.snippet),
    date: at(pointers.date),
    content: at(pointers.text),
  };
}

/**
 * The dialect of a search engine that is described in the configuration: an address or a JSON body
 * with placeholders, and JSON pointers to what is read. Links may be relative to its address.
 */
export function customDialect(url: string, custom: CustomEngineConfig): SearchDialect {
  const { body } = custom;
  const hasRecency = `${url}${JSON.stringify(body)}`.includes('{recency}');
  return {
    isFree: true,
    appliesRecency: hasRecency,
    buildRequest(query, _engine, apiKey) {
      const values = valuesOf(query);
      const authorization: Record<string, string> =
        apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
      const sent = body === null ? null : JSON.stringify(filledJson(body, values));
      return {
        method: sent === null ? 'GET' : 'POST',
        url: filled(url, values, encoded),
        headers:
          sent === null ? authorization : { 'content-type': 'application/json', ...authorization },
        body: sent,
      };
    },
    readResults(answer, request) {
      const found = atPointer(answer, custom.results);
      if (!Array.isArray(found)) return null;
      return found.map((item) => resultAt(item, custom, request.url));
    },
  };
}
