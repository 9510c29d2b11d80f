import { json, listRef, ref } from './components.js';
import { failures, type FailureStatus } from './failures.js';
import type { Access, Described, Endpoint } from '../endpoint.js';
import { parametersOf } from '../parameters.js';
import type { Tag } from './tags.js';

/** What the operations of one surface have in common. */
interface Surface {
  /** The status of a field or parameter that is not valid. */
  readonly invalid: 400 | 422;
  /** Statuses of every operation besides those that follow from its body and key. */
  readonly statuses: readonly FailureStatus[];
  /** The schema of its errors. Default: `error`. */
  readonly errorSchema?: string;
  /** Whether a signed-in browser may call it. */
  readonly takesSignIn?: boolean;
}

const resources: Surface = { invalid: 422, statuses: [429, 500, 503], takesSignIn: true };

/** One path with its methods; path parameters are declared from the path. */
export function describedPath(
  tag: Tag,
  path: string,
  methods: Readonly<Record<string, Described>>,
  surface: Surface,
): object {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'id' ? 'Its id.' : `Its \`${name}\`.`,
    ...(name === 'model' ? { example: 'demo/demo-large' } : {}),
    schema: { type: 'string' },
  }));
  const operations = Object.entries(methods).map(([method, described]) => [
    method,
    operation(tag, described, surface, { method, hasId: parameters.length > 0 }),
  ]);
  return {
    [path]: {
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(Object.fromEntries(operations) as object),
    },
  };
}

/** The paths of endpoints, in their order. */
export function endpointPaths(
  endpoints: readonly Endpoint[],
  surface: Surface = resources,
): object {
  const paths = new Map<string, [Tag, Record<string, Described>]>();
  for (const one of endpoints) {
    const [, methods] = paths.get(one.path) ?? [one.tag, {}];
    paths.set(one.path, [one.tag, { ...methods, [one.method]: one }]);
  }
  return Object.fromEntries(
    [...paths].flatMap(([path, [tag, methods]]) =>
      Object.entries(describedPath(tag, path, methods, surface)),
    ),
  );
}

interface Place {
  readonly method: string;
  readonly hasId: boolean;
}

function operation(tag: Tag, described: Described, surface: Surface, place: Place): object {
  const { id, summary, description, scope, isPublic = false, isDeprecated = false } = described;
  const parameters = parametersOf(described) ?? [];
  const sentences = [description, accessSentence(scope)].filter((text) => text !== undefined);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(sentences.length > 0 ? { description: sentences.join('\n\n') } : {}),
    ...(isDeprecated ? { deprecated: true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...bodyOf(described),
    responses: { ...success(described), ...errorsOf(described, surface, place) },
    ...(isPublic || surface.takesSignIn ? { security: securityOf(isPublic, place.method) } : {}),
  };
}

const accessSentence = (scope: Access | undefined): string | undefined =>
  scope === undefined
    ? undefined
    : scope === 'administrator'
      ? 'Only for administrators: needs the scope `admin` and an account with the role `admin`.'
      : `Needs the scope \`${scope}\`.`;

function securityOf(isPublic: boolean, method: string): object[] {
  if (isPublic) return [];
  const browser = method === 'get' ? { signIn: [] } : { signIn: [], csrfToken: [] };
  return [{ key: [] }, { keyHeader: [] }, browser];
}

function bodyOf({ request, example, otherBodies, isBodyOptional = false }: Described): object {
  if (request === undefined && otherBodies === undefined) return {};
  const own =
    request === undefined
      ? {}
      : { 'application/json': { schema: ref(request), ...(example ? { example } : {}) } };
  return { requestBody: { required: !isBodyOptional, content: { ...own, ...otherBodies } } };
}

function success({ response, isList = false, answer, status }: Described): Record<string, object> {
  if (answer !== undefined) return { [status ?? 200]: answer };
  if (response === undefined)
    return { [status ?? 204]: { description: 'Success, without content.' } };
  const content = isList ? { 'application/json': { schema: listRef(response) } } : json(response);
  return { [status ?? 200]: { description: 'Success.', content } };
}

/** The statuses that follow from what an operation takes, and those that it names. */
function errorsOf(described: Described, surface: Surface, place: Place): object {
  const { request, otherBodies, scope, isPublic = false } = described;
  const hasBody = request !== undefined || otherBodies !== undefined;
  const hasFields = hasBody || parametersOf(described) !== undefined;
  const statuses = Object.entries({
    400: hasBody || (hasFields && surface.invalid === 400),
    401: !isPublic,
    403: scope !== undefined || (surface.takesSignIn && place.method !== 'get'),
    404: place.hasId,
    413: hasBody,
    415: hasBody,
    421: isPublic && surface.takesSignIn,
    422: hasFields && surface.invalid === 422,
  }).flatMap(([status, has]) => (has ? [Number(status) as FailureStatus] : []));
  const named = Object.keys(described.errors ?? {}).map(
    (status) => Number(status) as FailureStatus,
  );
  const texts =
    surface.invalid === 400
      ? { 400: 'The request is not valid: `<field>: <reason>`.', ...described.errors }
      : described.errors;
  return failures([...statuses, ...surface.statuses, ...named], texts, surface.errorSchema);
}
