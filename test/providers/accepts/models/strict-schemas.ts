import { type Rule, valuesIn } from '../acceptance.js';

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const refusedKeywords = new Set([
  ...['oneOf', 'allOf', 'not', 'if', 'dependentRequired', 'patternProperties', 'propertyNames'],
  ...['uniqueItems', 'contains'],
]);

/** Why a strict schema is refused; the conversations have no property of a keyword's name. */
function faults(schema: unknown): string[] {
  return [...valuesIn(schema)].flatMap(([place, value]) => {
    const one = fieldsOf(value);
    const refused = Object.keys(one).filter((key) => refusedKeywords.has(key));
    const isObject = one['type'] === 'object' || Array.isArray(fieldsOf(one['properties']));
    const needed = (one['required'] ?? null) as string[] | null;
    const isClosed =
      !isObject ||
      (one['additionalProperties'] === false &&
        Object.keys(fieldsOf(one['properties'])).every((name) => needed?.includes(name)) &&
        needed !== null);
    return [...refused, ...(isClosed ? [] : ['open'])].map(
      (why) => `${place || 'the root'}: ${why}`,
    );
  });
}

/** What is strict, as tools and answers of both of OpenAI's APIs have it, with its schema. */
function strictSchemas(body: Fields): [place: string, schema: unknown][] {
  const tools = ((body['tools'] ?? []) as Fields[]).map((tool) =>
    fieldsOf(tool['function'] ?? tool),
  );
  const format = fieldsOf(fieldsOf(body['text'])['format']);
  const asked = fieldsOf(fieldsOf(body['response_format'])['json_schema']);
  return [
    ...tools.map((tool): [Fields, string] => [tool, 'parameters']),
    ...[format, asked].map((one): [Fields, string] => [one, 'schema']),
  ].flatMap(([one, key]): [string, unknown][] =>
    one['strict'] === true ? [[String(one['name']), one[key]]] : [],
  );
}

/** Strict schemas have closed objects, all of whose fields are required, and plain keywords. */
export const strictAreClosed = (source: string): Rule => ({
  refuses: "'additionalProperties' is required to be supplied and to be false",
  source,
  find: ({ body }) =>
    strictSchemas(body).flatMap(([name, schema]) =>
      faults(schema).map((fault) => `${name}: ${fault}`),
    ),
});
