import type { HttpCall } from '../http-call.js';
import type { ApiOperation } from './operations.js';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * The request of a call. Values go into the path as one segment each, so that no argument leads to
 * another path.
 * @returns a text, if the arguments do not make a request
 */
export function operationCall(
  operation: ApiOperation,
  args: Arguments,
  { baseUrl, headers }: { baseUrl: string; headers: Readonly<Record<string, string>> },
): HttpCall | string {
  const path = filledPath(operation, args);
  if (path === null) return 'A parameter of the path is missing or is not a word.';
  const url = new URL(baseUrl.replace(/\/+$/, '') + path);
  const sent: Record<string, string> = {};
  for (const { name, in: place, explode } of operation.parameters) {
    const value = args[name];
    if (value === undefined || value === null) continue;
    if (place === 'query') addQuery(url.searchParams, name, value, explode);
    if (place === 'header') {
      if (!isHeaderValue(asText(value)))
        return `The header ${name} has characters that are refused.`;
      sent[name] = asText(value);
    }
  }
  const body = operation.hasBody && args.body !== undefined ? JSON.stringify(args.body) : null;
  // no parameter has the name of one of the operator's headers
  return { method: operation.method, url: url.href, headers: { ...sent, ...headers }, body };
}

function filledPath({ path, parameters }: ApiOperation, args: Arguments): string | null {
  const refused: string[] = [];
  const filled = path.replace(/\{([^{}]+)\}/g, (_all, name: string) => {
    const isKnown = parameters.some((known) => known.in === 'path' && known.name === name);
    const text = isKnown ? asText(args[name] ?? '') : '';
    // `.` and `..` would be resolved, also encoded
    if (text === '' || text === '.' || text === '..') refused.push(name);
    return encodeURIComponent(Buffer.from(text).toString());
  });
  return refused.length === 0 ? filled : null;
}

function addQuery(query: URLSearchParams, name: string, value: unknown, explode: boolean): void {
  if (!Array.isArray(value)) query.append(name, asText(value));
  else if (explode) for (const item of value) query.append(name, asText(item));
  else query.append(name, value.map(asText).join(','));
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const isHeaderValue = (text: string): boolean => /^[\t -~\u0080-\u00ff]*$/.test(text);
