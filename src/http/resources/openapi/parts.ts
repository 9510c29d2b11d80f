import { type JsonSchema, readSchema, schemaNames } from '../../../config/schema/compile-schema.js';

/** A schema's name in the document: `completions.request` is `CompletionsRequest`. */
const componentName = (name: string): string =>
  name.replace(/(^|[.-])(\w)/g, (_match, _separator, letter: string) => letter.toUpperCase());

/** A reference to a schema file, by its name. */
export const ref = (name: string): JsonSchema => ({
  $ref: `#/components/schemas/${componentName(name)}`,
});

/** JSON content with the schema of that file. */
export const json = (name: string): object => ({ 'application/json': { schema: ref(name) } });

/** OpenAPI tools do not resolve `$id`, so references are rewritten to `#/components/schemas/…`. */
function embedded(value: unknown, owner: string): unknown {
  if (Array.isArray(value)) return value.map((item) => embedded(item, owner));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key]) => key !== '$id' && key !== '$schema' && key !== 'x-reason',
  );
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? embeddedRef(inner, owner)
        : embedded(inner, owner),
    ]),
  );
}

function embeddedRef(reference: string, owner: string): string {
  const [file = '', pointer = ''] = reference.split('#');
  return `#/components/schemas/${file === '' ? owner : componentName(file.replace('.schema.json', ''))}${pointer}`;
}

/** All schema files except the configuration's, for `components.schemas`. */
export function embeddedSchemas(): object {
  const names = schemaNames().filter((name) => name !== 'config');
  return Object.fromEntries(
    names.map((name) => [componentName(name), embedded(readSchema(name), componentName(name))]),
  );
}

/** An error response. */
export const failure = (description: string, name: 'error' | 'openai-error' = 'error'): object => ({
  description,
  content: json(name),
});

/** The error responses that every native operation can have. */
export function nativeErrors(invalid: '400' | '422'): object {
  return {
    [invalid]: failure('The request is not valid: `<field>: <reason>`.'),
    401: failure('The API key is missing or not valid.'),
    404: failure('A named resource does not exist, or belongs to another account.'),
    413: failure('The body is too large.'),
    415: failure('The body is not JSON.'),
    429: failure('Too many requests.'),
    500: failure('The gateway failed.'),
  };
}

/** One operation; `request` names the schema of its body. */
export function operation(summary: string, request: string | null, responses: object): object {
  return {
    summary,
    ...(request ? { requestBody: { required: true, content: json(request) } } : {}),
    responses,
  };
}

/** A path parameter. */
export const pathParameter = (name: string, description: string): object => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});

/** An optional query parameter. */
export const queryParameter = (name: string, description: string, type = 'string'): object => ({
  name,
  in: 'query',
  description,
  schema: { type },
});

/** A short description of one method of a resource. */
export interface ResourceMethod {
  readonly summary: string;
  /** The schema of its body. */
  readonly request?: string;
  /** The schema of its response. Default: no content. */
  readonly response?: string;
  /** Whether the response is a paged list of them. */
  readonly isList?: boolean;
  /** Default: 200, or 204 without content. */
  readonly status?: number;
  readonly parameters?: readonly object[];
  /** Whether the method works without a key. */
  readonly isPublic?: boolean;
}

/** The path of a resource with its methods; path parameters are declared from the path. */
export function resourcePath(
  path: string,
  methods: Readonly<Record<string, ResourceMethod>>,
): object {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    pathParameter(name, 'An id.'),
  );
  return {
    [path]: {
      ...(parameters.length > 0 ? { parameters } : {}),
      ...Object.fromEntries(
        Object.entries(methods).map(([method, described]) => [
          method,
          resourceOperation(described),
        ]),
      ),
    },
  };
}

const pageParameters = [
  queryParameter('limit', 'Items per page, from 1 to 100. Default: 20.', 'integer'),
  queryParameter('cursor', '`next` of the previous page.'),
];

function resourceOperation({
  summary,
  request,
  response,
  isList = false,
  status,
  parameters = [],
  isPublic = false,
}: ResourceMethod): object {
  const schema = response === undefined ? null : isList ? listSchema(response) : ref(response);
  const answer = {
    description: schema ? 'Success.' : 'Success, without content.',
    ...(schema ? { content: { 'application/json': { schema } } } : {}),
  };
  const declared = [...(isList ? pageParameters : []), ...parameters];
  return {
    ...operation(summary, request ?? null, {
      [String(status ?? (schema ? 200 : 204))]: answer,
      ...nativeErrors('422'),
      403: failure('This key or account lacks the permission.'),
      503: failure('The database cannot be reached.'),
    }),
    ...(declared.length > 0 ? { parameters: declared } : {}),
    security: isPublic ? [] : [{ key: [] }, { signIn: [] }],
  };
}

function listSchema(name: string): object {
  const properties = {
    object: { type: 'string', const: 'list' },
    items: { type: 'array', items: ref(name) },
    next: {
      type: ['string', 'null'],
      description: 'The `cursor` of the next page; null on the last page.',
    },
  };
  return { type: 'object', required: ['object', 'items', 'next'], properties };
}
