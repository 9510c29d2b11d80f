import type { ChatRequest, SearchLocation, NativeSearchOptions } from '../../completion.js';
import { isObject } from '../../text/is-object.js';

/** The fields of `web_search_options` that OpenAI's API does not have. */
const ownFields = ['max_uses', 'allowed_domains', 'blocked_domains', 'recency', 'required'];

/** What a request asks of the model's own search, checked; of each field, absent: nothing. */
export interface SearchRequest {
  readonly contextSize?: string;
  readonly location?: SearchLocation;
  readonly maxUses?: number;
  /** Absent rather than empty. */
  readonly allowedDomains?: readonly string[];
  /** Absent rather than empty, and where domains are allowed. */
  readonly blockedDomains?: readonly string[];
  readonly recency?: string;
  readonly required: boolean;
  /** `max_uses: 0`: the model must not search, as far as `NativeSearch.stoppable` says. */
  readonly isOff?: true;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function domains(value: unknown): readonly string[] | undefined {
  const names = Array.isArray(value) ? value.filter((name) => text(name) !== undefined) : [];
  return names.length > 0 ? (names as string[]) : undefined;
}

function locationOf(value: unknown): SearchLocation | undefined {
  const place = isObject(value) && isObject(value['approximate']) ? value['approximate'] : {};
  const given = ['country', 'region', 'city', 'timezone'].flatMap((name) => {
    const part = text(place[name]);
    return part === undefined ? [] : [[name, part] as const];
  });
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

/**
 * What a request asks of the model's own web search; null if it asks for none. A client may have
 * sent anything in the field: what cannot be read counts as absent.
 */
export function searchRequestOf({
  web_search_options: asked,
}: Pick<ChatRequest, 'web_search_options'>): SearchRequest | null {
  if (!isObject(asked)) return null;
  const { search_context_size: size, max_uses: uses, recency } = asked;
  const allowed = domains(asked['allowed_domains']);
  const fields = {
    contextSize: text(size),
    location: locationOf(asked['user_location']),
    isOff: uses === 0 ? true : undefined,
    maxUses: Number.isInteger(uses) && Number(uses) > 0 ? Number(uses) : undefined,
    allowedDomains: allowed,
    blockedDomains: allowed ? undefined : domains(asked['blocked_domains']),
    recency: text(recency),
  };
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    required: asked['required'] === true,
  };
}

/** The field as OpenAI's API takes it: without the gateway's own extensions. */
export function withoutExtensions(options: NativeSearchOptions): NativeSearchOptions {
  if (!isObject(options) || !ownFields.some((field) => field in options)) return options;
  return Object.fromEntries(
    Object.entries(options).filter(([field]) => !ownFields.includes(field)),
  );
}
