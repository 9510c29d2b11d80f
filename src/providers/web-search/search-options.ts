import {
  type ChatRequest,
  type SearchLocation,
  type NativeSearchOptions,
  placeIn,
} from '../../completion.js';
import { asList, isObject, nameSet, omit, present, textIn } from '../../text/is-object.js';

/** The fields of `web_search_options` that OpenAI's API does not have. */
const ownFields = nameSet('max_uses allowed_domains blocked_domains recency required');
const recencies = ['day', 'week', 'month', 'year'];

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

function domains(value: unknown): readonly string[] | undefined {
  const names = asList(value).filter((name) => textIn(name) !== '');
  return names.length > 0 ? (names as string[]) : undefined;
}

function locationOf(value: unknown): SearchLocation | undefined {
  const place = isObject(value) && isObject(value['approximate']) ? value['approximate'] : {};
  const location = placeIn(place);
  return Object.keys(location).length > 0 ? location : undefined;
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
  return {
    ...present({
      contextSize: textIn(size) || undefined,
      location: locationOf(asked['user_location']),
      isOff: uses === 0 || undefined,
      maxUses: Number.isInteger(uses) && Number(uses) > 0 ? Number(uses) : undefined,
      allowedDomains: allowed,
      blockedDomains: allowed ? undefined : domains(asked['blocked_domains']),
      recency: recencies.find((known) => known === recency),
    }),
    required: asked['required'] === true,
  };
}

/** The field as OpenAI's API takes it: without the gateway's own extensions. */
export const withoutExtensions = (options: NativeSearchOptions): NativeSearchOptions =>
  isObject(options) ? omit(options, ownFields) : options;
