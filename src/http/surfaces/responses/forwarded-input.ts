import { plainImageUrl } from '../../../providers/image-type.js';
import { asList, isObject, type Json, nameSet, omit, textIn } from '../../../text/is-object.js';
import { openReasoning } from '../foreign-reasoning.js';
import { jsonList, typeOf } from './body.js';
import { shortened } from './flat-tools.js';
import { ownReasoningId } from './output-items.js';
import { ownWebSearchId } from './search-items.js';

/**
 * The items of an input as a provider of this dialect takes them, which stores none: without what it
 * cannot read, with ids that OpenAI takes, and with a result for each call. The ids of answers of
 * other makers have other forms.
 */
export function forwardedInput(given: readonly Json[]): readonly Json[] {
  const input = given.map(withPlainImages);
  if (input.every((item) => item['id'] === undefined && typeOf(item) === 'message')) return input;
  const items = withOwnIds(input);
  const called = idsOf(items, (type) => !results.has(type));
  const answered = idsOf(items, (type) => results.has(type));
  // what was summed up may have had the call
  const isSummed = items.some((item) => summaries.has(typeOf(item)));
  return items.flatMap((item) => {
    const type = typeOf(item);
    const { call_id, output } = item;
    if (calls.has(type) && !answered.has(call_id))
      return [item, { type: `${type}_output`, call_id, output: '(no result)' }];
    return results.has(type) && !called.has(call_id) && !isSummed
      ? [{ role: 'user', content: output }]
      : [item];
  });
}

const isInline = ({ type, image_url: url }: Json): boolean =>
  type === 'input_image' && /^data:/i.test(textIn(url));
const plainImage = (part: unknown): unknown =>
  isObject(part) && isInline(part)
    ? { ...part, image_url: plainImageUrl(textIn(part['image_url'])) ?? part['image_url'] }
    : part;

/** OpenAI refuses types that are no image's, such as `application/octet-stream`. */
function withPlainImages(item: Json): Json {
  const places = ['content', 'output'].filter((place) => jsonList(item[place]).some(isInline));
  const lists = places.map((place) => [place, asList(item[place]).map(plainImage)]);
  return lists.length === 0 ? item : { ...item, ...(Object.fromEntries(lists) as Json) };
}

const calls = nameSet('function_call custom_tool_call');
const results = nameSet('function_call_output custom_tool_call_output');
const summaries = nameSet('compaction context_compaction');
const idsOf = (items: readonly Json[], isOne: (type: string) => boolean): ReadonlySet<unknown> =>
  new Set(
    items
      .filter((item) => isOne(typeOf(item)))
      .map(({ call_id }) => call_id)
      .filter((id) => textIn(id) !== ''),
  );

/** What it cannot read: reasoning of others, or that another server stored, and own searches. */
function readable(item: Json): Json[] {
  const { id, encrypted_content: secret, content } = item;
  if (typeOf(item) === 'web_search_call' && textIn(id).startsWith(ownWebSearchId)) return [];
  if (typeOf(item) !== 'reasoning') return [item];
  const sealed = openReasoning(secret);
  if (sealed === null) {
    const isEmpty = !secret && jsonList(content).length === 0;
    return isEmpty || String(id).startsWith(ownReasoningId) ? [] : [item];
  }
  // without its id, which the item that followed it would have to come with
  return jsonList(sealed)
    .filter(({ format, data }) => textIn(format).endsWith('responses-v1') && data)
    .map(({ data, summary }) => ({
      type: 'reasoning',
      summary: summary ? [{ type: 'summary_text', text: summary }] : [],
      encrypted_content: data,
    }));
}

/** How the ids of items begin that OpenAI takes; it needs none of them. */
const idStarts: ReadonlyMap<string, RegExp> = new Map([
  ['message', /^msg[\w-]{0,61}$/],
  ['reasoning', /^rs[\w-]{0,62}$/],
  ['function_call', /^fc[\w-]{0,62}$/],
  ['function_call_output', /^fc[\w-]{0,62}$/],
  ['custom_tool_call', /^ctc[\w-]{0,61}$/],
  ['custom_tool_call_output', /^ctc[\w-]{0,61}$/],
  ['web_search_call', /^ws[\w-]{0,62}$/],
]);
const isOther = (item: Json): boolean =>
  item['id'] !== undefined && idStarts.get(typeOf(item))?.test(textIn(item['id'])) === false;

/** What can be read, with ids of this dialect. */
function withOwnIds(input: readonly Json[]): Json[] {
  const items = input.flatMap(readable);
  // by its id an item asks for the reasoning before it
  const kept = new Set(items.filter((item) => !isOther(item)));
  const isWhole = input.every((item) => typeOf(item) !== 'reasoning' || kept.has(item));
  const seen = new Set<unknown>();
  return items.map((item) => {
    const type = typeOf(item);
    const { id, call_id: given } = item;
    // OpenAI refuses two items of one id
    const isRepeated = seen.size === seen.add(id).size;
    const callId = shortened(textIn(calls.has(type) ? (given ?? id) : given));
    const losesId =
      !kept.has(item) || ((isRepeated || !isWhole) && id !== undefined && idStarts.has(type));
    const isSame = callId === textIn(given);
    if (!losesId && isSame) return item;
    return {
      ...(losesId ? omit(item, new Set(['id'])) : item),
      ...(isSame ? {} : { call_id: callId }),
    };
  });
}
