import { isObject, type Json, textIn } from '../../../text/is-object.js';

/** The body of `POST /v1/responses`, with what is read of it. All else is the provider's. */
export interface ResponsesBody {
  readonly model: string;
  readonly input?: string | readonly Json[] | null;
  readonly instructions?: string | null;
  readonly tools?: readonly Json[] | null;
  readonly tool_choice?: string | Json | null;
  readonly parallel_tool_calls?: boolean | null;
  readonly max_output_tokens?: number | null;
  readonly top_logprobs?: number | null;
  readonly text?: { readonly format?: Json | null; readonly verbosity?: string | null } | null;
  readonly reasoning?: {
    readonly effort?: string | null;
    readonly [field: string]: unknown;
  } | null;
  readonly include?: readonly string[] | null;
  readonly stream?: boolean | null;
  readonly store?: boolean | null;
  readonly previous_response_id?: string | null;
  readonly [field: string]: unknown;
}

/** The input as a list of items. */
export const itemsOf = ({ input }: Pick<ResponsesBody, 'input'>): readonly Json[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? []);

/** The type of an item; a message may leave it out. */
export const typeOf = (item: Json): string => textIn(item['type']) || 'message';

/** A list of objects, or an empty one. */
export const jsonList = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
