import { readModelTable } from './model-tables.js';

const vendors = readModelTable('aliases').bedrockVendors.join('|');
const bedrockPrefix = new RegExp(`^(?:[a-z]{2,6}(?:-gov)?\\.)?(?:${vendors})\\.(?=[a-z])`);
const resourcePrefixes = readModelTable('aliases').resourcePrefixes;
const region = /^(?:[a-z]{2,6}(?:-gov)?\.)(?=[a-z0-9]+\.)/;

/** The part after the last slash: removes vendor prefixes, resource names and paths. */
const lastSegment = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/**
 * Removes the suffix of a name. `model:8b` names a size (Ollama), `…-v1:0` a revision and `…-v0:2`
 * a version (Bedrock), `model:free` a variant (OpenRouter), `ft:model:org::id` a fine-tuned model.
 */
function withoutTail(name: string): string {
  const tuned = name.startsWith('ft:') ? name.slice(3) : name;
  const versioned = tuned.replace(/-v(\d+):([1-9]\d*)(?=$|:)/, '-v$1.$2');
  const revision = versioned.replace(/(?:-v?\d+)?:\d+(?::[a-z0-9]+)?$/, '');
  const sized = revision.replace(/:((?:\d+x|e)?\d+(?:\.\d+)?b)\b/, '-$1');
  const colon = sized.indexOf(':');
  return colon > 0 ? sized.slice(0, colon) : sized;
}

/**
 * One spelling of a model's name, independent of the provider: lower case, words and numbers
 * separated by hyphens, without vendor, region, variant or revision; dates stay.
 * `eu.anthropic.claude-3-5-sonnet-20240620-v1:0`, `anthropic/claude-3.5-sonnet:beta` and
 * `claude-3-5-sonnet@20240620` all start with `claude-3-5-sonnet`; `llama3.1:8b`, `Llama-3.1-8B`
 * and `llama-v3p1-8b` are equal, and so are `gemini-pro-1.5` and `gemini-1.5-pro`.
 */
export const canonicalName = (model: string): string =>
  withoutTail(lastSegment(model.trim().toLowerCase()))
    .replace(bedrockPrefix, '')
    // the name that Vertex and others use for the version of October 2024
    .replace(/^claude-3[.-]5-sonnet-v2(?:@20241022)?$/, 'claude-3-5-sonnet-20241022')
    .replace(/@default$/, '')
    .replace('@', '-')
    .replace(/(\d)p(?=\d)/g, '$1-')
    .replace(/[._\s]+/g, '-')
    .replace(/([a-z]{3,})(?=\d)/g, '$1-')
    .replace(/^(claude-(?!v?\d)[a-z]+-.*)-v\d$/, '$1')
    .replace(/-v(?=\d)/g, '-')
    // a version first or last, as Anthropic itself writes it and as others do
    .replace(/^claude-([4-9](?:-\d)?)-(opus|sonnet|haiku|fable|mythos)(?=$|-)/, 'claude-$2-$1')
    .replace(/^claude-(opus|sonnet|haiku)-(3(?:-[57])?)(?=$|-)/, 'claude-$2-$1')
    .replace(/^meta-(?=llama)/, '')
    .replace(/^gemini-(pro|flash)-(\d-\d)(?=$|-)/, 'gemini-$2-$1')
    .replace(/^gpt-35-turbo(?=$|-16k|-\d)/, 'gpt-3-5-turbo');

const version =
  /-(?:20\d{2}-?[01]\d-?[0-3]\d|[01]\d-20\d{2}|(?!00)\d{4}|\d{2}-\d{2}|00\d|latest|preview|exp|instruct|instruct-turbo|instruct-lite|it|hf|versatile|instant|maas|fp8|q\d(?:-[a-z0-9]){0,2})$/;

/** A canonical name without date and packaging words, to find the model by other names. */
export function undatedName(canonical: string): string {
  let name = canonical;
  for (;;) {
    const shorter = name.replace(version, '');
    if (shorter === name || shorter === '') return name;
    name = shorter;
  }
}

/** The spellings that a provider's price list may have for a model: distinct, as written first. */
export function spellings(model: string): string[] {
  const name = model.trim().toLowerCase();
  const plain = name.replace(/:[a-z][a-z-]*$/, '');
  const segment = lastSegment(plain);
  const anywhere = segment.replace(region, '');
  const undated = anywhere.replace(/[-@](?:20\d{2}-?[01]\d-?[0-3]\d|latest)$/, '');
  return [...new Set([name, plain, segment, anywhere, undated])];
}

/** Whether a name moves (`-latest`): to other products over time, or to the last state of one. */
export const isMovingName = (model: string): boolean => /[-@]latest(?::[a-z-]+)?$/i.test(model);

/** A name without the prefix that a provider's API may add (`models/…`). */
export function withoutResource(model: string): string {
  const prefix = resourcePrefixes.find((one) => model.toLowerCase().startsWith(one));
  return prefix === undefined ? model : model.slice(prefix.length);
}

const date = /-(?:20\d{2}-?[01]\d-?[0-3]\d|[01]\d-20\d{2}|(?!00)\d{4}|\d{2}-\d{2}|00\d|latest)$/;
/** The digits of the date that a name ends with (`20240806`); null: it has none, or `latest`. */
export function statedDate(model: string): string | null {
  const digits = date.exec(canonicalName(model))?.[0].replace(/\D/g, '');
  return digits ? digits : null;
}

/** Longer names get no canonical name: its time grows with the square of their length. */
const maxCanonicalLength = 200;

/**
 * All names under which a rule may refuse a model, in lower case: as written, without vendor,
 * region, variant and date, and its canonical name.
 */
export function refusableNames(model: string): string[] {
  const names = spellings(model);
  if (lastSegment(model).length <= maxCanonicalLength) {
    const canonical = canonicalName(model);
    names.push(canonical, canonical.replace(date, ''));
  }
  return [...new Set(names)];
}

/** The billions of parameters in a name (`8b`, `0.5b`, `8x7b`, `235b-a22b`); null: none. */
export function parametersInName(model: string): number | null {
  const found = /(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z0-9])/.exec(
    lastSegment(model.toLowerCase()).replace(/(\d)p(?=\d)/g, '$1.'),
  );
  return found ? Number(found[1] ?? 1) * Number(found[2]) : null;
}
