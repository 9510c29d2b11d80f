import type { Answer, Media, Operation, PlacedOperation } from './api-document.js';
import { curlExample } from './curl-example.js';
import { escape, prose } from './markup.js';
import { type Components, componentOf, fieldTable, schemaLink } from './schema-table.js';

const sectionOf = (label: string, content: string): string =>
  content === '' ? '' : `<h4>${label}</h4>${content}`;

/** One operation: what it does, an example, what it takes and what it answers. */
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

/** What the form of the page begins with, for a body of JSON. */
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
