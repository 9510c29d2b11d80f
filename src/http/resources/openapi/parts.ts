import { type JsonSchema, readSchema, schemaNames } from '../../../config/schema/compile-schema.js';

/** A schema's name in the document: `completions.request` is `CompletionsRequest`. */
const componentName = (name: string): string =>
  name.replace(/(^|[.-])(\w)/g, (_match, _separator, letter: string) => letter.toUpperCase());

/** A reference to a schema file, by its name. */
export const ref = (name: string): JsonSchema => ({
  $ref: `#/components/schemas/${componentName(name)}`,
});

/** Content of JSON after a schema file. */
export const json = (name: string): object => ({ 'application/json': { schema: ref(name) } });

/** Readers of OpenAPI do not follow `$id`: references are rewritten to where they stand in the document. */
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

/** All schema files but the configuration's, as they stand in the document. */
export function embeddedSchemas(): object {
  const names = schemaNames().filter((name) => name !== 'config');
  return Object.fromEntries(
    names.map((name) => [componentName(name), embedded(readSchema(name), componentName(name))]),
  );
}

/** An answer that is an error. */
export const failure = (description: string, name: 'error' | 'openai-error' = 'error'): object => ({
  description,
  content: json(name),
});

/** What every operation of the interface may answer. */
export function nativeErrors(invalid: '400' | '422'): object {
  return {
    [invalid]: failure('The request is not valid: `<field>: <reason>`.'),
    401: failure('The API key is missing or not valid.'),
    404: failure('Something that is named does not exist.'),
    413: failure('The body is too large.'),
    415: failure('The body is not JSON.'),
    429: failure('Too many requests.'),
    500: failure('A fault of the gateway.'),
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

/** A parameter of the path. */
export const pathParameter = (name: string, description: string): object => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});

/** An optional parameter of the query. */
export const queryParameter = (name: string, description: string, type = 'string'): object => ({
  name,
  in: 'query',
  description,
  schema: { type },
});

/** One method of a resource, in few words. */
export interface ResourceMethod {
  readonly summary: string;
  /** The schema of its body. */
  readonly request?: string;
  /** The schema of its answer; absent: none. */
  readonly response?: string;
  /** True for a list of such, page by page. */
  readonly isList?: boolean;
  /** Default 200, or 204 where there is no answer. */
  readonly status?: number;
  readonly parameters?: readonly object[];
  /** True where no key is needed. */
  readonly isPublic?: boolean;
}

/** The path of a resource: its parameters are declared by themselves. */
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
        Object.entries(methods).map(([method, told]) => [method, resourceOperation(told)]),
      ),
    },
  };
}

const pageParameters = [
  queryParameter('limit', 'At most so many, from 1 to 100; 20 unless given.', 'integer'),
  queryParameter('cursor', '`next` of the page before.'),
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
    description: schema ? 'It is done.' : 'It is done; there is nothing to tell.',
    ...(schema ? { content: { 'application/json': { schema } } } : {}),
  };
  const told = [...(isList ? pageParameters : []), ...parameters];
  return {
    ...operation(summary, request ?? null, {
      [String(status ?? (schema ? 200 : 204))]: answer,
      ...nativeErrors('422'),
      403: failure('This key or account may not do that.'),
      503: failure('The database cannot be reached.'),
    }),
    ...(told.length > 0 ? { parameters: told } : {}),
    security: isPublic ? [] : [{ key: [] }, { signIn: [] }],
  };
}

function listSchema(name: string): object {
  const properties = {
    object: { type: 'string', const: 'list' },
    items: { type: 'array', items: ref(name) },
    next: {
      type: ['string', 'null'],
      description: "The next page's `cursor`; null: this is the last page.",
    },
  };
  return { type: 'object', required: ['object', 'items', 'next'], properties };
}
