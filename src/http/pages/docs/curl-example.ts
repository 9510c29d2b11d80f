import type { PlacedOperation } from './api-document.js';

/** In the place of the URL of the gateway, which depends on the request for the page. */
export const originMark = '{origin}';

/** A command that calls the operation, with `SIGNALBOX_API_KEY` as the key. */
export function curlExample({ path, method, operation, pathParameters }: PlacedOperation): string {
  const examples = new Map(pathParameters.map(({ name, example }) => [name, example]));
  const url = path.replace(
    /\{(\w+)\}/g,
    (_whole, name: string) => examples.get(name) ?? name.toUpperCase(),
  );
  const isPublic = operation.security?.length === 0;
  const words = [
    `curl ${method === 'get' || method === 'post' ? '' : `-X ${method.toUpperCase()} `}${originMark}${url}`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $SIGNALBOX_API_KEY"']),
    ...bodyWords(operation, method),
  ];
  return words.join(' \\\n  ');
}

function bodyWords({ requestBody }: PlacedOperation['operation'], method: string): string[] {
  const { content = {} } = requestBody ?? {};
  const { example } = content['application/json'] ?? {};
  if (example !== undefined)
    return ['-H "Content-Type: application/json"', `-d ${quoted(bodyJson(example))}`];
  if (content['text/csv']) return ['-H "Content-Type: text/csv"', '--data-binary @evaluations.csv'];
  const [field] = Object.keys(content['multipart/form-data']?.schema?.properties ?? {});
  if (field !== undefined) return [`-F ${field}=@evaluations.csv`];
  return method === 'post' ? ['-X POST'] : [];
}

const maxLine = 72;

/** A body on one line, or on a line for each field if that is long. */
function bodyJson(body: unknown): string {
  const line = spacedJson(body);
  if (line.length <= maxLine || typeof body !== 'object' || body === null) return line;
  const fields = Object.entries(body).map(
    ([name, value]) => `${JSON.stringify(name)}: ${spacedJson(value)}`,
  );
  return `{${fields.join(',\n       ')}}`;
}

/** JSON on one line, with spaces as people write it. */
const spacedJson = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/([[{])\n\s*/g, '$1')
    .replace(/\n\s*([\]}])/g, '$1')
    .replace(/\n\s*/g, ' ');

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
