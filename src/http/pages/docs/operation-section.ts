import type { Answer, Media, Operation, PlacedOperation } from './api-document.js';
import { escape, prose } from '../html-page.js';
import { type Components, componentOf, fieldTable, schemaLink } from './schema-table.js';

const sectionOf = (label: string, content: string): string =>
  content === '' ? '' : `<h4>${label}</h4>${content}`;

/** One operation: its description, an example, its parameters, body and answers. */
export function operationSection(placed: PlacedOperation, components: Components): string {
  const { path, method, operation } = placed;
  const [description = '', note = ''] = [
    operation.description,
    operation.deprecated ? ' <small>for earlier clients</small>' : undefined,
  ];
  return [
    `<section id="${operation.operationId}" data-method="${method}" data-path="${escape(path)}"${bodyExample(operation)}><h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${escape(path)}</code>${note}</h3>`,
    `<p><b>${prose(operation.summary)}.</b></p>${description === '' ? '' : `<p>${prose(description)}</p>`}`,
    `<pre tabindex="0"><code>${escape(curlExample(placed))}</code></pre>`,
    sectionOf('Query', parameterTable(operation)),
    sectionOf('Body', operation.deprecated ? '' : bodyOf(operation, components)),
    sectionOf('Answer', answersOf(operation)),
    '</section>',
  ].join('');
}

/** The example with which the page's form is filled, for a JSON body. */
function bodyExample({ requestBody }: Operation): string {
  const json = requestBody?.content['application/json'];
  if (!json) return '';
  return ` data-body="${escape(JSON.stringify(json.example ?? {}, null, 2))}"`;
}

function parameterTable({ parameters = [] }: Operation): string {
  const rows = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(
      ({ name, description }) =>
        `<tr><td><code>?${escape(name)}=</code></td><td>${prose(description ?? '')}</td></tr>`,
    );
  return rows.length === 0
    ? ''
    : `<div class="scroll"><table><tbody>${rows.join('')}</tbody></table></div>`;
}

function bodyOf({ requestBody }: Operation, components: Components): string {
  const bodies = Object.entries(requestBody?.content ?? {});
  return bodies.map(([type, media]) => bodyTable(type, media, components)).join('');
}

function bodyTable(type: string, { schema = {} }: Media, components: Components): string {
  if (schema.$ref) {
    const name = componentOf(schema.$ref);
    return `<p><code>${escape(type)}</code>: ${schemaLink(schema.$ref)}</p>${fieldTable(components[name] ?? {}, components)}`;
  }
  return `<p><code>${escape(type)}</code></p>${fieldTable(schema, components)}`;
}

function answersOf({ responses }: Operation): string {
  const all = Object.entries(responses);
  const [good, bad] = [
    all.filter(([status]) => status < '400'),
    all.filter(([status]) => status >= '400'),
  ];
  const errors = bad.map(([status]) => status).join(', ');
  return `${answerList(good)}${bad.length === 0 ? '' : `<details><summary>Errors: ${errors}</summary>${answerList(bad)}</details>`}`;
}

const answerList = (answers: readonly [string, Answer][]): string =>
  `<ul>${answers
    .map(
      ([status, { description, content }]) =>
        `<li><b>${status}</b> ${prose(description)}${contentLinks(content)}</li>`,
    )
    .join('')}</ul>`;

const contentLinks = (content: Answer['content'] = {}): string =>
  Object.values(content)
    .flatMap(({ schema }) => (schema?.$ref ? [` ${schemaLink(schema.$ref)}`] : []))
    .join('');

/** Placeholder for the gateway's URL, which depends on the request for the page. */
export const originMark = '{origin}';

/** A command that calls the operation, with `SIGNALBOX_API_KEY` as the key. */
function curlExample({ path, method, operation, pathParameters }: PlacedOperation): string {
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
