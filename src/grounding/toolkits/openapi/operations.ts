import { atPointer, jsonFields } from '../../../text/json-values.js';
import { asList, type Json } from '../../../text/is-object.js';

/** A parameter of an operation. */
export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  /** Whether a list in the query is one field for each item, or one with commas. */
  readonly explode: boolean;
}

/** An operation of a document as a tool. */
export interface ApiOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly OperationParameter[];
  /** Whether `body` among the arguments is sent. */
  readonly hasBody: boolean;
  /** The schema of the arguments, with the references of the document. */
  readonly schema: Json;
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
const methodsWithBody = ['put', 'post', 'delete', 'patch'];
/** The gateway sets these, or servers and proxies take them for more than a value: no model does. */
const ownHeaders =
  /^(?:accept|authorization|connection|content-(?:length|type)|cookie|expect|forwarded|host|keep-alive|te|trailer|transfer-encoding|upgrade|via|(?:proxy|sec|x-forwarded|x-original|x-rewrite)-.*|x-real-ip|x-(?:http-)?method(?:-override)?)$/;
const maxOperations = 512;

/**
 * The operations of an OpenAPI document of version 3.0 or 3.1.
 * @param configured the operator's headers, which no argument sets, in any letter case
 */
export function operationsOf(
  document: Json,
  configured: Readonly<Record<string, string>>,
): ApiOperation[] {
  const fixed = new Set(Object.keys(configured).map(plainName));
  const found: ApiOperation[] = [];
  for (const [path, written] of Object.entries(jsonFields(document.paths))) {
    const item = referred(written, document);
    for (const method of methods) {
      const operation = jsonFields(item[method]);
      if (item[method] === undefined || found.length >= maxOperations) continue;
      found.push(operationOf(document, path, method, item, operation, fixed));
    }
  }
  return found;
}

function operationOf(
  document: Json,
  path: string,
  method: string,
  item: Json,
  operation: Json,
  fixed: ReadonlySet<string>,
): ApiOperation {
  const written = parametersOf(document, item, operation, fixed);
  const body = bodyOf(document, method, operation);
  const properties = Object.fromEntries([
    ...written.map((parameter) => [String(parameter.name), schemaOf(parameter)] as const),
    ...(body === null ? [] : [['body', body.schema] as const]),
  ]);
  const required = written
    .filter((parameter) => parameter.required === true || parameter.in === 'path')
    .map(({ name }) => String(name));
  const { operationId, summary, description } = operation;
  return {
    id: typeof operationId === 'string' ? operationId : `${method}_${path}`,
    method: method.toUpperCase(),
    path,
    description: [summary, description].filter((text) => typeof text === 'string').join('\n'),
    parameters: written.map(readParameter),
    hasBody: body !== null,
    schema: {
      type: 'object',
      properties,
      required: [...required, ...(body?.required === true ? ['body'] : [])],
      additionalProperties: false,
      // where the references lead; a reader of the schema replaces them
      components: document.components,
    },
  };
}

/** An operation's parameters and those of its path, which it may override. Cookies are left out. */
function parametersOf(
  document: Json,
  item: Json,
  operation: Json,
  fixed: ReadonlySet<string>,
): Json[] {
  const isOwn = (name: string): boolean =>
    fixed.has(plainName(name)) || ownHeaders.test(plainName(name));
  const all = [...asList(item.parameters), ...asList(operation.parameters)]
    .map((parameter) => referred(parameter, document))
    .filter(({ name, in: place }) => typeof name === 'string' && isPlace(place))
    .filter(({ name, in: place }) => place !== 'header' || !isOwn(String(name)));
  return [...new Map(all.map((parameter) => [parameter.name, parameter])).values()];
}

/** Headers whose names differ in letter case, `-` and `_` alone are the same to many servers. */
const plainName = (name: string): string => name.toLowerCase().replaceAll('_', '-');

const isPlace = (place: unknown): boolean =>
  place === 'path' || place === 'query' || place === 'header';

const schemaOf = ({ schema, content, description }: Json): Json => ({
  ...jsonFields(schema ?? jsonFields(Object.values(jsonFields(content))[0]).schema),
  ...(typeof description === 'string' ? { description } : {}),
});

const readParameter = ({ name, in: place, explode, style }: Json): OperationParameter => ({
  name: String(name),
  in: place as OperationParameter['in'],
  explode: typeof explode === 'boolean' ? explode : style === undefined || style === 'form',
});

function bodyOf(
  document: Json,
  method: string,
  operation: Json,
): { readonly schema: unknown; readonly required: boolean } | null {
  if (operation.requestBody === undefined || !methodsWithBody.includes(method)) return null;
  const { content, required } = referred(operation.requestBody, document);
  const json = Object.entries(jsonFields(content)).find(([type]) =>
    /^application\/(.+\+)?json/.test(type),
  );
  if (json === undefined) return null;
  return { schema: jsonFields(json[1]).schema ?? {}, required: required === true };
}

const maxSteps = 8;

/** What a reference object of a document means; the object itself if it is none. */
function referred(value: unknown, document: Json): Json {
  let found = jsonFields(value);
  for (let step = 0; typeof found.$ref === 'string'; step++) {
    if (step === maxSteps || !found.$ref.startsWith('#/')) return {};
    found = jsonFields(atPointer(document, found.$ref.slice(1)));
  }
  return found;
}
