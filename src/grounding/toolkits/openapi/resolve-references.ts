type Json = Readonly<Record<string, unknown>>;

const maxSteps = 8;

/** The value as an object; an empty one if it is none. */
export const jsonFields = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** The value as a list; an empty one if it is none. */
export const jsonItems = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : [];

/** What a reference object of a document means; the object itself if it is none. */
export function referred(value: unknown, document: Json): Json {
  let found = jsonFields(value);
  for (let step = 0; typeof found.$ref === 'string'; step++) {
    if (step === maxSteps || !found.$ref.startsWith('#/')) return {};
    found = jsonFields(
      found.$ref
        .slice(2)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<unknown>((inner, part) => {
          const object = jsonFields(inner);
          return Object.hasOwn(object, part) ? object[part] : undefined;
        }, document),
    );
  }
  return found;
}
