/** An operation of the API: `GET`, `/api/v1/keys/{id}`. */
export interface Call {
  readonly method: string;
  readonly path: string;
}

/** What the reader has filled in. */
interface Filled {
  readonly parameters: ReadonlyMap<string, string>;
  /** `name=value&…`, with or without `?`. */
  readonly query: string;
  /** JSON; null: the operation has no body. */
  readonly body: string | null;
}

interface PreparedRequest {
  readonly url: string;
  readonly init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

/** The names in braces. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The request of a filled form. A parameter stays one segment, but for a path that is passed on. */
export function requestOf({ method, path }: Call, base: string, filled: Filled): PreparedRequest {
  const filledPath = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = filled.parameters.get(name) ?? '';
    return name === 'path' || name === 'model' ? encodeURI(value) : encodeURIComponent(value);
  });
  const query = filled.query.trim().replace(/^\?/, '');
  return {
    url: `${base}${filledPath}${query === '' ? '' : `?${query}`}`,
    init: {
      method,
      headers: filled.body === null ? {} : { 'content-type': 'application/json' },
      ...(filled.body === null ? {} : { body: filled.body }),
    },
  };
}
